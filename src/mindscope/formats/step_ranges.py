# SPDX-License-Identifier: Apache-2.0
"""Shares one column in memory between series whose steps are the same evenly spaced range, as in most runs."""

from __future__ import annotations

from threading import Lock
from weakref import ref

import numpy as np
from numpy.typing import NDArray

MIN_ROWS = 256
"""Shorter series store their steps."""
MAX_SHARED_ROWS = 1 << 20
"""A longer column is not shared: a short slice of it would keep all of it in memory."""
ROUNDED_ROWS = 1 << 12
MAX_COLUMNS = 1 << 10
"""Above this count, ``StepRanges`` removes entries whose columns are gone."""

Key = tuple[int, int]
"""Stride, and the first step modulo the stride."""


class StepRanges:
    """Returns ``first, first + stride, ..`` as slices of shared columns; a column lives as long as one of its slices.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._columns: dict[Key, ref[NDArray[np.int64]]] = {}
        self._last: tuple[tuple[int, int, int], NDArray[np.int64]] | None = None  # the series of a run often agree

    def column(self, first: int, stride: int, count: int) -> NDArray[np.int64]:
        """Return a read-only column of shape (count,), usually a slice of an existing one. ``stride`` is at least 1."""
        wanted, last = (first, stride, count), self._last
        if last is None or last[0] != wanted:
            last = self._last = wanted, self._find(first, stride, count)
        return last[1]

    def _find(self, first: int, stride: int, count: int) -> NDArray[np.int64]:
        key = stride, first % stride
        with self._lock:
            known = self._columns[key]() if key in self._columns else None
            start = 0 if known is None else (first - int(known[0])) // stride
            if known is None or start < 0 or start + count > known.size:
                if start < 0 or start + count > MAX_SHARED_ROWS:
                    return _column(first, stride, count)
                known = self._make(key, first - start * stride, -(-(start + count) // ROUNDED_ROWS) * ROUNDED_ROWS)
            return known[start : start + count]

    def _make(self, key: Key, first: int, count: int) -> NDArray[np.int64]:
        if len(self._columns) >= MAX_COLUMNS:
            self._columns = {key: column for key, column in self._columns.items() if column() is not None}
        made = _column(first, key[0], count)
        self._columns[key] = ref(made)
        return made


def step_range_of(steps: NDArray[np.int64]) -> tuple[int, int] | None:
    """Return first step and stride of a column that ``StepRanges`` can make; None if the column must be stored."""
    if not MIN_ROWS <= steps.size <= MAX_SHARED_ROWS:
        return None
    first, stride = int(steps[0]), int(steps[1]) - int(steps[0])
    last = first + (steps.size - 1) * stride
    if stride < 1 or int(steps[-1]) != last or not bool((steps[1:] - steps[:-1] == stride).all()):
        return None
    return first, stride


def _column(first: int, stride: int, count: int) -> NDArray[np.int64]:
    column = np.arange(first, first + stride * count, stride, dtype=np.int64)
    column.flags.writeable = False
    return column
