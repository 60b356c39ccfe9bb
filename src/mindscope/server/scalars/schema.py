# SPDX-License-Identifier: Apache-2.0
"""Messages about scalar series reduced for a view."""

from __future__ import annotations

from pydantic import Field, StrictBool

from mindscope.analysis.expressions import Axis
from mindscope.server.http.columns import Float64, Floats
from mindscope.server.http.schema import (
    MAX_PIXELS,
    MAX_SERIES,
    Answer,
    Coordinate,
    Query,
    ReasonEntry,
    SeriesName,
    Whole,
)


class CurvesQuery(Query):
    """Curves reduced for a view that is ``pixels`` wide. ``range`` is in units of the axis; null is everything.

    With ``log_origin`` the pixel columns are even in the logarithm of x minus that number, else in x.
    ``smoothing`` is the weight of the debiased exponential average. ``overwritten`` adds the hidden points: those that
    a restart overwrote, and the earlier ones of points with the same step in one file.
    """

    series: list[SeriesName] = Field(max_length=MAX_SERIES)
    axis: Axis = Axis.STEP
    range: tuple[Coordinate, Coordinate] | None = None
    pixels: Whole = Field(default=1000, ge=1, le=MAX_PIXELS)
    log_origin: Coordinate | None = None
    smoothing: float = Field(default=0.0, ge=0.0, le=0.999, strict=True)
    overwritten: StrictBool = False


class CurveColumns(Answer):
    """``step`` and ``wall_time`` are float64; ``smoothed`` is null without smoothing.

    ``value``, ``smoothed`` and ``mean`` are float32, or float64 if float32 can't represent all values of the series.

    ``mean`` is the course of ``value`` without its noise: means of stretches of at most 8 pixels, and straight lines
    between their middles. It is null with smoothing, and where there is less than one point for a pixel.

    ``quantiles`` are finite values of the whole series in ascending order: all of them, or the middles of 64 equal
    parts. They depend neither on the axis nor on range and pixels.
    """

    step: Float64
    wall_time: Float64
    value: Floats
    smoothed: Floats | None = None
    mean: Floats | None = None
    quantiles: Floats


class Curve(Answer):
    """One series of the response. ``points`` counts points in range, ``returned`` the rows to draw.

    The rows contain a neighbor on each side of the range. The counts of NaN and infinities are over the range.

    ``cursor`` names the rows to draw; send it as ``since`` to get a response without the rows that the client has.
    ``kept`` counts the first rows that the columns omit, because the client has them by its ``since``; the client drops
    its rows after these. If ``kept`` equals ``returned``, the rows have not changed.

    ``overwritten`` and ``repeated`` count the hidden points of the whole series: a restart overwrote them, or a later
    point of the same file has the same step. Both are 0 if the query adds the hidden points.

    With an ``error``, all fields except ``run`` and ``tag`` are 0 or null.
    """

    run: str
    tag: str
    error: ReasonEntry | None
    points: int
    returned: int
    reduced: bool
    nan: int
    positive_infinity: int
    negative_infinity: int
    overwritten: int
    repeated: int
    first_step: int | None
    last_step: int | None
    start_wall_time: float | None
    version: int
    cursor: str | None
    kept: int
    columns: CurveColumns | None


class CurvesHeader(Answer):
    """The JSON header of ``application/vnd.mindscope.columns``."""

    series: list[Curve]
