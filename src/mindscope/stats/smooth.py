# SPDX-License-Identifier: Apache-2.0
"""Smoothing over all points of a series, before any reduction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from mindscope.stats._reduce import RunningAverage
from mindscope.stats.m4 import as_values


def smooth(value: ArrayLike, weight: float) -> NDArray[Any]:
    """Smooth ``value``, shape (n,), by a debiased exponential average; float32 stays, all else becomes float64.

    Entry i is ``sum(weight**(i-j) * value[j]) / sum(weight**(i-j))`` over all finite entries j <= i, where the distance
    counts finite entries only: the meaning of TensorBoard's slider. NaN and infinities come out as they went in and
    leave no trace in their neighbours. ``weight`` 0 returns the values themselves, and so does a series for as long as
    it is constant. No entry depends on a later one.

    Raises ValueError when ``weight`` is outside [0, 1): 1 would never forget, choose 0.999 or less.
    """
    values = as_values(value)
    return SmoothedColumn(weight, values.dtype).extend(values)


class SmoothedColumn:
    """A smoothed series that grows with its values. What it returned stays as it is; one thread at a time.

    ``dtype`` is float32 or float64. Raises ValueError when ``weight`` is outside [0, 1).
    """

    def __init__(self, weight: float, dtype: DTypeLike = np.float32) -> None:
        if not 0.0 <= weight < 1.0:
            raise ValueError(f"smoothing weight is {weight}, want 0 <= weight < 1")
        self._average = RunningAverage(weight)
        self._buffer: NDArray[Any] = np.empty(0, dtype)  # rows behind _length are room to grow
        self._length = 0

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        return self._buffer.nbytes

    def extend(self, value: NDArray[Any]) -> NDArray[Any]:
        """Smooth all of ``value``, shape (n,) of the dtype given, whose rows of the last call are unchanged.

        Any sequence of calls gives the same as a single one, to the bit.
        """
        self._reserve(value)
        self._average.smooth(value[self._length :], self._buffer[self._length : value.size])
        self._length = value.size
        smoothed = self._buffer[: self._length]
        smoothed.flags.writeable = False
        return smoothed

    def _reserve(self, value: NDArray[Any]) -> None:
        if value.size <= self._buffer.size:
            return
        room = value.size if self._length == 0 else max(value.size, self._buffer.size + self._buffer.size // 2)
        grown = np.empty(room, self._buffer.dtype)
        grown[: self._length] = self._buffer[: self._length]
        self._buffer = grown
