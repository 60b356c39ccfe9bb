# SPDX-License-Identifier: Apache-2.0
"""Columns that grow at their end, in memory or in a file that is mapped into it."""

from __future__ import annotations

import mmap
import os
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_FIRST = 1024


class GrowingColumn:
    """Numbers of one dtype; ``values`` is a view of all of them, valid until they change."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._kept: NDArray[Any] = np.empty(_FIRST, dtype)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def values(self) -> NDArray[Any]:
        return self._kept[: self._count]

    def extend(self, values: NDArray[Any]) -> None:
        count = self._count + len(values)
        if count > len(self._kept):
            grown = np.empty(max(count, 2 * len(self._kept)), self._kept.dtype)
            grown[: self._count] = self.values
            self._kept = grown
        self._kept[self._count : count] = values
        self._count = count

    def truncate(self, count: int) -> None:
        """Keep the first ``count``."""
        self._count = count


class FileColumn:
    """A column in a file, which takes no memory of the process. Methods raise OSError."""

    def __init__(self, path: Path, dtype: DTypeLike, count: int) -> None:
        """Open a file; of an existing one, the first ``count`` numbers are kept. Raises ValueError if it has less."""
        self._dtype: np.dtype[Any] = np.dtype(dtype)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        weakref.finalize(self, os.close, self._file)
        self._mapped: NDArray[Any] = np.empty(0, dtype)
        self._count = count
        if os.fstat(self._file).st_size < count * self._dtype.itemsize:
            raise ValueError(f"{path} has less than {count} numbers")

    def __len__(self) -> int:
        return self._count

    @property
    def values(self) -> NDArray[Any]:
        if len(self._mapped) < self._count:
            mapped = mmap.mmap(self._file, self._count * self._dtype.itemsize, access=mmap.ACCESS_READ)
            self._mapped = np.frombuffer(mapped, self._dtype)
        return self._mapped[: self._count]

    def extend(self, values: NDArray[Any]) -> None:
        data = np.ascontiguousarray(values, self._dtype).view(np.uint8).data
        offset = self._count * self._dtype.itemsize
        while data:
            written = os.pwrite(self._file, data, offset)
            data, offset = data[written:], offset + written
        self._count += len(values)

    def truncate(self, count: int) -> None:
        """Keep the first ``count``; the file keeps its size, because it may be mapped."""
        self._count = count
