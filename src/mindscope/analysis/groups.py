# SPDX-License-Identifier: Apache-2.0
"""Statistics of an expression over a group of runs, at each x of any of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum

from mindscope.analysis.expressions import NO_SMOOTHING, Axis, Smoothing, expression_points
from mindscope.errors import MindscopeError
from mindscope.stats.alignment import Floats, XYSeries, are_points_missing, common_x, trace
from mindscope.stats.group_statistics import DERIVED, TraceStatistics, trace_statistics
from mindscope.stats.growing_statistics import GrowingStatistics, grow_statistics
from mindscope.stats.x_axis import Range
from mindscope.store import RunStore


class Alignment(str, Enum):
    """``linear``: a run counts between its first and its last point, by straight lines between its points.

    ``exact``: a run counts at x only if it has a point there.
    """

    EXACT = "exact"
    LINEAR = "linear"


@dataclass(frozen=True, slots=True, eq=False)
class GroupStatistics(TraceStatistics):
    """Statistics over ``runs`` at each ``x``; float64 columns of shape (n,), NaN if no run has a finite value.

    ``count`` is the number of runs that have one. ``problems`` says by run id why a run has no points.
    ``is_interpolated``: a run has no point at one of the x between its first and last point; straight lines give its
    values there.
    """

    runs: tuple[str, ...]
    problems: Mapping[str, str]
    x: Floats
    is_interpolated: bool

    def columns(self) -> dict[str, Floats]:
        """Return the columns by name."""
        return {"x": self.x, **_columns_of(self), **{name: getattr(self, name) for name in DERIVED}}


@dataclass(frozen=True, slots=True)
class GroupExpression:
    """The expression ``y`` over each run of a group, with x axis and smoothing as in ``expression_points``."""

    y: str
    x: str | None = None
    axis: Axis = Axis.STEP
    smoothing: Smoothing = NO_SMOOTHING
    alignment: Alignment = Alignment.LINEAR

    def trace(self, store: RunStore) -> XYSeries:
        """Return the smoothed points of a run. Raises ExpressionError."""
        points = expression_points(store, self.y, x=self.x, axis=self.axis, smoothing=self.smoothing)
        return trace(points.x, points.smoothed)

    def statistics(self, traces: Sequence[XYSeries], range: Range | None = None) -> tuple[Floats, TraceStatistics]:
        """Return each x of any run in ``range``, with one neighbor on each side, and the statistics at these x."""
        x = common_x(traces, range)
        return x, trace_statistics(traces, x, self.alignment is Alignment.LINEAR)

    def is_interpolated(self, traces: Sequence[XYSeries], x: Floats) -> bool:
        """Return whether the statistics at ``x`` contain values between the points of a run."""
        return self.alignment is Alignment.LINEAR and are_points_missing(traces, x)

    def grown(self, traces: Sequence[XYSeries], before: GrowingStatistics | None) -> GrowingStatistics:
        """Return the statistics at each x. Reuses those of ``before`` where no run has changed."""
        return grow_statistics(traces, self.alignment is Alignment.LINEAR, before)


def group_statistics(stores: Mapping[str, RunStore], expression: GroupExpression) -> GroupStatistics:
    """Return the statistics over runs by id. A run without points is in ``problems``."""
    traces: dict[str, XYSeries] = {}
    problems: dict[str, str] = {}
    for id, store in stores.items():
        try:
            traces[id] = expression.trace(store)
        except MindscopeError as error:
            problems[id] = str(error)
    points = list(traces.values())
    x, found = expression.statistics(points)
    return GroupStatistics(
        **_columns_of(found),
        runs=tuple(traces),
        problems=problems,
        x=x,
        is_interpolated=expression.is_interpolated(points, x),
    )


def _columns_of(statistics: TraceStatistics) -> dict[str, Floats]:
    return {field.name: getattr(statistics, field.name) for field in fields(TraceStatistics)}
