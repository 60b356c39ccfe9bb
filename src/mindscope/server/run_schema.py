# SPDX-License-Identifier: Apache-2.0
"""Messages about the viewer, its runs, their tags and what of them can't be read."""

from __future__ import annotations

from enum import Enum

from pydantic import Field

from mindscope.ingest import PlaceKind
from mindscope.server.schema import MAX_RUNS, Answer, Query, ReasonEntry
from mindscope.store.contents import ContentKind
from mindscope.types import DamageKind, DialectName, Kind


class RunState(str, Enum):
    """``live`` grew within the last minute, ``finished`` was closed, ``idle`` is neither, ``empty`` has no record."""

    LIVE = "live"
    FINISHED = "finished"
    IDLE = "idle"
    EMPTY = "empty"


class ServerAnswer(Answer):
    """The viewer itself. ``reload_interval`` is in seconds, 0: logs are loaded once; ``started_at`` is a wall time.

    ``allow_delete``: the page may delete event files of runs.
    """

    version: str
    base_dir: str
    reload_interval: float
    started_at: float
    pid: int
    allow_delete: bool


class RunContent(Answer):
    """What the directory of a run holds beside event files: ``name`` is that of the first of ``count``."""

    kind: ContentKind
    name: str
    count: int


class RunSummary(Answer):
    """A line of the run list. ``tags`` counts tags by kind; ``dropped`` counts values that the recorder had to drop.

    ``rank`` is the run's number among the ranks of the group ``rank_of``; both are null for a run that has no siblings.
    """

    id: str
    name: str
    path: str
    state: RunState
    files: int
    size_bytes: int
    first_wall_time: float | None
    last_wall_time: float | None
    last_step: int | None
    tags: dict[Kind, int]
    contents: list[RunContent]
    damages: int
    dropped: int
    dialects: list[DialectName]
    rank_of: str | None
    rank: int | None


class UnreadEntry(Answer):
    """A place that can't be looked into, why, and what to do in English. A ``directory`` hides all runs below it."""

    path: str
    kind: PlaceKind
    detail: ReasonEntry
    remedy: str


class RunsHead(Answer):
    """``version`` is the one that live changes count on from; ``cursor`` is what to give as ``since`` the next time.

    ``is_whole``: these are all runs. Otherwise they are those that are different since, and ``gone`` those that went.
    ``unread``: all that can't be looked into below the base directory, by path; null when it is the same since.
    """

    version: int
    cursor: str
    is_whole: bool
    gone: list[str]
    unread: list[UnreadEntry] | None


class RunsAnswer(RunsHead):
    """Runs below the base directory, in natural order of their ids."""

    runs: list[RunSummary]


class TagsQuery(Query):
    """Which tags of one kind do these runs hold? An unknown run holds none."""

    runs: list[str] = Field(max_length=MAX_RUNS)
    kind: Kind = Kind.SCALAR


class LastPoint(Answer):
    """The newest value. Where JSON has no number for it, it is null and ``value_text`` NaN, Infinity or -Infinity."""

    step: int
    value: float | None
    value_text: str | None


class TagSummary(Answer):
    """A tag: the runs that hold it, as indices into the query's ``runs``, and its points in all of them together.

    ``last`` is the newest point of any of these runs, null for kinds other than scalar.
    """

    tag: str
    runs: list[int]
    points: int
    last: LastPoint | None


class TagsAnswer(Answer):
    """Ordered by tag."""

    tags: list[TagSummary]


class DamageEntry(Answer):
    """A place of a file that can't be read; ``resumed_at`` is the byte of the next intact record, null if none yet."""

    file: str
    offset: int
    kind: DamageKind
    detail: ReasonEntry
    resumed_at: int | None
    text: str


class DamagesAnswer(Answer):
    """What of a run can't be read, and how many values its recorder had to drop."""

    damages: list[DamageEntry]
    dropped: int
