# SPDX-License-Identifier: Apache-2.0
"""Pool of read buffers: fresh pages cost as much as the read itself."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

import numpy as np

from mindscope.formats.scan import ScanBuffers
from mindscope.formats.step_ranges import StepRanges


class ReadBuffers:
    """Buffers to read one file at a time: ``data`` for its bytes, ``scan`` for its rows."""

    def __init__(self, step_ranges: StepRanges) -> None:
        self.data = memoryview(b"")
        self.scan = ScanBuffers(step_ranges)


class ReadBufferPool:
    """Lends buffers to threads and reuses returned ones. Thread-safe."""

    def __init__(self, largest_bytes: int, processors: int | None = None) -> None:
        """``largest_bytes`` limits the size of a buffer. ``processors`` is their count, None for all of the machine."""
        self._largest_bytes = largest_bytes
        self._processors = processors or os.cpu_count() or 1
        self._lock = Lock()
        self._lent = 0  # written under the lock
        self._step_ranges = StepRanges()
        self._free: list[ReadBuffers] = []  # append and pop are atomic, so this list needs no lock

    @contextmanager
    def borrow(self, size_bytes: int) -> Generator[ReadBuffers]:
        """Yield buffers that hold ``size_bytes`` or the largest size, for the duration of a ``with`` block.

        Do not keep references to ``data`` afterwards.
        """
        with self._lock:
            self._lent += 1
        try:
            buffers = self._free.pop()
        except IndexError:
            buffers = ReadBuffers(self._step_ranges)
        wanted = min(size_bytes, self._largest_bytes)
        if len(buffers.data) < wanted:
            buffers.data = np.empty(wanted, np.uint8).data  # not cleared: unused pages take no memory
        try:
            yield buffers
        finally:
            self._free.append(buffers)
            with self._lock:
                self._lent -= 1

    @property
    def idle_processors(self) -> int:
        """Number of processors that have no borrowed buffers."""
        return max(0, self._processors - self._lent)

    def release(self) -> None:
        """Free all returned buffers: only large reads need their memory."""
        self._free.clear()
