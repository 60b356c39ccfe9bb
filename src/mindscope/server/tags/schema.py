# SPDX-License-Identifier: Apache-2.0
"""Messages about the tags of runs."""

from __future__ import annotations

from pydantic import Field

from mindscope.server.http.schema import MAX_RUNS, Answer, Query
from mindscope.types import Kind


class TagsQuery(Query):
    """Runs and the kind of their tags. An unknown run has no tags."""

    runs: list[str] = Field(max_length=MAX_RUNS)
    kind: Kind = Kind.SCALAR


class LastPoint(Answer):
    """The newest point. If ``value`` is not finite, it is null and ``value_text`` is NaN, Infinity or -Infinity."""

    step: int
    value: float | None
    value_text: str | None


class TagSummary(Answer):
    """A tag: the runs that have it, as indices into the query's ``runs``, and the number of its points in all of them.

    ``last`` is the newest point of any of these runs, null for kinds other than scalar.
    """

    tag: str
    runs: list[int]
    points: int
    last: LastPoint | None


class TagsAnswer(Answer):
    """The tags of one kind, in their order."""

    tags: list[TagSummary]
