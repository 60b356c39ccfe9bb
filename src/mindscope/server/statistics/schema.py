# SPDX-License-Identifier: Apache-2.0
"""Messages about statistics of scalar series."""

from __future__ import annotations

from pydantic import Field

from mindscope.server.http.schema import MAX_RUNS, MAX_SERIES, Answer, Query


class StatisticsQuery(Query):
    """Of which tags of which runs? An unknown run, and a tag that a run doesn't hold, have no entry."""

    runs: list[str] = Field(max_length=MAX_RUNS)
    tags: list[str] = Field(max_length=MAX_SERIES)


class SeriesStatistics(Answer):
    """One series; ``run`` and ``tag`` are indices into the query's lists.

    ``minimum``, ``maximum`` and ``mean`` are over the finite values and null where there is none. ``first`` and
    ``last`` are what stands there, NaN included.
    """

    run: int
    tag: int
    points: int
    last_step: int
    first: float | str
    last: float | str
    minimum: float | None
    maximum: float | None
    mean: float | None


class StatisticsAnswer(Answer):
    """By run, then by tag, in the order of the query."""

    series: list[SeriesStatistics]
