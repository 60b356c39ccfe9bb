# SPDX-License-Identifier: Apache-2.0
"""Smoothing over all points of a series, before any reduction."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray


def smooth(value: ArrayLike, weight: float) -> NDArray[np.float64]:
    """Smooth ``value``, shape (n,), by a debiased exponential average; the result is float64 of shape (n,).

    Entry i is ``sum(weight**(i-j) * value[j]) / sum(weight**(i-j))`` over all finite entries j <= i, where the distance
    counts finite entries only: the meaning of TensorBoard's slider. NaN and infinities come out as they went in and
    leave no trace in their neighbours. ``weight`` 0 returns the values themselves, and so does a constant series.

    Raises ValueError when ``weight`` is outside [0, 1): 1 would never forget, choose 0.999 or less.
    """
    if not 0.0 <= weight < 1.0:
        raise ValueError(f"smoothing weight is {weight}, want 0 <= weight < 1")
    smoothed = np.array(value, dtype=np.float64)
    finite = np.isfinite(smoothed)
    known = smoothed[finite]
    if weight > 0.0 and known.size and np.any(known != known[0]):
        smoothed[finite] = _debiased(known, weight)
    return smoothed


def _debiased(known: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
    total = np.array(known, dtype=np.float64)
    for distance, factor in _doublings(weight, known.size):
        # The right side is evaluated in full before it is stored, so every entry takes its partner's old sum.
        total[distance:] = total[distance:] + factor * total[:-distance]
    weights: NDArray[np.float64] = -np.expm1(np.arange(1, known.size + 1) * math.log(weight)) / (1.0 - weight)
    return total / weights


def _doublings(weight: float, size: int) -> Iterator[tuple[int, float]]:
    """Distances 1, 2, 4, ... with their factors: after 2**k, a sum spans 2**(k+1) entries (Hillis, Steele 1986)."""
    distance, factor = 1, weight
    while distance < size and factor >= sys.float_info.min:
        yield distance, factor
        distance, factor = distance * 2, factor * factor
