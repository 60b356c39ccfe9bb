# SPDX-License-Identifier: Apache-2.0
"""Histograms over steps: as many rows as a view has room for, with every count in one of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mindscope.types import Histogram

Floats = NDArray[np.float64]
Bins = NDArray[np.intp]


def group_steps(start: int, stop: int, rows: int) -> list[slice]:
    """Divide the histograms ``start`` to ``stop`` of a series into at most ``rows`` groups of neighbors.

    A group holds 2^k of them and begins at a multiple of that in the series, so that it stays as it is while others are
    appended, until their number has doubled; the first and the last group hold what of that is in range. Raises
    ValueError when ``rows`` is below 2.
    """
    if rows < 2:
        raise ValueError(f"rows is {rows}, want at least 2")
    size = 1
    while start < stop and (stop - 1) // size - start // size >= rows:
        size *= 2
    first = start // size * size
    return [slice(max(index, start), min(index + size, stop)) for index in range(first, stop, size)]


def merge_histograms(histograms: Sequence[Histogram], buckets: int) -> Histogram:
    """Return one histogram of all that several counted, in at most ``buckets`` buckets; the sum of the counts stays.

    The buckets of each must ascend; there may be gaps between them. An infinite edge becomes the largest number.
    The edges are edges of the given ones; where those are too many, every so-many-th in order of their values. A bucket
    that an edge of another one cuts is chunked as if its values were spread evenly in it; one without a width is never
    chunked. Raises ValueError when ``buckets`` is below 1 or there is no histogram.
    """
    if buckets < 1:
        raise ValueError(f"buckets is {buckets}, want at least 1")
    if not histograms:
        raise ValueError("histograms are none, want at least one")
    histograms = [_with_finite_edges(histogram) for histogram in histograms]
    edges = _edges(histograms, buckets)
    counts = _counts_between(edges, histograms)
    seen = [histogram for histogram in histograms if histogram.count.size]
    return Histogram(
        left=edges[:-1],
        right=edges[1:],
        count=counts,
        minimum=min((histogram.minimum for histogram in seen), default=histograms[0].minimum),
        maximum=max((histogram.maximum for histogram in seen), default=histograms[0].maximum),
        sum=sum(histogram.sum for histogram in histograms),
        total=sum(histogram.total for histogram in histograms),
        nan_count=sum(histogram.nan_count for histogram in histograms),
        positive_infinity_count=sum(histogram.positive_infinity_count for histogram in histograms),
        negative_infinity_count=sum(histogram.negative_infinity_count for histogram in histograms),
    )


def _with_finite_edges(histogram: Histogram) -> Histogram:
    if np.isfinite(histogram.left).all() and np.isfinite(histogram.right).all():
        return histogram
    largest = sys.float_info.max
    left, right = (np.clip(side, -largest, largest) for side in (histogram.left, histogram.right))
    return replace(histogram, left=left, right=right)


def _edges(histograms: Sequence[Histogram], buckets: int) -> Floats:
    """Return ascending edges that cover every bucket: none without a bucket, else two or more."""
    edges = np.unique(np.concatenate([side for histogram in histograms for side in (histogram.left, histogram.right)]))
    if edges.size == 1:
        return np.repeat(edges, 2)  # one bucket without a width
    if edges.size <= buckets + 1:
        return edges
    return edges[np.linspace(0, edges.size - 1, buckets + 1).round().astype(np.intp)]


def _counts_between(edges: Floats, histograms: Sequence[Histogram]) -> Floats:
    """Return the counts of all histograms between each two ``edges``, shape (len(edges) - 1,).

    The edges cover every bucket.
    """
    bins = max(edges.size - 1, 0)
    left, right, count = (
        np.concatenate([np.asarray(getattr(histogram, name), np.float64) for histogram in histograms])
        for name in ("left", "right", "count")
    )
    first = np.minimum(np.searchsorted(edges, left, "right") - 1, bins - 1)  # bin in which a bucket begins
    last = np.where(right > left, np.searchsorted(edges, right, "left") - 1, first)
    is_whole = last == first
    counts = np.bincount(first[is_whole], count[is_whole], bins).astype(np.float64)
    return counts + _parted(
        edges, left[~is_whole], right[~is_whole], count[~is_whole], first[~is_whole], last[~is_whole]
    )


def _parted(edges: Floats, left: Floats, right: Floats, count: Floats, first: Bins, last: Bins) -> Floats:
    """Return buckets that reach from bin ``first`` to another bin ``last``, spread evenly."""
    pieces = last - first + 1
    of = np.repeat(np.arange(count.size), pieces)
    bin = np.arange(of.size) - np.repeat(np.cumsum(pieces) - pieces, pieces) + first[of]
    low, high = np.maximum(edges[bin], left[of]), np.minimum(edges[bin + 1], right[of])
    # A quarter of the largest numbers, so that no difference of two of them overflows.
    scale = np.where(np.maximum(abs(left), abs(right)) > 1e307, 0.25, 1.0)
    share = (high * scale[of] - low * scale[of]) / (right * scale - left * scale)[of]
    return np.bincount(bin, count[of] * share, max(edges.size - 1, 0)).astype(np.float64)
