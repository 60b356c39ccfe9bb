# SPDX-License-Identifier: Apache-2.0
"""Memory that files are read with, used again and again: fresh pages cost as much as the reading itself."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

import numpy as np

from mindscope.formats.progressions import Progressions
from mindscope.formats.scan import ScanRoom


class ReadRoom:
    """What one file at a time is read with: ``buffer`` for its bytes, ``scan`` for what is found in them."""

    def __init__(self, progressions: Progressions) -> None:
        self.buffer = memoryview(b"")
        self.scan = ScanRoom(progressions)


class ReadRooms:
    """Lends rooms to any number of threads, and keeps those that come back."""

    def __init__(self, largest_bytes: int, processors: int | None = None) -> None:
        """Buffers have up to ``largest_bytes``. ``processors`` is how many there are, None for those of the machine."""
        self._largest_bytes = largest_bytes
        self._processors = processors or os.cpu_count() or 1
        self._lock = Lock()
        self._lent = 0  # written under the lock
        self._progressions = Progressions()
        self._free: list[ReadRoom] = []  # taken and given back in one step each, which needs no lock

    @contextmanager
    def lend(self, size_bytes: int) -> Generator[ReadRoom]:
        """A room whose buffer holds ``size_bytes`` or the most there is, for the length of a block.

        Nothing may refer to the bytes of the buffer afterwards.
        """
        with self._lock:
            self._lent += 1
        try:
            room = self._free.pop()
        except IndexError:
            room = ReadRoom(self._progressions)
        wanted = min(size_bytes, self._largest_bytes)
        if len(room.buffer) < wanted:
            room.buffer = np.empty(wanted, np.uint8).data  # not cleared: what is never used takes no memory
        try:
            yield room
        finally:
            self._free.append(room)
            with self._lock:
                self._lent -= 1

    @property
    def idle(self) -> int:
        """How many processors there are beside those that work in a room."""
        return max(0, self._processors - self._lent)

    def release(self) -> None:
        """Keep none of those that came back: their memory is wanted only while much is read."""
        self._free.clear()
