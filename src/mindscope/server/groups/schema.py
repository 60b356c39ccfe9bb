# SPDX-License-Identifier: Apache-2.0
"""Messages about groups of runs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mindscope.analysis.groups import Alignment, GroupExpression
from mindscope.server.expressions.schema import Cursor, ExpressionView, Formula
from mindscope.server.http.columns import Float64, Floats
from mindscope.server.http.schema import MAX_RUNS, MAX_SERIES, Answer, Query, ReasonEntry

Statistic = Literal["mean", "median", "low", "high", "lower_quartile", "upper_quartile", "deviation", "count"]


class GroupName(Query):
    """A group: an expression over the scalar tags of each of its runs. ``key`` is the sender's name for it.

    ``runs`` may contain groups of ranks, ``rank_of`` of the run list, for all their ranks. An unknown run has no
    values.
    """

    key: str
    y: Formula
    runs: list[str] = Field(max_length=MAX_RUNS)
    since: Cursor | None = None


class GroupBaseline(Query):
    """The runs whose ``center``, the mean or median of the same expression, is subtracted; ``runs`` as in a group."""

    runs: list[str] = Field(min_length=1, max_length=MAX_RUNS)
    center: Literal["mean", "median"] = "mean"


class GroupsQuery(ExpressionView):
    """Groups of runs as statistics at each x of any of their runs, over all points, then reduced for the view.

    With ``baseline`` its center at the same x is subtracted. The baseline is interpolated linearly between its points;
    outside of them there is no value.

    With ``alignment`` linear a run counts at each x between its first and last point, and straight lines between its
    points give the values. With exact it counts only at the x of its points. The reduction keeps the extremes of the
    statistics in ``keep``.
    """

    groups: list[GroupName] = Field(max_length=MAX_SERIES)
    alignment: Alignment = Alignment.LINEAR
    baseline: GroupBaseline | None = None
    keep: list[Statistic] = Field(default=["mean", "low", "high"], min_length=1, max_length=8)

    def expression(self, y: str) -> GroupExpression:
        """Return ``y`` with the x axis, smoothing and alignment of the query."""
        return GroupExpression(y, self.x, self.axis, self.smoothing.options(), self.alignment)


class GroupColumns(Answer):
    """``x`` is float64, the others float32, or float64 if a number is beyond float32. ``count`` is the number of runs
    with a finite value at x; the other columns are NaN if no run has one.

    ``deviation`` is that of the sample, ``standard_error`` that of the mean, and ``confidence`` half the width of its
    95 % confidence interval by Student's t; these are NaN for a single run.
    """

    x: Float64
    count: Floats
    mean: Floats
    median: Floats
    low: Floats
    high: Floats
    deviation: Floats
    lower_quartile: Floats
    upper_quartile: Floats
    standard_error: Floats
    confidence: Floats


class GroupLine(Answer):
    """One group of the response, in the order of the query.

    ``runs`` counts the runs with points, ``missing`` names the others, ``problem`` is the first reason. ``points``
    counts the x in range, ``returned`` the rows to draw, with a neighbor on each side. ``interpolated``: a run has no
    point at an x of another run between its first and last point, so that a straight line gives its value there.
    ``cursor`` and ``kept`` are as with curves. A group with an ``error`` has no columns.
    """

    key: str
    y: str
    error: ReasonEntry | None
    runs: int
    missing: list[str]
    problem: ReasonEntry | None
    alignment: Alignment
    points: int
    returned: int
    reduced: bool
    interpolated: bool
    cursor: str | None
    kept: int
    columns: GroupColumns | None


class GroupsHeader(Answer):
    """The JSON header of groups as ``application/vnd.mindscope.columns``."""

    groups: list[GroupLine]
