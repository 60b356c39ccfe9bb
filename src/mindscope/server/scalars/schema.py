# SPDX-License-Identifier: Apache-2.0
"""Messages about scalar series reduced for a view."""

from __future__ import annotations

from pydantic import Field, StrictBool

from mindscope.analysis.expressions import Axis
from mindscope.server.http.schema import (
    MAX_PIXELS,
    MAX_SERIES,
    Answer,
    Column,
    Coordinate,
    Query,
    ReasonEntry,
    SeriesName,
    Whole,
)


class CurvesQuery(Query):
    """Curves reduced for a view that is ``pixels`` wide. ``range`` is in units of the axis; null is everything.

    With ``log_origin`` the columns of the view are even in the logarithm of x less that number, else in x.
    ``smoothing`` is the weight of the debiased exponential average. ``overwritten`` adds the hidden points: those that
    a restart overwrote, and all but the last of those that share a step in one file.
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

    ``value`` and ``smoothed`` are float32, or float64 where float32 does not hold every value of the series.
    """

    step: Column
    wall_time: Column
    value: Column
    smoothed: Column | None


class Curve(Answer):
    """One series of the answer. ``points`` counts points in range, ``returned`` the rows to draw.

    A neighbour on each side of the range is returned too. The counts of values that are no numbers are over the range.

    ``cursor`` stands for the rows to draw; send it as ``since`` to get the next answer without the rows that are known.
    ``kept`` counts the first rows, known to the sender by its ``since``, that the columns leave out; of those that it
    has, rows behind them are no longer drawn. ``kept`` equal to ``returned`` says that nothing changed.

    ``overwritten`` and ``repeated`` count the points of the whole series that are hidden, because a restart overwrote
    them or because a later point of the same file has the same step. Both are 0 when the query adds the hidden points.

    With ``error`` set, everything is 0 or null but ``run`` and ``tag``.
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
