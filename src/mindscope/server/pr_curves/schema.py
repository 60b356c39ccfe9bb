# SPDX-License-Identifier: Apache-2.0
"""Messages about precision-recall curves of many series in one request."""

from __future__ import annotations

from enum import Enum

from pydantic import Field

from mindscope.server.http.schema import MAX_SERIES, Answer, Column, Query, ReasonEntry, SeriesName, Whole


class PrSteps(str, Enum):
    """Which curves of a series, when no single step is meant."""

    NEWEST = "newest"
    ALL = "all"


class PrSeriesName(SeriesName):
    """A PR curve tag of a run, and which of its curves: a step stands for the last one up to it, else the first."""

    step: Whole | PrSteps = PrSteps.NEWEST


class PrCurvesQuery(Query):
    """The precision-recall curves of many series."""

    series: list[PrSeriesName] = Field(max_length=MAX_SERIES)


class PrCurveColumns(Answer):
    """float64 throughout. Curve i has the thresholds ``curve_start[i]`` to ``curve_start[i + 1]`` (not included).

    ``steps`` are all steps of the series, whatever was asked for. ``step`` and ``wall_time`` have a number a curve,
    ``curve_start`` one more and counts from the first curve that is sent; the others have a number a threshold, by
    ascending threshold, NaN where a number is none. A curve that can't be read has no thresholds.
    """

    steps: Column
    step: Column
    wall_time: Column
    curve_start: Column
    threshold: Column
    precision: Column
    recall: Column
    true_positives: Column
    false_positives: Column
    true_negatives: Column
    false_negatives: Column


class PrSeries(Answer):
    """One series of the answer. ``returned`` counts curves; ``cursor`` and ``kept`` are those of a scalar curve.

    ``problem`` says of the first curve of this answer that can't be read why. With ``error`` set, everything is 0 or
    null but ``run`` and ``tag``.
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
