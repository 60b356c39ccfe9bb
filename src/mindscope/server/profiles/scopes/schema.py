# SPDX-License-Identifier: Apache-2.0
"""Messages about what a profile says of the scopes of a graph. Times are nanoseconds of a step."""

from __future__ import annotations

from pydantic import Field

from mindscope.server.http.schema import Answer, Query
from mindscope.server.jobs.schema import TaskAnswer

MOST_SCOPES = 200_000


class ScopesQuery(Query):
    """The scopes of a graph of a run: their last names in the order of the graph, and the rows around them.

    A scope is at the root if ``parents`` has no earlier row for it.
    """

    run: str
    labels: list[str] = Field(max_length=MOST_SCOPES)
    parents: list[int] = Field(max_length=MOST_SCOPES)


class OperatorTime(Answer):
    """Operators of one type in a module, by themselves, without its inner modules; with those that they call."""

    type: str
    time_ns: float
    count: float


class ScopeTimes(Answer):
    """A scope with its module. ``memory_bytes`` remain allocated at the end of its calls. Null is not recorded."""

    scope: int
    module: str
    calls: float
    forward_ns: float | None
    backward_ns: float | None
    memory_bytes: float | None
    operators: list[OperatorTime]


class ScopesAnswer(TaskAnswer):
    """Scopes with a module in the newest profile of the run that has any; empty without such a profile.

    ``progress`` is that of reading it, ``problem`` what prevents it. ``is_on_device`` says whose times these are.
    """

    profile: str | None
    is_on_device: bool
    steps: int
    scopes: list[ScopeTimes]
