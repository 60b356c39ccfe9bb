# SPDX-License-Identifier: Apache-2.0
"""Rows that cost something to put together, kept for the next look at them within a bound."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

from numpy.typing import NDArray

MAX_BYTES = 32 << 20
MAX_HELD_CHUNKS = 128
"""Mappings of chunks that are held for the next look at a series of their runs; each has an open file."""
HELD_BYTES = 32 << 20
"""Of all of these together. A larger chunk is mapped again at little cost beside reading it."""

Columns = dict[str, NDArray[Any]]


class ColumnCache:
    """The columns that were asked for last, up to ``MAX_BYTES``. For any number of threads and runs."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[object, tuple[int, int, Columns]] = OrderedDict()  # rows, bytes, columns
        self._bytes = 0
        self._last_increasing: NDArray[Any] | None = None  # the column that ``is_increasing`` was asked about last
        self._held: OrderedDict[object, tuple[int, NDArray[Any]]] = OrderedDict()  # by chunk, bytes and a column of it
        self._held_bytes = 0

    def hold_mapping(self, chunk: object, column: NDArray[Any], chunk_bytes: int) -> None:
        """Keep the mapping of a chunk, which else ends with the last use of ``column``."""
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
        """Whether each step is greater than the one before. Asked again about the same column, as by the series of a
        run, which often share one, it costs nothing.
        """
        if self._last_increasing is not step:
            if not bool((step[1:] > step[:-1]).all()):
                return False
            self._last_increasing = step
        return True

    def get(self, key: object, rows: int) -> Columns | None:
        """What was kept under ``key`` when the series had as many rows."""
        with self._lock:
            known = self._kept.get(key)
            if known is None or known[0] != rows:
                return None
            self._kept.move_to_end(key)
            return known[2]

    def put(self, key: object, rows: int, columns: Columns) -> Columns:
        """Keep and return ``columns``; the least recently used ones make room. What is larger than all is not kept."""
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
