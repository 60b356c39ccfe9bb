# SPDX-License-Identifier: Apache-2.0
"""Memory that file contents are read into, used again and again: fresh pages cost as much as the reading itself."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class ReadBuffers:
    """Lends buffers of up to ``largest_bytes`` to any number of threads, and keeps those that come back."""

    def __init__(self, largest_bytes: int) -> None:
        self._largest_bytes = largest_bytes
        self._free: list[memoryview] = []  # taken and given back in one step each, which needs no lock

    @contextmanager
    def lend(self, size_bytes: int) -> Generator[memoryview]:
        """A buffer that holds ``size_bytes`` or the most there is, for the length of a block.

        Nothing may refer to its bytes afterwards.
        """
        wanted = min(size_bytes, self._largest_bytes)
        try:
            buffer = self._free.pop()
        except IndexError:
            buffer = memoryview(b"")
        if len(buffer) < wanted:
            buffer = memoryview(bytearray(wanted))
        try:
            yield buffer
        finally:
            self._free.append(buffer)
