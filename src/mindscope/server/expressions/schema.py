# SPDX-License-Identifier: Apache-2.0
"""Messages about expressions over scalar tags."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mindscope.analysis.expressions import Axis, ExpressionPoints, expression_points
from mindscope.analysis.expressions import Smoothing as SmoothingOptions
from mindscope.server.http.columns import Float64
from mindscope.server.http.schema import (
    MAX_PIXELS,
    MAX_SERIES,
    Answer,
    Coordinate,
    Query,
    ReasonEntry,
    Whole,
)
from mindscope.store import RunStore

Formula = Annotated[str, Field(min_length=1, max_length=500)]
Cursor = Annotated[str, Field(max_length=100)]


class Smoothing(Query):
    """The smoothing of all points, before they are reduced or grouped; 0 skips a part.

    ``median_points`` is the width of a running median. ``weight`` is that of the debiased exponential average. A point
    ``half_life_steps`` or ``half_life_seconds`` back counts half.
    """

    median_points: Whole = Field(default=0, ge=0, le=1_000_000)
    weight: Coordinate = Field(default=0.0, ge=0.0, le=0.999)
    half_life_steps: Coordinate = Field(default=0.0, ge=0.0)
    half_life_seconds: Coordinate = Field(default=0.0, ge=0.0)

    def options(self) -> SmoothingOptions:
        """Return the options of ``mindscope.analysis``."""
        return SmoothingOptions(self.median_points, self.weight, self.half_life_steps, self.half_life_seconds)


class ExpressionView(Query):
    """A view of ``pixels`` pixels width over ``range`` (in units of x; null is everything).

    x is the ``axis``, or the expression ``x`` over tags of the same run, such as "`lr`", if it is not null.
    ``log_origin`` is as with curves.
    """

    axis: Axis = Axis.STEP
    x: Formula | None = None
    range: tuple[Coordinate, Coordinate] | None = None
    pixels: Whole = Field(default=1000, ge=1, le=MAX_PIXELS)
    log_origin: Coordinate | None = None
    smoothing: Smoothing = Smoothing()

    def points(self, store: RunStore, y: str) -> ExpressionPoints:
        """Return the points of ``y`` with the x axis and smoothing of the view. Raises ExpressionError."""
        return expression_points(store, y, x=self.x, axis=self.axis, smoothing=self.smoothing.options())


class ExpressionName(Query):
    """A line: an expression over scalar tags of a run, at the steps that all of them have.

    Examples of ``y`` are "`train/loss` - `val/loss`", "1 - acc", "max(tag('a b'), 0)" and "loss". A tag that is not a
    Python name needs backticks or tag(); ``step`` and ``wall_time`` are names too. ``offset`` is added to x, to align
    runs. ``since`` is the cursor of a response whose rows the client still has, as with curves.
    """

    run: str
    y: Formula
    offset: Coordinate = 0.0
    since: Cursor | None = None


class ExpressionsQuery(ExpressionView):
    """Lines reduced for a view. With ``baseline``, a run, its values at the same x are subtracted.

    The baseline is interpolated linearly between its points; outside of them the difference has no value.
    """

    lines: list[ExpressionName] = Field(max_length=MAX_SERIES)
    baseline: str | None = None


class ExpressionColumns(Answer):
    """float64 columns; ``smoothed`` is null without smoothing, ``mean`` and ``quantiles`` are as with curves."""

    x: Float64
    step: Float64
    wall_time: Float64
    value: Float64
    smoothed: Float64 | None = None
    mean: Float64 | None = None
    quantiles: Float64


class ExpressionLine(Answer):
    """One line of the response, in the order of the query.

    ``points`` counts the points in range, ``returned`` the rows to draw, with a neighbor on each side. ``nan`` and the
    infinities count values of points in range. ``cursor`` and ``kept`` are as with curves. A line with an ``error`` has
    no columns.
    """

    run: str
    y: str
    error: ReasonEntry | None
    points: int
    returned: int
    reduced: bool
    nan: int
    positive_infinity: int
    negative_infinity: int
    first_x: float | None
    last_x: float | None
    cursor: str | None
    kept: int
    columns: ExpressionColumns | None


class ExpressionsHeader(Answer):
    """The JSON header of expressions as ``application/vnd.mindscope.columns``."""

    lines: list[ExpressionLine]
