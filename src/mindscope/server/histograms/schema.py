# SPDX-License-Identifier: Apache-2.0
"""Messages about histograms over steps."""

from __future__ import annotations

from pydantic import Field

from mindscope.analysis.expressions import Axis
from mindscope.server.http.schema import (
    MAX_SERIES,
    Answer,
    Column,
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

    Where there are more steps, 2, 4, 8, .. neighbours are merged in a row of at most ``buckets`` buckets, of which no
    count is lost. Rows of a single step have the buckets of the log.
    """

    series: list[SeriesName] = Field(max_length=MAX_SERIES)
    axis: Axis = Axis.STEP
    range: tuple[Coordinate, Coordinate] | None = None
    rows: Whole = Field(default=100, ge=2, le=MAX_ROWS)
    buckets: Whole = Field(default=128, ge=1, le=MAX_BUCKETS)


class HistogramColumns(Answer):
    """float64 throughout. Row i has the buckets ``bucket_start[i]`` to ``bucket_start[i + 1]`` (not included).

    A row holds ``merged`` steps of the log, from ``step`` and ``wall_time`` to ``last_step`` and ``last_wall_time``;
    ``unreadable`` of them could not be decoded and are not in its buckets.
    ``left``, ``right`` and ``count`` have a number a bucket, ``bucket_start`` one more than there are rows and counts
    from the first row that is sent, all others have a number a row.
    """

    step: Column
    last_step: Column
    wall_time: Column
    last_wall_time: Column
    merged: Column
    unreadable: Column
    bucket_start: Column
    minimum: Column
    maximum: Column
    sum: Column
    total: Column
    nan: Column
    positive_infinity: Column
    negative_infinity: Column
    left: Column
    right: Column
    count: Column


class HistogramSeries(Answer):
    """One series of the answer. ``steps`` counts those of the log, ``in_range`` those asked for.

    ``returned`` counts rows; each holds ``steps_per_row`` steps but for the first and the last, which may hold fewer.
    ``problem`` says of the first step of this answer that can't be read why. ``first`` and ``last`` are the ends of the
    whole log on the axis; 0 of relative time is ``start_wall_time``. ``cursor`` and ``kept`` are those of a curve.

    With ``error`` set, everything is 0 or null but ``run`` and ``tag``.
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
