# SPDX-License-Identifier: Apache-2.0
"""Checks of histograms: gradients that vanish or explode, activations that are dead."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from statistics import median

import numpy as np

from mindscope.alerts.alert import Finding
from mindscope.alerts.episodes import Episodes, SeriesRows
from mindscope.alerts.parameters import Parameters
from mindscope.types import Histogram

REMEMBERED = 100
LEAST_REMEMBERED = 5
"""Earlier histograms that define the usual range."""

Judge = Callable[[Histogram], tuple[bool, float]]
"""Whether a histogram is wrong, and the number that says so."""


class HistogramCheck:
    """Judges histograms one by one; ``lasting`` wrong ones in a row make an episode, and as many right ones end it."""

    def __init__(self, judge: Judge, lasting: int) -> None:
        self._judge = judge
        self._episodes = Episodes(lasting, calm=lasting)

    @property
    def findings(self) -> Sequence[Finding]:
        return self._episodes.findings

    def add(self, step: int, wall_time: float, histogram: Histogram) -> None:
        """Take in the next histogram."""
        is_wrong, value = self._judge(histogram)
        row = SeriesRows(np.array([step]), np.array([wall_time]), np.array([value]))
        self._episodes.extend(row, np.array([is_wrong]))


def vanishing(parameters: Parameters) -> HistogramCheck:
    """Return gradients that vanish: even the largest is nearly zero."""

    def judge(histogram: Histogram) -> tuple[bool, float]:
        largest = largest_of(histogram)
        return _has_values(histogram) and largest < parameters.vanishing_below, largest

    return HistogramCheck(judge, parameters.histograms_in_a_row)


def exploding(parameters: Parameters) -> HistogramCheck:
    """Return gradients that are NaN or infinite, huge, or many times larger than before."""
    before: deque[float] = deque(maxlen=REMEMBERED)

    def judge(histogram: Histogram) -> tuple[bool, float]:
        if histogram.nan_count + histogram.positive_infinity_count + histogram.negative_infinity_count > 0:
            return True, float("nan") if histogram.nan_count else float("inf")
        largest = largest_of(histogram)
        limit = parameters.exploding_above
        if len(before) >= LEAST_REMEMBERED:
            limit = min(limit, max(parameters.exploding_factor * median(before), parameters.exploding_least))
        if largest <= limit:
            before.append(largest)
        return largest > limit, largest

    return HistogramCheck(judge, lasting=1)


def dead(parameters: Parameters) -> HistogramCheck:
    """Return activations that are never below zero, and nearly all zero."""

    def judge(histogram: Histogram) -> tuple[bool, float]:
        share = zero_share(histogram)
        return share >= parameters.dead_share, share

    return HistogramCheck(judge, parameters.histograms_in_a_row)


def largest_of(histogram: Histogram) -> float:
    """Return the largest absolute value, 0 without a finite one."""
    return max(abs(histogram.minimum), abs(histogram.maximum)) if histogram.count.size else 0.0


def zero_share(histogram: Histogram) -> float:
    """Return the share of values that are zero, in 0 to 1; 0 where any value is negative, or if that is unknown.

    A bucket that begins at zero may hold small values too. What the sum of all values leaves for it, once the other
    buckets are taken off with their right edges, is what its values sum up to at least: more than a rounding error, and
    they are not zero.
    """
    total = float(histogram.count.sum())
    if total == 0.0 or histogram.minimum < 0.0:
        return 0.0
    if histogram.maximum == 0.0:
        return 1.0
    holds_zero = (histogram.left <= 0.0) & (histogram.right >= 0.0)
    others = float(np.sum(histogram.count[~holds_zero] * histogram.right[~holds_zero]))
    left_over = histogram.sum - others
    zeros = float(histogram.count[holds_zero].sum())
    return zeros / total if left_over <= 1e-3 * histogram.maximum * zeros else 0.0


def _has_values(histogram: Histogram) -> bool:
    return bool(histogram.count.size) and float(histogram.count.sum()) > 0.0
