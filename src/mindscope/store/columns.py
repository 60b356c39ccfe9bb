# SPDX-License-Identifier: Apache-2.0
"""Columns that grow at the end and can be read meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

SMALLEST_CAPACITY = 16


class GrowingColumns:
    """Named columns of equal length that only ever grow.

    Rows are never rewritten, so an array that ``column`` returned stays valid and unchanged while rows are appended.
    Appending is for one thread at a time; the owner holds a lock.
    """

    def __init__(self, dtypes: Mapping[str, DTypeLike]) -> None:
        self._buffers: dict[str, NDArray[Any]] = {name: np.empty(0, dtype) for name, dtype in dtypes.items()}
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def column(self, name: str) -> NDArray[Any]:
        """The rows appended so far, as a read-only view."""
        view = self._buffers[name][: self._length]
        view.flags.writeable = False
        return view

    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns, as ``column`` gives each."""
        return {name: self.column(name) for name in self._buffers}

    def extend(self, rows: Mapping[str, ArrayLike], count: int) -> None:
        """Append ``count`` rows; a scalar stands for ``count`` equal entries."""
        stop = self._length + count
        self._reserve(stop)
        for name, buffer in self._buffers.items():
            buffer[self._length : stop] = rows[name]
        self._length = stop

    def _reserve(self, length: int) -> None:
        capacity = next(iter(self._buffers.values())).size
        if length <= capacity:
            return
        capacity = max(length, capacity + capacity // 2, SMALLEST_CAPACITY)
        for name, old in self._buffers.items():
            grown = np.empty(capacity, old.dtype)
            grown[: self._length] = old[: self._length]
            self._buffers[name] = grown
