# SPDX-License-Identifier: Apache-2.0
"""A range of bytes of a file, as a file of its own."""

from __future__ import annotations

import os
from io import FileIO
from typing import Any


class RangeFile(FileIO):
    """``size`` bytes from byte ``start`` of a file, to read: positions count from the start of the range.

    Raises OSError if the file can't be opened.
    """

    def __init__(self, path: str | os.PathLike[str], start: int, size: int) -> None:
        super().__init__(path)
        self.start = start
        self.size = size
        super().seek(start)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move to a position of the range; returns it."""
        before = {os.SEEK_SET: 0, os.SEEK_CUR: self.tell(), os.SEEK_END: self.size}[whence]
        position = before + offset
        if position < 0:
            raise ValueError(f"position {position} is before the file")
        return super().seek(self.start + position) - self.start

    def tell(self) -> int:
        """Return the position in the range."""
        return super().tell() - self.start

    def read(self, size: int | None = -1, /) -> bytes:
        """Return at most ``size`` bytes, which end with the range."""
        left = self._left()
        return super().read(left if size is None or size < 0 else min(size, left)) or b""

    def readall(self) -> bytes:
        """Return the rest of the range."""
        return self.read()

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer with bytes that end with the range; returns their number."""
        view = memoryview(buffer).cast("B")
        return super().readinto(view[: self._left()]) or 0

    def again(self) -> RangeFile:
        """Return the same range with a position of its own."""
        return RangeFile(str(self.name), self.start, self.size)

    def _left(self) -> int:
        return max(0, self.size - self.tell())
