# SPDX-License-Identifier: Apache-2.0
"""Smoothing whose memory is a stretch of the x axis, whatever the spacing of the points."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mindscope.stats.expression import Column

FORGOTTEN = 50.0
"""Half-lives after which nothing is left: 2^-50 of a value is below the last bits of a float64."""
STRETCH = 500.0
"""Half-lives that are summed up at once: 2^500 leaves room in float64 for any value that is logged."""


def smooth_half_life(x: ArrayLike, value: ArrayLike, half_life: float) -> NDArray[np.float64]:
    """Smooth ``value`` over ``x``, both of shape (n,), by a debiased exponential average; ``x`` must not go back.

    Entry i is ``sum(w * value[j]) / sum(w)`` over all finite entries j <= i, where ``w`` is
    ``2**((x[j] - x[i]) / half_life)``: what lies a half-life back counts half. NaN and infinities come out as they went
    in and leave no trace. No entry depends on a later one. ``half_life`` is in units of ``x``.

    Raises ValueError when ``half_life`` is not above 0: give a stretch of the axis, such as 100 steps.
    """
    if not half_life > 0.0:
        raise ValueError(f"half-life is {half_life}, want a stretch of the axis above 0")
    values: NDArray[np.float64] = np.asarray(value, np.float64)
    smoothed = np.array(values)
    finite = np.flatnonzero(np.isfinite(values))
    if finite.size:
        smoothed[finite] = _average(_age(np.asarray(x, np.float64)[finite], half_life), values[finite])
    return smoothed


def _age(x: Column, half_life: float) -> NDArray[np.float64]:
    """Return half-lives since the first point. A gap in which everything is forgotten counts as no longer than that."""
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.diff(x) / half_life
    gaps = np.nan_to_num(np.clip(gaps, 0.0, FORGOTTEN), nan=0.0)
    return np.concatenate([[0.0], np.cumsum(gaps)])


def _average(age: Column, values: Column) -> NDArray[np.float64]:
    """Return the averages, a stretch at a time, so that the powers of two stay in range."""
    averages = np.empty(values.size)
    total, weight, start = 0.0, 0.0, 0
    while start < values.size:
        stop = max(start + 1, int(np.searchsorted(age, age[start] + STRETCH, "right")))
        grown = np.exp2(age[start:stop] - age[start])
        totals = total + np.cumsum(grown * values[start:stop])
        weights = weight + np.cumsum(grown)
        averages[start:stop] = totals / weights
        if stop < values.size:
            left = np.exp2(age[start] - age[stop])
            total, weight = totals[-1] * left, weights[-1] * left
        start = stop
    return averages
