# SPDX-License-Identifier: Apache-2.0
"""LRU cache of columns that are expensive to assemble."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

from numpy.typing import NDArray

MAX_BYTES = 32 << 20
MAX_HELD_CHUNKS = 128
"""Limit of chunk mappings kept open for the next read of a series of the same run; each uses an open file."""
HELD_BYTES = 32 << 20
"""Limit of their total size. Larger chunks are mapped again: this is cheap compared with reading them."""

Columns = dict[str, NDArray[Any]]


class ColumnCache:
    """The most recently used columns, up to ``MAX_BYTES``. Thread-safe, shared by many runs."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[object, tuple[int, int, Columns]] = OrderedDict()  # rows, bytes, columns
        self._bytes = 0
        self._last_increasing: NDArray[Any] | None = None  # the last column that ``is_increasing`` accepted
        self._held: OrderedDict[object, tuple[int, NDArray[Any]]] = OrderedDict()  # by chunk: bytes and one column
        self._held_bytes = 0

    def hold_mapping(self, chunk: object, column: NDArray[Any], chunk_bytes: int) -> None:
        """Keep the mapping of a chunk open, which otherwise closes with the last use of ``column``."""
        if chunk_bytes > HELD_BYTES:
            return
        with self._lock:
            known_bytes, _ = self._held.pop(chunk, (0, None))
            self._held[chunk] = chunk_bytes, column
            self._held_bytes += chunk_bytes - known_bytes
            while self._held_bytes > HELD_BYTES or len(self._held) > MAX_HELD_CHUNKS:
                _, (dropped_bytes, _) = self._held.popitem(last=False)
                self._held_bytes -= dropped_bytes

    def is_increasing(self, step: NDArray[Any]) -> bool:
        """Whether each step is greater than the previous one. Repeated calls with the same column are free: the series
        of a run often share one.
        """
        if self._last_increasing is not step:
            if not bool((step[1:] > step[:-1]).all()):
                return False
            self._last_increasing = step
        return True

    def get(self, key: object, rows: int) -> Columns | None:
        """The columns of ``key``, if the series had ``rows`` rows when they were stored."""
        with self._lock:
            known = self._kept.get(key)
            if known is None or known[0] != rows:
                return None
            self._kept.move_to_end(key)
            return known[2]

    def put(self, key: object, rows: int, columns: Columns) -> Columns:
        """Store and return ``columns``; evicts the least recently used ones. Does not store more than ``MAX_BYTES``."""
        size = sum(column.nbytes for column in columns.values())
        if size > MAX_BYTES:
            return columns
        with self._lock:
            self._drop(key)
            self._kept[key] = rows, size, columns
            self._bytes += size
            while self._bytes > MAX_BYTES:
                self._drop(next(iter(self._kept)))
        return columns

    def _drop(self, key: object) -> None:
        known = self._kept.pop(key, None)
        if known is not None:
            self._bytes -= known[1]
