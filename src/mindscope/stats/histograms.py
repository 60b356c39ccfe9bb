# SPDX-License-Identifier: Apache-2.0
"""Histograms over steps: as many rows as a view has room for, with every count in one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.types import Histogram

Floats = NDArray[np.float64]


def group_steps(count: int, rows: int) -> list[slice]:
    """Part ``count`` histograms in at most ``rows`` groups of neighbours.

    A group holds 2^k of them and begins at a multiple of that, so that it stays as it is while others are appended,
    until their number has doubled; the last group holds what is left. Raises ValueError when ``rows`` is below 1.
    """
    if rows < 1:
        raise ValueError(f"rows is {rows}, want at least 1")
    size = 1
    while -(-count // size) > rows:
        size *= 2
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def merge_histograms(histograms: Sequence[Histogram], buckets: int) -> Histogram:
    """One histogram of all that several counted, in at most ``buckets`` buckets; the sum of the counts stays.

    The buckets of each must ascend and have finite edges; there may be gaps between them.
    The edges are edges of the given ones; where those are too many, every so-many-th in order of their values. A bucket
    that an edge of another one cuts is parted as if its values were spread evenly in it; one without a width is never
    parted. Raises ValueError when ``buckets`` is below 1 or there is no histogram.
    """
    if buckets < 1:
        raise ValueError(f"buckets is {buckets}, want at least 1")
    if not histograms:
        raise ValueError("histograms are none, want at least one")
    edges = _edges(histograms, buckets)
    counts = np.zeros(max(edges.size - 1, 0))
    for histogram in histograms:
        counts += _counts_between(edges, histogram)
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


def _edges(histograms: Sequence[Histogram], buckets: int) -> Floats:
    """Ascending edges that cover every bucket: none without a bucket, else two or more."""
    edges = np.unique(np.concatenate([side for each in histograms for side in (each.left, each.right)]))
    if edges.size == 1:
        return np.repeat(edges, 2)  # one bucket without a width
    if edges.size <= buckets + 1:
        return edges
    return edges[np.linspace(0, edges.size - 1, buckets + 1).round().astype(np.intp)]


def _counts_between(edges: Floats, histogram: Histogram) -> Floats:
    """How much of ``histogram`` lies between each two ``edges``, shape (len(edges) - 1,)."""
    if histogram.count.size == 0:
        return np.zeros(max(edges.size - 1, 0))
    left, right, count = histogram.left, histogram.right, histogram.count
    is_wide = right > left
    counts = _parted(edges, left[is_wide], right[is_wide], count[is_wide])
    narrow = np.searchsorted(edges, left[~is_wide], "right") - 1
    np.add.at(counts, np.minimum(narrow, counts.size - 1), count[~is_wide])
    return counts


def _parted(edges: Floats, left: Floats, right: Floats, count: Floats) -> Floats:
    if count.size == 0:
        return np.zeros(edges.size - 1)
    bucket = np.maximum(np.searchsorted(left, edges, "right") - 1, 0)  # the last one that begins at or below an edge
    left, right = left[bucket], right[bucket]
    # A quarter of the largest numbers, so that no difference of two of them overflows.
    scale = np.where(np.maximum(abs(left), abs(right)) > 1e307, 0.25, 1.0)
    share = (np.clip(edges, left, right) * scale - left * scale) / (right * scale - left * scale)
    below = np.cumsum(count)[bucket] - count[bucket] * (1.0 - share)
    return np.maximum(np.diff(below), 0.0)
