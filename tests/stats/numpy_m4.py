# SPDX-License-Identifier: Apache-2.0
"""M4 as numpy states it: what the compiled reduction has to agree with, row by row."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows = NDArray[np.intp]


def numpy_m4(
    x: ArrayLike, y: ArrayLike, pixels: int, range: tuple[float, float] | None = None, log_origin: float | None = None
) -> Rows:
    x = np.asarray(x, dtype=np.float64)
    y = np.asarray(y)
    order = _order(x)
    sorted_x = x if order is None else x[order]
    start, stop = _bounds(sorted_x, range)
    shown_y = (y if order is None else y[order])[start:stop]
    shown_x = sorted_x[start:stop]
    if log_origin is None:
        bucket = _buckets(shown_x, _span(shown_x, range) / pixels)
    else:
        bucket = _log_buckets(shown_x, pixels, range, log_origin)
    inside = _reduce(bucket, shown_y, pixels) + start
    kept = _with_neighbors(inside, start, stop, sorted_x.size)
    return kept if order is None else order[kept]


def _order(x: NDArray[np.float64]) -> Rows | None:
    """The rows by ascending x without NaN, None when they already are."""
    if x.size < 2 or bool(np.all(x[1:] >= x[:-1])):
        return None if not np.isnan(x).any() else np.flatnonzero(~np.isnan(x))
    order = np.argsort(x, kind="stable")
    return order[: x.size - int(np.isnan(x).sum())]


def _bounds(x: NDArray[np.float64], range: tuple[float, float] | None) -> tuple[int, int]:
    if range is None:
        return 0, x.size
    return int(np.searchsorted(x, range[0], "left")), int(np.searchsorted(x, range[1], "right"))


def _with_neighbors(inside: Rows, start: int, stop: int, size: int) -> Rows:
    left = [start - 1] if start > 0 else []
    right = [stop] if stop < size else []
    return np.concatenate([np.array(left, np.intp), inside, np.array(right, np.intp)])


def _span(x: NDArray[np.float64], range: tuple[float, float] | None) -> float:
    """How much of x the screen shows, 0 when that is one place."""
    finite = x[np.isfinite(x)]
    low, high = range if range is not None else (finite[0], finite[-1]) if finite.size else (0.0, 0.0)
    span = float(high) - float(low)
    return min(span, sys.float_info.max)


def _reduce(bucket: NDArray[Any], y: NDArray[Any], pixels: int) -> Rows:
    if y.size <= 4 * pixels:
        return np.arange(y.size, dtype=np.intp)
    starts = np.concatenate([np.zeros(1, np.intp), np.flatnonzero(bucket[1:] != bucket[:-1]) + 1])
    marks = [_first_and_last(rows, starts) for rows in _groups(y)]
    finite = np.where(np.isfinite(y), y, np.nan)
    extremes = [_first_equal(finite, starts, np.fmin), _first_equal(finite, starts, np.fmax)]
    # The ends of the data are kept even where they are in no group of their own, as when x has infinities.
    return np.unique(np.concatenate([*marks, *extremes, np.array([0, y.size - 1], np.intp)]))


def _buckets(x: NDArray[np.float64], column: float) -> NDArray[Any]:
    """The bucket of each row; ``column`` is the width of a screen column in units of x."""
    width = math.ldexp(0.5, math.frexp(column)[1]) if column > 0.0 else 1.0
    return np.floor(x / width)


def _log_buckets(
    x: NDArray[np.float64], pixels: int, range: tuple[float, float] | None, log_origin: float
) -> NDArray[Any]:
    """The bucket of each row on a logarithmic axis: one for all that has no logarithm, one for what is infinite."""
    positive = x[np.isfinite(x) & (x - log_origin > 0)] - log_origin
    low, high = (positive[0], positive[-1]) if positive.size else (0.0, 0.0)
    if range is not None and positive.size:
        low, high = range[0] - log_origin if range[0] > log_origin else low, range[1] - log_origin
    octaves = math.log2(high) - math.log2(low) if 0 < low < high else 0.0
    limits = [math.inf]
    if octaves > 0:
        width = math.ldexp(0.5, math.frexp(octaves / pixels)[1])
        first, last = math.floor(math.log2(low) / width), math.ceil(math.log2(high) / width)
        limits += [2.0 ** min(power * width, 1023.0) for power in np.arange(first, last + 1)]
    beyond = np.sum(x[:, None] >= log_origin + np.array(limits), axis=1)
    return np.where(x - log_origin > 0, beyond, -1)


def _groups(y: NDArray[Any]) -> tuple[Rows, Rows, Rows, Rows]:
    """Rows that are finite, NaN, +Inf, -Inf."""
    return (
        np.flatnonzero(np.isfinite(y)),
        np.flatnonzero(np.isnan(y)),
        np.flatnonzero(np.isposinf(y)),
        np.flatnonzero(np.isneginf(y)),
    )


def _first_and_last(rows: Rows, starts: Rows) -> Rows:
    """The first and last of ``rows`` in each bucket."""
    if rows.size == 0:
        return rows
    bucket = np.searchsorted(starts, rows, "right")
    edge = np.flatnonzero(bucket[1:] != bucket[:-1])
    return np.concatenate([rows[:1], rows[edge], rows[edge + 1], rows[-1:]])


def _first_equal(y: NDArray[Any], starts: Rows, extreme: np.ufunc) -> Rows:
    """The first row of each bucket that equals its extreme; none for a bucket without a finite row."""
    best = extreme.reduceat(y, starts)
    lengths = np.diff(np.append(starts, y.size))
    rows = np.flatnonzero(y == np.repeat(best, lengths))
    bucket = np.searchsorted(starts, rows, "right")
    return rows[np.concatenate([np.ones(min(rows.size, 1), bool), bucket[1:] != bucket[:-1]])]
