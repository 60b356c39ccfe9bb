# SPDX-License-Identifier: Apache-2.0
"""System metrics beside the values of an event stream."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from pathlib import Path

from mindscope.capture.event_stream import EventStream
from mindscope.system import SAMPLER

_PATIENCE_S = 1.0
"""Wait at most for a sample on its way: a fork may have copied a lock that no thread holds."""


class SystemSamples:
    """Records the system metrics of this process into ``stream``, from now until ``stop`` or the end of the stream.

    A sample has the last step of the stream, or that of ``first_step`` before one; without both there is none: a step 0
    would hide what an older file of the run has.
    """

    def __init__(self, stream: EventStream, first_step: int | None = None) -> None:
        self._stream, self._first_step = weakref.ref(stream), first_step
        self._lock = threading.Lock()
        self._is_stopped = False
        SAMPLER.add(self._record, Path(stream.directory))

    def stop(self) -> None:
        """Record no more. Idempotent."""
        SAMPLER.remove(self._record)
        is_held = self._lock.acquire(timeout=_PATIENCE_S)
        self._is_stopped = True
        if is_held:
            self._lock.release()

    def _record(self, values: Mapping[str, float]) -> None:
        stream = self._stream()
        if stream is None:
            SAMPLER.remove(self._record)
            return
        with self._lock:
            step = self._first_step if stream.last_step is None else stream.last_step
            if step is not None and not self._is_stopped:
                for tag, value in values.items():
                    stream.add_scalar(tag, value, step)
