# SPDX-License-Identifier: Apache-2.0
"""Messages about runs, and paths that can't be read."""

from __future__ import annotations

from enum import Enum

from mindscope.ingest import PathKind
from mindscope.server.http.schema import Answer, ReasonEntry
from mindscope.store.contents import ContentKind
from mindscope.types import DialectName, Kind


class RunState(str, Enum):
    """``live`` grew within the last minute, ``finished`` was closed, ``idle`` is neither, ``empty`` has no record.

    A run without event files is ``idle``, and ``live`` if it is one of logs that grew within the last minute.
    """

    LIVE = "live"
    FINISHED = "finished"
    IDLE = "idle"
    EMPTY = "empty"


class RunContent(Answer):
    """Other files in the directory of a run: ``count`` files of a kind, ``name`` is the first."""

    kind: ContentKind
    name: str
    count: int


class RunSummary(Answer):
    """A run in the list. ``tags`` counts tags by kind; ``dropped`` counts values that the recorder dropped.

    Of a run without event files, ``size_bytes`` and ``last_wall_time`` are those of its other contents; the size is
    null if it is unknown, as of directories.

    ``notes`` say what of the logs of another tracker is not shown as it is there.

    ``rank`` is the number of the run in the group of ranks ``rank_of``; both are null for a run without siblings.
    """

    id: str
    name: str
    path: str
    state: RunState
    files: int
    size_bytes: int | None
    first_wall_time: float | None
    last_wall_time: float | None
    last_step: int | None
    tags: dict[Kind, int]
    contents: list[RunContent]
    damages: int
    dropped: int
    dialects: list[DialectName]
    notes: list[ReasonEntry]
    rank_of: str | None
    rank: int | None


class UnreadEntry(Answer):
    """A path that can't be read, the reason, and the remedy in English. A ``directory`` hides all runs below it."""

    path: str
    kind: PathKind
    detail: ReasonEntry
    remedy: str


class RunsHead(Answer):
    """``version`` precedes the versions of later live changes; ``cursor`` is the ``since`` of the next request.

    ``is_whole``: the response has all runs. Otherwise it has those that have changed, and ``gone`` the removed ones.
    ``unread``: all paths below the base directory that can't be read; null if they have not changed.
    """

    version: int
    cursor: str
    is_whole: bool
    gone: list[str]
    unread: list[UnreadEntry] | None


class RunsAnswer(RunsHead):
    """Runs below the base directory, in natural order of their ids."""

    runs: list[RunSummary]
