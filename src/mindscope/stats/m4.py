# SPDX-License-Identifier: Apache-2.0
"""Reduction of a curve to what a screen can show, without losing an extreme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce as fold
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mindscope.stats._m4 import course, means, merge, pick
from mindscope.stats._pyramid import Pyramid
from mindscope.stats.chunked_array import ChunkedArray, Rows
from mindscope.stats.log_buckets import log_edges
from mindscope.stats.x_axis import Range, XAxis, sort_x

MEAN_PIXELS = 8
"""Pixels of the stretches whose means show the course of a noisy line."""
LEAST_FOR_MEAN = 64
"""Fewer rows are drawn as they are."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line over an ``XAxis``: ``y``, float32 or float64, at its indices.

    ``pyramid`` sums up the blocks of ``y``, which makes a reduction as quick as its pixels are few; None: without it.
    """

    y: ChunkedArray
    pyramid: Pyramid | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """The rows to draw, and facts about all in range.

    ``rows`` are row numbers by ascending x, a slice where nothing is left out between them. ``points`` counts the rows
    in range, the last three those of them where the first line is no number. While points are appended and the buckets
    stay as wide, the first ``settled`` rows stay what they are: later rows belong to the last bucket.

    ``mean`` is the course of the first line at ``rows``, without its noise: means of the finite values of stretches of
    the axis, at most ``MEAN_PIXELS`` wide, and what lies between their middles. None where it was not requested, and
    where there is less than one row for a pixel.
    """

    rows: Rows | slice
    mean: NDArray[np.float64] | None
    returned: int
    settled: int
    points: int
    is_reduced: bool
    nan: int
    positive_infinity: int
    negative_infinity: int


def m4(x: ArrayLike, y: ArrayLike, pixels: int, range: Range | None = None, log_origin: float | None = None) -> Rows:
    """Choose the rows that draw the same line on ``pixels`` columns as all rows do; row numbers in order of ``x``.

    ``x`` and ``y`` have shape (n,). The x axis is cut into buckets at most one column wide, whose edges are multiples
    of a power of two of the x unit, so that appended points never move an edge. Of each bucket the first, lowest,
    highest and last finite row are kept, and the first and last NaN, +Inf and -Inf, so that every gap and mark stays.
    ``range`` (inclusive, in units of x) chooses rows; the neighbors outside on either side are added, so that the
    line reaches the edge. When the rows in range are at most 4 a column, all are returned. Rows whose x is NaN are
    left out. Where ``x`` goes back, rows are taken in order of x, equal x in their given order.

    With ``log_origin`` the columns are even in the logarithm of ``x - log_origin``, and the edges of buckets are powers
    of two whose exponents are multiples of a power of two; rows without a logarithm are a bucket of their own.

    Raises ValueError when ``pixels`` is below 1 or the shapes differ.

    Source: Jugel et al., "M4: a visualization-oriented time series data aggregation", VLDB 2014.
    """
    positions, values = np.asarray(x), as_values(y)
    if positions.ndim != 1 or positions.shape != values.shape:
        raise ValueError(f"x has shape {positions.shape} and y {values.shape}, want two equal shapes (n,)")
    x_axis = sort_x(positions)
    line = Line(ChunkedArray([values if x_axis.order is None else values[x_axis.order]]))
    rows = reduce(x_axis, [line], pixels, range, log_origin).rows
    return np.arange(rows.start, rows.stop, dtype=np.int64) if isinstance(rows, slice) else rows


def reduce(
    x_axis: XAxis,
    lines: Sequence[Line],
    pixels: int,
    range: Range | None = None,
    log_origin: float | None = None,
    *,
    has_mean: bool = False,
) -> Reduction:
    """Choose the rows that draw every one of ``lines`` as ``m4`` says. Raises ValueError when ``pixels`` is below 1."""
    if pixels < 1:
        raise ValueError(f"pixels is {pixels}, want at least 1")
    start, stop = x_axis.bounds(range)
    is_reduced = stop - start > 4 * pixels
    edges = np.array([start, stop], np.int64)
    if is_reduced:
        edges = _edges(x_axis, start, stop, pixels, range, log_origin)
    picked = [pick(line.y.values(), edges, line.pyramid) for line in lines]
    first, last = max(start - 1, 0), min(stop + 1, x_axis.x.size)
    indexes: Rows | slice = slice(first, last)
    returned = settled = last - first
    if is_reduced:
        inside: Rows = fold(merge, [rows for rows, _ in picked])
        indexes = np.concatenate([np.arange(first, start), inside, np.arange(stop, last)])
        returned, settled = indexes.size, int(np.searchsorted(indexes, int(edges[-2])))
        is_reduced = inside.size < stop - start
    mean = None
    if has_mean and stop - start >= max(pixels, LEAST_FOR_MEAN):
        edges = _edges(x_axis, start, stop, max(1, pixels // MEAN_PIXELS), range, log_origin)
        mean, settled_mean = _mean_at(x_axis, lines[0], edges, indexes)
        settled = min(settled, settled_mean)
    rows = indexes if x_axis.order is None else x_axis.order[indexes]
    return Reduction(rows, mean, returned, settled, stop - start, is_reduced, *picked[0][1])


def _edges(x_axis: XAxis, start: int, stop: int, pixels: int, range: Range | None, log_origin: float | None) -> Rows:
    if log_origin is None:
        return x_axis.edges(start, stop, pixels, range)
    return log_edges(x_axis, start, stop, pixels, range, log_origin)


def _mean_at(x_axis: XAxis, line: Line, edges: Rows, indexes: Rows | slice) -> tuple[NDArray[np.float64], int]:
    """Return the course of a line at ``indexes`` by the means between ``edges``, and the number of settled values."""
    at = np.arange(indexes.start, indexes.stop, dtype=np.int64) if isinstance(indexes, slice) else indexes
    firsts, lasts, x = (x_axis.x.take(rows) for rows in (edges[:-1], edges[1:] - 1, indexes))
    y = line.y.values()
    return course(y, means(y, edges, line.pyramid), edges, firsts, lasts, at, x)


def as_values(y: ArrayLike) -> NDArray[Any]:
    """Return ``y`` as the compiled loops take it: float32 as it is and everything else as float64, without gaps."""
    given = np.asarray(y)
    return np.ascontiguousarray(given, np.float32 if given.dtype == np.float32 else np.float64)
