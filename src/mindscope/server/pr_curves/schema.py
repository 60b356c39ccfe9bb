# SPDX-License-Identifier: Apache-2.0
"""Messages about precision-recall curves."""

from __future__ import annotations

from enum import Enum

from pydantic import Field

from mindscope.server.http.columns import Float64
from mindscope.server.http.schema import MAX_SERIES, Answer, Query, ReasonEntry, SeriesName, Whole


class PrSteps(str, Enum):
    """The curves of a series without a given step."""

    NEWEST = "newest"
    ALL = "all"


class PrSeriesName(SeriesName):
    """A PR curve tag of a run. A ``step`` selects the last curve up to it, else the first."""

    step: Whole | PrSteps = PrSteps.NEWEST


class PrCurvesQuery(Query):
    """The precision-recall curves of many series."""

    series: list[PrSeriesName] = Field(max_length=MAX_SERIES)


class PrCurveColumns(Answer):
    """float64 throughout. Curve i has the thresholds ``curve_start[i]`` to ``curve_start[i + 1]`` (not included).

    ``steps`` are all steps of the series. ``step`` and ``wall_time`` have a number per curve. ``curve_start`` has one
    more, and starts at the first curve of the response. The others have a number per threshold, by ascending
    threshold. A curve that can't be read has no thresholds.
    """

    steps: Float64
    step: Float64
    wall_time: Float64
    curve_start: Float64
    threshold: Float64
    precision: Float64
    recall: Float64
    true_positives: Float64
    false_positives: Float64
    true_negatives: Float64
    false_negatives: Float64


class PrSeries(Answer):
    """One series of the response. ``returned`` counts curves; ``cursor`` and ``kept`` are those of a scalar curve.

    ``problem`` is the reason of the first unreadable curve. With an ``error``, all fields except ``run`` and ``tag``
    are 0 or null.
    """

    run: str
    tag: str
    error: ReasonEntry | None
    version: int
    returned: int
    problem: ReasonEntry | None
    cursor: str | None
    kept: int
    columns: PrCurveColumns | None


class PrCurvesHeader(Answer):
    """The JSON header of PR curves as ``application/vnd.mindscope.columns``."""

    series: list[PrSeries]
