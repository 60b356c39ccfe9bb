# SPDX-License-Identifier: Apache-2.0
"""Smoothing over all points of a series, before any reduction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from mindscope.stats._smoothing import RunningAverage
from mindscope.stats.chunked_array import ChunkedArray
from mindscope.stats.m4 import as_values

GROWTH = 4
"""There is room for a quarter more rows whenever there is none left."""


def smooth(value: ArrayLike, weight: float) -> NDArray[Any]:
    """Smooth ``value``, shape (n,), by a debiased exponential average; float32 stays, all else becomes float64.

    Entry i is ``sum(weight**(i-j) * value[j]) / sum(weight**(i-j))`` over all finite entries j <= i, where the distance
    counts finite entries only: the meaning of TensorBoard's slider. NaN and infinities come out as they went in and
    leave no trace in their neighbors. ``weight`` 0 returns the values themselves, and so does a series for as long as
    it is constant. No entry depends on a later one.

    Raises ValueError when ``weight`` is outside [0, 1): 1 would never forget, choose 0.999 or less.
    """
    values = as_values(value)
    return SmoothedColumn(weight, values.dtype).extend(ChunkedArray([values])).joined()


class SmoothedColumn:
    """A smoothed series that grows with its values. What it returned stays as it is; one thread at a time.

    ``dtype`` is float32 or float64. Raises ValueError when ``weight`` is outside [0, 1).
    """

    def __init__(self, weight: float, dtype: DTypeLike = np.float32) -> None:
        if not 0.0 <= weight < 1.0:
            raise ValueError(f"smoothing weight is {weight}, want 0 <= weight < 1")
        self._average = RunningAverage(weight)
        self._full: list[NDArray[Any]] = []  # rows that were smoothed first, in their order
        self._last: NDArray[Any] = np.empty(0, dtype)  # the rows after them, then room to grow
        self._used = 0  # rows of _last
        self._length = 0  # rows of all

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        return sum(part.nbytes for part in self._full) + self._last.nbytes

    def extend(self, value: ChunkedArray) -> ChunkedArray:
        """Smooth all of ``value``, of the dtype given; the rows of the last call are unchanged and not read again.

        Any sequence of calls gives the same as a single one, to the bit.
        """
        self._reserve(value.size - self._length)
        for _, piece in value.pieces(self._length, value.size):
            self._append(piece)
        smoothed = ChunkedArray([*self._full, self._last[: self._used]])
        for part in smoothed.parts:
            part.flags.writeable = False
        return smoothed

    def _append(self, piece: NDArray[Any]) -> None:
        """Smooth values for which there is room."""
        stop = self._used + piece.size
        self._average.smooth(piece, self._last[self._used : stop])
        self._used = stop
        self._length += piece.size

    def _reserve(self, count: int) -> None:
        """Reserve room for ``count`` more rows; moves none of the present ones."""
        if count <= self._last.size - self._used:
            return
        if self._used:
            self._full.append(self._last[: self._used])
        self._last = np.empty(max(count, self._length // GROWTH), self._last.dtype)
        self._used = 0
