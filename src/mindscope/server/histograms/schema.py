# SPDX-License-Identifier: Apache-2.0
"""Messages about histograms over steps."""

from __future__ import annotations

from pydantic import Field

from mindscope.analysis.expressions import Axis
from mindscope.server.http.columns import Float64
from mindscope.server.http.schema import (
    MAX_SERIES,
    Answer,
    Coordinate,
    Query,
    ReasonEntry,
    SeriesName,
    Whole,
)

MAX_ROWS = 1_000_000
MAX_BUCKETS = 4096


class HistogramsQuery(Query):
    """Histograms of at most ``rows`` rows a series. ``range`` is in units of the axis; null is everything.

    With more steps than rows, a row merges 2, 4, 8, .. neighbors in at most ``buckets`` buckets without loss of counts.
    A row of a single step has the buckets of the log.
    """

    series: list[SeriesName] = Field(max_length=MAX_SERIES)
    axis: Axis = Axis.STEP
    range: tuple[Coordinate, Coordinate] | None = None
    rows: Whole = Field(default=100, ge=2, le=MAX_ROWS)
    buckets: Whole = Field(default=128, ge=1, le=MAX_BUCKETS)


class HistogramColumns(Answer):
    """float64 throughout. Row i has the buckets ``bucket_start[i]`` to ``bucket_start[i + 1]`` (not included).

    A row merges ``merged`` steps of the log, from ``step`` and ``wall_time`` to ``last_step`` and ``last_wall_time``;
    ``unreadable`` of them can't be decoded and are not in its buckets.
    ``left``, ``right`` and ``count`` have a number per bucket. ``bucket_start`` has one more than there are rows, and
    starts at the first row of the response. All others have a number per row.
    """

    step: Float64
    last_step: Float64
    wall_time: Float64
    last_wall_time: Float64
    merged: Float64
    unreadable: Float64
    bucket_start: Float64
    minimum: Float64
    maximum: Float64
    sum: Float64
    total: Float64
    nan: Float64
    positive_infinity: Float64
    negative_infinity: Float64
    left: Float64
    right: Float64
    count: Float64


class HistogramSeries(Answer):
    """One series of the response. ``steps`` counts all steps of the log, ``in_range`` those in the range of the query.

    ``returned`` counts rows; each merges ``steps_per_row`` steps, the first and the last row possibly fewer.
    ``problem`` is the reason of the first unreadable step. ``first`` and ``last`` are the ends of the
    whole log on the axis; 0 of relative time is ``start_wall_time``. ``cursor`` and ``kept`` are those of a curve.

    With an ``error``, all fields except ``run`` and ``tag`` are 0 or null.
    """

    run: str
    tag: str
    error: ReasonEntry | None
    version: int
    steps: int
    in_range: int
    returned: int
    steps_per_row: int
    problem: ReasonEntry | None
    start_wall_time: float | None
    first: float | None
    last: float | None
    cursor: str | None
    kept: int
    columns: HistogramColumns | None


class HistogramsHeader(Answer):
    """The JSON header of histograms as ``application/vnd.mindscope.columns``."""

    series: list[HistogramSeries]
