# SPDX-License-Identifier: Apache-2.0
"""Append-only columns that other threads can read during appends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

SMALLEST_CAPACITY = 16
MIN_PIECE_ROWS = 256
"""Keep an array of this many rows, and the first array, without a copy; smaller ones are copied into one buffer."""

Columns = dict[str, NDArray[Any]]


class GrowingColumns:
    """Named columns of equal length, append-only.

    Rows are never rewritten, so an array that ``column`` returned stays valid and unchanged while rows are appended.
    Only one thread may append at a time; the owner holds a lock.
    """

    def __init__(self, dtypes: Mapping[str, DTypeLike]) -> None:
        self._buffers: dict[str, NDArray[Any]] = {name: np.empty(0, dtype) for name, dtype in dtypes.items()}
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def column(self, name: str) -> NDArray[Any]:
        """Return the rows appended so far, as a read-only view."""
        view = self._buffers[name][: self._length]
        view.flags.writeable = False
        return view

    def columns(self) -> Columns:
        """Return all columns, see ``column``."""
        return {name: self.column(name) for name in self._buffers}

    def extend(self, rows: Mapping[str, ArrayLike], count: int) -> None:
        """Append ``count`` rows; a scalar is repeated ``count`` times."""
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


class ChunkedColumns:
    """Rows in append order; keeps large arrays without a copy. The owner holds a lock."""

    __slots__ = ("_dtypes", "_growing", "_length", "_pieces")

    def __init__(self, dtypes: Mapping[str, DTypeLike]) -> None:
        self._dtypes = dtypes
        self._pieces: list[Columns] = []
        self._growing: GrowingColumns | None = None  # the rows after all pieces; None if empty
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def extend(self, rows: Mapping[str, NDArray[Any]], count: int) -> None:
        """Append ``count`` rows; may keep the arrays, so the caller must not change them afterwards."""
        if self._growing is None and (count >= MIN_PIECE_ROWS or not self._pieces):
            self._pieces.append({name: _frozen(rows[name], dtype) for name, dtype in self._dtypes.items()})
        else:
            if self._growing is None:
                self._growing = GrowingColumns(self._dtypes)
            self._growing.extend(rows, count)
        self._length += count

    def cast(self, dtypes: Mapping[str, DTypeLike]) -> ChunkedColumns:
        """Return a copy whose columns have other types."""
        copy = ChunkedColumns(dtypes)
        for piece in self.pieces():
            copy.extend(piece, next(iter(piece.values())).size)
        return copy

    def pieces(self) -> list[Columns]:
        """Return all rows, in pieces."""
        return self._pieces if self._growing is None else [*self._pieces, self._growing.columns()]

    def columns(self) -> Columns:
        """Return all rows as one array per column; later appends to it copy little."""
        if len(self._pieces) == 1 and self._growing is None:
            return self._pieces[0]
        if self._pieces or self._growing is None:
            joined = GrowingColumns(self._dtypes)
            for piece in self.pieces():
                joined.extend(piece, next(iter(piece.values())).size)
            self._pieces, self._growing = [], joined
        return self._growing.columns()


def cast(column: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    """Return the column in another type."""
    with np.errstate(invalid="ignore"):  # the cast turns a signaling NaN into a quiet one
        return column.astype(dtype)


def _frozen(column: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    kept = column if column.dtype == dtype else cast(column, dtype)
    kept.flags.writeable = False
    return kept
