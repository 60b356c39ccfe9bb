# SPDX-License-Identifier: Apache-2.0
"""Flushes recorders on SIGTERM, the signal with which Slurm and Kubernetes end a training."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

if sys.platform == "linux":
    from mindscope.capture._termination import install, terminate
else:  # the handler needs Linux timers; SIGTERM keeps its default action elsewhere

    def install(write_end: int, patience_s: float) -> bool:
        return False

    def terminate() -> None:
        return


class TerminationWatch:
    """Calls ``flush`` on its own thread at SIGTERM, then ends the process with the default action of the signal.

    Does nothing if the program handles or ignores SIGTERM, before or after ``start``.

    Args:
        flush: must return within ``grace_s``; after that, the process ends in any case.
        grace_s: seconds.
    """

    def __init__(self, flush: Callable[[], object], grace_s: float) -> None:
        self._flush = flush
        self._grace_s = grace_s
        self._process: int | None = None  # id of the process in which the thread waits

    def start(self) -> None:
        """Start watching, once for each process. Call it again in a forked child."""
        if self._process == os.getpid():
            return
        try:
            read_end, write_end = os.pipe()
        except OSError:  # no free file descriptor: SIGTERM keeps its default action, the next call tries again
            return
        self._process = os.getpid()
        os.set_blocking(write_end, False)
        thread = threading.Thread(target=self._wait, args=(read_end,), name="mindscope-termination", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # can't start a thread: SIGTERM keeps its default action
            os.close(read_end)
            os.close(write_end)
            return
        if not install(write_end, self._grace_s):
            os.close(write_end)  # this ends the thread

    def _wait(self, read_end: int) -> None:
        was_signaled = os.read(read_end, 1) != b""
        os.close(read_end)
        if was_signaled:
            try:
                self._flush()
            finally:
                terminate()
