# SPDX-License-Identifier: Apache-2.0
"""Measures how the magnitude of a tensor grew over the steps before it overflowed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.first_bad.result import Growth
from mindscope.debug.model.array_statistics import FLOAT_LIMITS
from mindscope.debug.model.fields import Field
from mindscope.debug.model.source import DebugSource

MOST_STEPS = 1000
"""The largest number of steps of the fit; growth that overflows a float16 is faster."""
_LEAST_STEPS = 4
_LEAST_FIT = 0.95
"""Share of the variance that a straight line must explain."""


def growth_of(source: DebugSource, tensor: int, rank: int, last_step: int) -> Growth | None:
    """Return the growth of max |x| of a tensor up to a step: an exponential fit of the longest straight end of its
    curve.

    None if fewer than 4 steps were recorded, or it did not at least double.
    """
    steps, largest = source.history([tensor], Field.MAX, rank)
    _, least = source.history([tensor], Field.MIN, rank)
    magnitude = np.fmax(np.abs(largest[:, 0]), np.abs(least[:, 0]))
    is_until = steps <= last_step
    return fit_growth(steps[is_until], magnitude[is_until], source.tensors[tensor].dtype, tensor)


def fit_growth(steps: NDArray[np.int64], magnitude: NDArray[np.float64], dtype: str, tensor: int = -1) -> Growth | None:
    """Return the growth of magnitudes over ascending steps; those that are zero or not finite do not count."""
    is_used = np.isfinite(magnitude) & (magnitude > 0)
    steps, magnitude = steps[is_used][-MOST_STEPS:], magnitude[is_used][-MOST_STEPS:]
    if len(steps) < _LEAST_STEPS:
        return None
    logs = np.log2(magnitude)
    slope, fit = _suffix_fits(steps.astype(np.float64), logs)
    doublings = np.minimum(slope * (steps[-1] - steps), logs[-1] - logs)
    starts = np.flatnonzero((fit >= _LEAST_FIT) & (doublings >= 1) & (np.arange(len(steps))[::-1] >= _LEAST_STEPS - 1))
    if not starts.size:
        return None
    start = int(starts[0])
    limit = FLOAT_LIMITS.get(dtype, (np.inf, 0.0))[0]
    return Growth(
        tensor, int(steps[start]), float(2 ** slope[start]), float(magnitude[start]), int(steps[-1]),
        float(magnitude[-1]), dtype, limit,
    )  # fmt: skip


def _suffix_fits(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slope and explained variance of a line through the points from each one on, by sums from the end."""
    x, y = x - x[-1], y - y[-1]
    count = np.arange(len(x), 0, -1)
    total_x, total_y, total_xx, total_xy, total_yy = (
        np.cumsum(each[::-1])[::-1] for each in (x, y, x * x, x * y, y * y)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x = total_xx - total_x**2 / count
        spread_y = total_yy - total_y**2 / count
        together = total_xy - total_x * total_y / count
        slope = together / spread_x
        fit = together**2 / (spread_x * spread_y)
    return np.nan_to_num(slope), np.nan_to_num(fit)
