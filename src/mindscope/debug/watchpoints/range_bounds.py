# SPDX-License-Identifier: Apache-2.0
"""Bounds how many elements of a tensor lie in a range, by what its statistics prove."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import COLUMN, Field

Column = NDArray[np.float64]
_ROUNDING = 1e-5
"""Share of the squares of the largest magnitude that sums in float32 may be off."""


def range_bounds(values: Column, start: float, end: float) -> tuple[Column, Column]:
    """Return the percentage of elements in [start, end]: at least, and at most.

    Args:
        values: rows of statistics of tensors without NaN and infinity, shape (rows, fields).
        start: lower end of the range, included.
        end: upper end, included.

    Returns:
        Two arrays of shape (rows,), equal where the statistics decide; NaN without count, minimum or maximum.
    """
    count, least, most = (values[:, COLUMN[each]] for each in (Field.COUNT, Field.MIN, Field.MAX))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        all_inside = (start <= least) & (most <= end)
        none_inside = (most < start) | (least > end)
        low, high = _bounds_by_sign(values, start, end)
        low = np.fmax(np.fmax(low, _least_by_variance(values, start, end)), 0)
        low = np.where(all_inside, count, np.where(none_inside, 0, low))
        high = np.where(none_inside, 0, np.where(all_inside, count, np.fmin(high, count)))
        is_unknown = np.isnan(count) | np.isnan(least) | np.isnan(most)
        scale = np.where(is_unknown, np.nan, 100 / count)
        return np.minimum(low, high) * scale, high * scale


def _bounds_by_sign(values: Column, start: float, end: float) -> tuple[Column, Column]:
    """Return bounds from the elements below, at and above zero: each group is inside, outside, or not known."""
    least, most = values[:, COLUMN[Field.MIN]], values[:, COLUMN[Field.MAX]]
    below, zero, above = (values[:, COLUMN[each]] for each in (Field.BELOW_ZERO, Field.ZERO, Field.ABOVE_ZERO))
    low = below * ((start <= least) & (end >= 0)) + above * ((start <= 0) & (most <= end))
    high = below * ~((start >= 0) | (end < least)) + above * ~((end <= 0) | (start > most))
    zeros = zero * (start <= 0 <= end)
    return low + zeros, high + zeros


def _least_by_variance(values: Column, start: float, end: float) -> Column:
    """Return how many elements are inside at least, by the sum of (x - min)(max - x), small only near the extremes.

    Outside of the range each element adds at most the larger value at the two ends, inside at most the peak in the
    middle.
    """
    count, least, most = (values[:, COLUMN[each]] for each in (Field.COUNT, Field.MIN, Field.MAX))
    total, squares = values[:, COLUMN[Field.SUM]], values[:, COLUMN[Field.SUM_SQUARES]]
    middle, peak = (least + most) / 2, np.square(most - least) / 4
    products = (least + most) * total - squares - count * least * most
    products = products - _ROUNDING * count * np.square(np.maximum(np.abs(least), np.abs(most)))
    left = np.where(start <= least, 0, np.where(start < middle, (start - least) * (most - start), peak))
    right = np.where(end >= most, 0, np.where(end > middle, (end - least) * (most - end), peak))
    outside = np.maximum(left, right)
    return np.floor((products - count * outside) / (peak - outside))
