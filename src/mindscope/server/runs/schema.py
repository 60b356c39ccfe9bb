# SPDX-License-Identifier: Apache-2.0
"""Messages about the viewer, its runs, their tags and what of them can't be read."""

from __future__ import annotations

from enum import Enum

from mindscope.ingest import PathKind
from mindscope.server.http.schema import Answer, ReasonEntry
from mindscope.store.contents import ContentKind
from mindscope.types import DialectName, Kind


class RunState(str, Enum):
    """``live`` grew within the last minute, ``finished`` was closed, ``idle`` is neither, ``empty`` has no record."""

    LIVE = "live"
    FINISHED = "finished"
    IDLE = "idle"
    EMPTY = "empty"


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
    kind: PathKind
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
