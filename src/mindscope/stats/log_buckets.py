# SPDX-License-Identifier: Apache-2.0
"""The columns of a screen whose x axis is logarithmic."""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import NDArray

from mindscope.stats.chunked_array import ChunkedArray, Rows
from mindscope.stats.x_axis import Range, XAxis

INT64 = np.iinfo(np.int64)


def log_edges(x_axis: XAxis, start: int, stop: int, pixels: int, range: Range | None, log_origin: float) -> Rows:
    """Return the first index of each bucket of the indexes ``start`` to ``stop``, then ``stop``.

    What is drawn is the logarithm of ``x - log_origin``, x being in the units of ``range``. A bucket is at most a
    column of the screen wide, and lies between two powers of two whose exponents are multiples of a power of two, so
    that appended points never move an edge. All x that have no logarithm are one bucket, infinite ones another.
    """
    zero = x_axis.origin + log_origin
    first = min(max(start, x_axis.find(zero, 0.0, True)), stop)
    with np.errstate(over="ignore"):
        limits = zero + _limits(x_axis, first, stop, pixels, range, log_origin)
    indexes = _count_below(x_axis.x, first, stop, limits)
    return np.unique(np.concatenate([np.array([start, first, stop], np.int64), indexes]))


def _limits(
    x_axis: XAxis, first: int, stop: int, pixels: int, range: Range | None, log_origin: float
) -> NDArray[np.float64]:
    """Return the starts of buckets, less the origins, for the positive x with the indices ``first`` to ``stop``."""
    low, high = _shown(x_axis, first, stop, range, log_origin)
    if not 0.0 < low < high:
        return np.array([math.inf])
    column = (math.log2(high) - math.log2(low)) / pixels
    width = math.ldexp(0.5, math.frexp(column)[1]) if column > 0.0 else 1.0
    exponents = np.arange(math.floor(math.log2(low) / width), math.ceil(math.log2(high) / width) + 1) * width
    return np.append(np.exp2(np.minimum(exponents, 1023.0)), math.inf)


def _shown(x_axis: XAxis, first: int, stop: int, range: Range | None, log_origin: float) -> tuple[float, float]:
    """Return the lowest and highest x of the screen that have a logarithm, less the origins; 0 without any."""
    last = min(stop, x_axis.find(0.0, math.inf, False)) - 1
    if last < first:
        return 0.0, 0.0
    zero = x_axis.origin + log_origin
    low, high = float(x_axis.x.at(first)) - zero, float(x_axis.x.at(last)) - zero
    if range is not None:
        low, high = max(min(range) - log_origin, 0.0) or low, max(range) - log_origin
    return min(low, sys.float_info.max), min(high, sys.float_info.max)


def _count_below(x: ChunkedArray, start: int, stop: int, limits: NDArray[np.float64]) -> Rows:
    """Return for each limit the first index, from ``start`` on, whose x is at least as large; x ascends."""
    indexes = np.full(limits.size, start, np.int64)
    for _, piece in x.pieces(start, stop):
        # limits of the type of the column: a column of whole numbers would be copied to be compared with others
        indexes += np.searchsorted(piece, _whole(limits) if piece.dtype == np.int64 else limits, "left")
    return indexes


def _whole(limits: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the smallest whole numbers that are not below the limits."""
    whole = np.full(limits.size, INT64.max, np.int64)
    is_inside = limits < float(INT64.max)
    whole[is_inside] = np.ceil(np.maximum(limits[is_inside], float(INT64.min))).astype(np.int64)
    return whole
