# SPDX-License-Identifier: Apache-2.0
"""Statistics of several series at each x: count, mean and its error, median, extremes, deviation and quartiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from mindscope.stats.alignment import Floats, XYSeries
from mindscope.stats.student_t import confidence_factor

DERIVED = ("standard_error", "confidence")
"""Columns that are computed from others when they are needed."""
BLOCK = 1 << 21
"""Values of one block of the computation: 16 MB, twice."""


@dataclass(frozen=True, slots=True, eq=False)
class TraceStatistics:
    """Statistics over series at each of n x; float64 of shape (n,). NaN where no series has a finite value.

    ``count`` is how many have one. ``deviation`` is that of the sample, with count - 1, and NaN for a single value.
    Quartiles and ``median`` are interpolated between values.
    """

    count: Floats
    mean: Floats
    median: Floats
    low: Floats
    high: Floats
    deviation: Floats
    lower_quartile: Floats
    upper_quartile: Floats

    @property
    def standard_error(self) -> Floats:
        """The standard error of the mean: the deviation over the root of the count. NaN for a single value."""
        return self.deviation / np.sqrt(np.maximum(self.count, 1.0))

    @property
    def confidence(self) -> Floats:
        """Half the width of the 95 % confidence interval of the mean, by Student's t. NaN for a single value."""
        return self.standard_error * confidence_factor(self.count)

    def take(self, rows: NDArray[np.int64] | slice) -> TraceStatistics:
        """Return the statistics at some x."""
        return TraceStatistics(*(getattr(self, field.name)[rows] for field in fields(TraceStatistics)))


def trace_statistics(traces: Sequence[XYSeries], x: Floats, is_joined: bool) -> TraceStatistics:
    """Return the statistics of ``traces`` at each ``x``.

    ``is_joined`` takes values between points from straight lines.
    """
    if not traces:
        return _statistics_of(np.full((x.size, 1), np.nan))
    rows: int = max(BLOCK // len(traces), 1)
    parts = [_statistics_at(traces, x[start : start + rows], is_joined) for start in range(0, max(x.size, 1), rows)]
    if len(parts) == 1:
        return parts[0]
    return TraceStatistics(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(TraceStatistics))
    )


def _statistics_at(traces: Sequence[XYSeries], x: Floats, is_joined: bool) -> TraceStatistics:
    values = np.empty((x.size, len(traces)))
    for number, trace in enumerate(traces):
        near = trace.between(x[0], x[-1]) if x.size else trace
        values[:, number] = near.along(x) if is_joined else near.at(x)
    return _statistics_of(values)


def _statistics_of(values: NDArray[np.float64]) -> TraceStatistics:
    """Compute the statistics. ``values`` has a row for each x and a column for each series; it is written over."""
    values[~np.isfinite(values)] = np.nan
    values.sort(axis=1)  # NaN comes last
    count = np.count_nonzero(~np.isnan(values), axis=1)
    some = np.where(count > 0, 1.0, np.nan)
    known = np.where(np.isnan(values), 0.0, values)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = np.sum(known / np.maximum(count, 1)[:, None], axis=1) * some
        off = np.where(np.isnan(values), 0.0, values - mean[:, None])
        deviation = np.sqrt(np.sum(off * off, axis=1) / (count - 1))
    return TraceStatistics(
        count=count.astype(np.float64),
        mean=mean,
        median=_quantile(values, count, 0.5),
        low=np.ascontiguousarray(values[:, 0]),
        high=_quantile(values, count, 1.0),
        deviation=np.where(count > 1, deviation, np.nan),
        lower_quartile=_quantile(values, count, 0.25),
        upper_quartile=_quantile(values, count, 0.75),
    )


def _quantile(values: NDArray[np.float64], count: NDArray[np.intp], share: float) -> Floats:
    """Return a quantile of each row; rows ascend and end in NaN after their first ``count``."""
    position = np.maximum(count - 1, 0) * share
    below = np.floor(position).astype(np.intp)
    rows: NDArray[np.intp] = np.arange(len(values), dtype=np.intp)
    low, high = values[rows, below], values[rows, np.minimum(below + 1, np.maximum(count - 1, 0))]
    return low + (high - low) * (position - below)
