# SPDX-License-Identifier: Apache-2.0
"""Several series at the same x: on all x of any of them, with a gap or a straight line where one has no point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.stats.x_axis import Range

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class XYSeries:
    """Points of one series: ``x`` ascends and is finite, ``y`` may be anything; both float64 of shape (n,)."""

    x: Floats
    y: Floats

    def at(self, x: Floats) -> Floats:
        """Return the values of the points at ``x``, NaN without a point there. Of points at one x the last counts."""
        if self.x.size == 0:
            return np.full(x.size, np.nan)
        row = np.clip(np.searchsorted(self.x, x, "right") - 1, 0, None)
        return np.where(self.x[row] == x, self.y[row], np.nan)

    def along(self, x: Floats) -> Floats:
        """Return the values at ``x`` of straight lines between the points, NaN beyond the first and the last."""
        if self.x.size == 0:
            return np.full(x.size, np.nan)
        return np.interp(x, self.x, self.y, left=np.nan, right=np.nan)

    def between(self, low: float, high: float) -> XYSeries:
        """Return the points from ``low`` to ``high``, and one on each side."""
        start = max(int(np.searchsorted(self.x, low, "left")) - 1, 0)
        stop = int(np.searchsorted(self.x, high, "right")) + 1
        return XYSeries(self.x[start:stop], self.y[start:stop])


def trace(x: NDArray[np.generic], y: NDArray[np.generic]) -> XYSeries:
    """Return points by ascending x; those whose x is no number are left out, those with equal x keep their order."""
    xs, ys = np.asarray(x, np.float64), np.asarray(y, np.float64)
    is_finite = np.isfinite(xs)
    if not is_finite.all():
        xs, ys = xs[is_finite], ys[is_finite]
    if xs.size > 1 and not bool((xs[1:] >= xs[:-1]).all()):
        order = np.argsort(xs, kind="stable")
        xs, ys = xs[order], ys[order]
    return XYSeries(xs, ys)


def are_points_missing(traces: Sequence[XYSeries], x: Floats) -> bool:
    """Return whether a series has no point at one of ``x`` between its first and its last point.

    ``x`` are those of all series, ascending; a straight line then gives the value there.
    """
    return x.size > 0 and any(_has_gap(each.between(x[0], x[-1]), x) for each in traces)


def _has_gap(trace: XYSeries, x: Floats) -> bool:
    if trace.x.size == 0:
        return False
    inside = x[np.searchsorted(x, trace.x[0], "left") : np.searchsorted(x, trace.x[-1], "right")]
    at = trace.x[np.searchsorted(trace.x, inside, "left")]
    return not np.array_equal(at, inside)


def common_x(traces: Sequence[XYSeries], range: Range | None) -> Floats:
    """Return every x of any series in ``range`` (inclusive; None is everything), ascending, and one on each side."""
    if range is None:
        return _union(each.x for each in traces)
    low, high = min(range), max(range)
    before = [each.x[row - 1] for each in traces if (row := np.searchsorted(each.x, low, "left")) > 0]
    after = [each.x[row] for each in traces if (row := np.searchsorted(each.x, high, "right")) < each.x.size]
    edges = [np.array(each) for each in ([max(before)] if before else [], [min(after)] if after else [])]
    inside = (each.x[np.searchsorted(each.x, low, "left") : np.searchsorted(each.x, high, "right")] for each in traces)
    return _union([*inside, *edges])


def _union(columns: Iterable[NDArray[np.generic]]) -> Floats:
    """Return the distinct x of all, ascending. Runs of one script mostly have the same x, which takes no sorting."""
    different: list[NDArray[np.generic]] = []
    for column in columns:
        if not any(np.array_equal(column, other) for other in different):
            different.append(column)
    if not different:
        return np.empty(0)
    return np.unique(np.concatenate(different)).astype(np.float64)
