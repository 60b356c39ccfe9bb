# SPDX-License-Identifier: Apache-2.0
"""Messages about statistics of scalar series."""

from __future__ import annotations

from pydantic import Field

from mindscope.server.http.schema import MAX_RUNS, MAX_SERIES, Answer, Query


class StatisticsQuery(Query):
    """Tags and runs. An unknown run, or a tag that a run does not have, has no entry."""

    runs: list[str] = Field(max_length=MAX_RUNS)
    tags: list[str] = Field(max_length=MAX_SERIES)


class SeriesStatistics(Answer):
    """The statistics of a series; ``run`` and ``tag`` are indices into the query's lists.

    ``minimum``, ``maximum`` and ``mean`` are over the finite values, null without any. ``first`` and
    ``last`` are the text NaN, Infinity or -Infinity if they are not finite.
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
    """The statistics of series, by run, then by tag, in the order of the query."""

    series: list[SeriesStatistics]
