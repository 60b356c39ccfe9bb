# SPDX-License-Identifier: Apache-2.0
"""LRU cache of columns that are expensive to assemble."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from mindscope.lru import LRU

MAX_BYTES = 32 << 20
MAX_HELD_CHUNKS = 128
"""Limit of chunk mappings kept open for the next read of a series of the same run; each uses an open file."""
HELD_BYTES = 32 << 20
"""Limit of their total size. Larger chunks are mapped again: this is cheap compared with reading them."""

Columns = dict[str, NDArray[Any]]


class ColumnCache:
    """The most recently used columns, up to ``MAX_BYTES``. Thread-safe, shared by many runs."""

    def __init__(self) -> None:
        self._columns: LRU[object, tuple[int, Columns]] = LRU(MAX_BYTES, lambda entry: _nbytes(entry[1]))  # with rows
        self._last_increasing: NDArray[Any] | None = None  # the last column that ``is_increasing`` accepted
        self._held: LRU[object, tuple[int, NDArray[Any]]] = LRU(HELD_BYTES, _held_bytes)  # by chunk: bytes, one column

    def hold_mapping(self, chunk: object, column: NDArray[Any], chunk_bytes: int) -> None:
        """Keep the mapping of a chunk open, which otherwise closes with the last use of ``column``."""
        if chunk_bytes <= HELD_BYTES:
            self._held.add(chunk, (chunk_bytes, column))

    def is_increasing(self, step: NDArray[Any]) -> bool:
        """Return whether each step is greater than the previous one.

        Repeated calls with the same column are free: the series of a run often share one.
        """
        if self._last_increasing is not step:
            if not bool((step[1:] > step[:-1]).all()):
                return False
            self._last_increasing = step
        return True

    def get(self, key: object, rows: int) -> Columns | None:
        """Return the columns of ``key``, if the series had ``rows`` rows when they were stored."""
        kept_rows, columns = self._columns.get(key) or (-1, None)
        return columns if kept_rows == rows else None

    def put(self, key: object, rows: int, columns: Columns) -> Columns:
        """Store and return ``columns``; evicts the least recently used ones. Does not store more than ``MAX_BYTES``."""
        if _nbytes(columns) <= MAX_BYTES:
            self._columns.add(key, (rows, columns))
        return columns


def _nbytes(columns: Columns) -> int:
    return sum(column.nbytes for column in columns.values())


def _held_bytes(entry: tuple[int, NDArray[Any]]) -> int:
    return max(entry[0], HELD_BYTES // MAX_HELD_CHUNKS)
