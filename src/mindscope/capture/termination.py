# SPDX-License-Identifier: Apache-2.0
"""SIGTERM, by which Slurm and Kubernetes end a training: what was recorded is written before the process ends."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

if sys.platform == "linux":
    from mindscope.capture._termination import install, terminate
else:  # it takes the timers of Linux: SIGTERM keeps its default elsewhere

    def install(write_end: int, patience_s: float) -> bool:
        return False

    def terminate() -> None:
        return


class TerminationWatch:
    """Calls ``flush`` on a thread of its own when SIGTERM comes, then ends the process as the signal does by default.

    It does nothing where the program handles or ignores SIGTERM, before or after.

    Args:
        flush: must return within ``grace_s``, after which the process ends in any case.
        grace_s: seconds.
    """

    def __init__(self, flush: Callable[[], object], grace_s: float) -> None:
        self._flush = flush
        self._grace_s = grace_s
        self._process: int | None = None  # in which the thread waits

    def start(self) -> None:
        """Watch from now on; once for each process. In the child of a fork it must be called again."""
        if self._process == os.getpid():
            return
        self._process = os.getpid()
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        thread = threading.Thread(target=self._wait, args=(read_end,), name="mindscope-termination", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # no more threads: SIGTERM keeps its default
            os.close(read_end)
            os.close(write_end)
            return
        if not install(write_end, self._grace_s):
            os.close(write_end)  # which ends the thread

    def _wait(self, read_end: int) -> None:
        was_signaled = os.read(read_end, 1) != b""
        os.close(read_end)
        if was_signaled:
            try:
                self._flush()
            finally:
                terminate()
