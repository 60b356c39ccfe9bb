# SPDX-License-Identifier: Apache-2.0
"""Statistics of an expression over a group of runs, at each x of any of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum

from mindscope.analysis.expressions import NO_SMOOTHING, Axis, Smoothing, expression_points
from mindscope.errors import MindscopeError
from mindscope.stats.alignment import Floats, Trace, common_x, trace
from mindscope.stats.group_statistics import TraceStatistics, trace_statistics
from mindscope.stats.growing_statistics import GrowingStatistics, grow_statistics
from mindscope.stats.x_axis import Range
from mindscope.store import RunStore


class Alignment(str, Enum):
    """``exact``: a run counts at x if it has a point there. ``linear``: between its first and its last point."""

    EXACT = "exact"
    LINEAR = "linear"


@dataclass(frozen=True, slots=True, eq=False)
class GroupStatistics(TraceStatistics):
    """Statistics over ``runs`` at each ``x``; float64 columns of shape (n,), NaN if no run has a finite value.

    ``count`` is the number of runs that have one. ``problems`` says by run id why a run has no points.
    """

    runs: tuple[str, ...]
    problems: Mapping[str, str]
    x: Floats

    def columns(self) -> dict[str, Floats]:
        """The columns by name."""
        return {"x": self.x, **_columns_of(self)}


@dataclass(frozen=True, slots=True)
class GroupExpression:
    """The expression ``y`` over each run of a group, with x axis and smoothing as in ``expression_points``."""

    y: str
    x: str | None = None
    axis: Axis = Axis.STEP
    smoothing: Smoothing = NO_SMOOTHING
    alignment: Alignment = Alignment.EXACT

    def trace(self, store: RunStore) -> Trace:
        """The smoothed points of a run. Raises ExpressionError."""
        points = expression_points(store, self.y, x=self.x, axis=self.axis, smoothing=self.smoothing)
        return trace(points.x, points.smoothed)

    def statistics(self, traces: Sequence[Trace], range: Range | None = None) -> tuple[Floats, TraceStatistics]:
        """Each x of any run in ``range``, with one neighbor on each side, and the statistics at these x."""
        x = common_x(traces, range)
        return x, trace_statistics(traces, x, self.alignment is Alignment.LINEAR)

    def grown(self, traces: Sequence[Trace], before: GrowingStatistics | None) -> GrowingStatistics:
        """The statistics at each x. Reuses those of ``before`` where no run has changed."""
        return grow_statistics(traces, self.alignment is Alignment.LINEAR, before)


def default_alignment(axis: Axis, x: str | None) -> Alignment:
    """Exact over steps; linear over any other axis, where runs rarely share an x."""
    return Alignment.EXACT if axis is Axis.STEP and x is None else Alignment.LINEAR


def group_statistics(stores: Mapping[str, RunStore], expression: GroupExpression) -> GroupStatistics:
    """The statistics over runs by id. A run without points is in ``problems``."""
    traces: dict[str, Trace] = {}
    problems: dict[str, str] = {}
    for id, store in stores.items():
        try:
            traces[id] = expression.trace(store)
        except MindscopeError as error:
            problems[id] = str(error)
    x, found = expression.statistics(list(traces.values()))
    return GroupStatistics(**_columns_of(found), runs=tuple(traces), problems=problems, x=x)


def _columns_of(statistics: TraceStatistics) -> dict[str, Floats]:
    return {each.name: getattr(statistics, each.name) for each in fields(TraceStatistics)}
