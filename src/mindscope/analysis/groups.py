# SPDX-License-Identifier: Apache-2.0
"""Statistics of an expression over a group of runs, at each x of any of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from mindscope.analysis.expressions import NO_SMOOTHING, Axis, Smoothing, expression_points
from mindscope.errors import MindscopeError
from mindscope.stats.alignment import Floats, Trace, common_x, trace
from mindscope.stats.spread import spread
from mindscope.store import RunStore


class Alignment(str, Enum):
    """``exact``: a run counts at x where it has a point. ``linear``: everywhere between its first and last point."""

    EXACT = "exact"
    LINEAR = "linear"


@dataclass(frozen=True, slots=True, eq=False)
class GroupStatistics:
    """Statistics over ``runs`` at each ``x``; float64 columns of shape (n,), NaN where no run has a finite value.

    ``count`` is the number of runs that have one. ``deviation`` is that of the sample, NaN for a single run.
    ``problems`` says by run id why a run has no points.
    """

    runs: tuple[str, ...]
    problems: Mapping[str, str]
    x: Floats
    count: Floats
    mean: Floats
    median: Floats
    low: Floats
    high: Floats
    deviation: Floats
    lower_quartile: Floats
    upper_quartile: Floats

    def columns(self) -> dict[str, Floats]:
        """The columns by name."""
        return {name: each for name in self.__slots__ if isinstance(each := getattr(self, name), np.ndarray)}


def default_alignment(axis: Axis, x: str | None) -> Alignment:
    """Exact over steps; linear over any other axis, where hardly two runs have a point at the same x."""
    return Alignment.EXACT if axis is Axis.STEP and x is None else Alignment.LINEAR


def group_statistics(
    stores: Mapping[str, RunStore],
    y: str,
    *,
    x: str | None = None,
    axis: Axis = Axis.STEP,
    smoothing: Smoothing = NO_SMOOTHING,
    alignment: Alignment | None = None,
) -> GroupStatistics:
    """The statistics of ``y`` over runs by id, with the x axis and smoothing of ``expression_points``.

    A run without points is among the ``problems``.
    """
    traces: dict[str, Trace] = {}
    problems: dict[str, str] = {}
    for id, store in stores.items():
        try:
            points = expression_points(store, y, x=x, axis=axis, smoothing=smoothing)
        except MindscopeError as error:
            problems[id] = str(error)
        else:
            traces[id] = trace(points.x, points.smoothed)
    at = common_x(list(traces.values()), None) if traces else np.empty(0)
    found = spread(list(traces.values()), at, (alignment or default_alignment(axis, x)) is Alignment.LINEAR)
    return GroupStatistics(
        runs=tuple(traces),
        problems=problems,
        x=at,
        count=found.count,
        mean=found.mean,
        median=found.median,
        low=found.low,
        high=found.high,
        deviation=found.deviation,
        lower_quartile=found.lower_quartile,
        upper_quartile=found.upper_quartile,
    )
