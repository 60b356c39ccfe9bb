# SPDX-License-Identifier: Apache-2.0
"""Describes a tracker: how to find its logs, how to read their new rows, and how to read a value of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from mindscope.errors import MindscopeError
from mindscope.formats.scan import Scanned
from mindscope.reasons import Reason
from mindscope.types import Damage, DialectName, Kind

Json = Any
LogState = tuple[int, ...]
"""Numbers that differ after any change of a log, such as the size and the times of a file."""


class LogPath(NamedTuple):
    """The file or directory of a log; ``part`` names the run in one that holds several, else it is empty."""

    path: str
    part: str = ""


class Directory(NamedTuple):
    """A directory that is searched for logs, and the names of its entries."""

    path: str
    names: Collection[str]
    has_events: bool
    """Whether event files lie in it."""

    def join(self, name: str) -> str:
        """Return the path of an entry."""
        return f"{self.path}{os.sep}{name}"


@dataclass(frozen=True, slots=True)
class FoundLog:
    """The log of a run.

    ``run`` is the path that gives the run its id, ``directory`` the one with its other files. Logs with one ``group``
    are parts of one run, in the order of ``created``. Of logs with one ``identity``, which are copies, one is read.
    """

    dialect: DialectName
    path: LogPath
    run: str
    directory: str
    identity: str
    group: str = ""
    created: int = 0


class LogProblem(NamedTuple):
    """A file of several runs that can't be read, and the reason."""

    path: str
    reason: Reason


class FoundLogs(NamedTuple):
    """The logs in a directory. ``is_whole``: the directories in it hold nothing else that is read.

    ``modified_ns`` is the newest time of files of several runs, which may gain one without a change of the directory.
    """

    logs: tuple[FoundLog, ...]
    is_whole: bool = False
    modified_ns: int = 0
    problems: tuple[LogProblem, ...] = ()
    is_pending: bool = False
    """Whether a file may become a log without a change of the directory, since it has no rows yet."""


NO_LOGS = FoundLogs(())


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows that a log has gained.

    ``progress`` is what the next call gets, as JSON. ``has_more``: the call stopped at its budget. ``size_bytes`` and
    ``read_bytes`` are those of the log; ``name`` is the name of the run, empty if the log has none yet. ``notes`` say
    what of the log so far is not shown as it is there. ``damages`` are all so far.
    """

    scanned: Scanned
    progress: Json
    size_bytes: int
    read_bytes: int
    modified_at: float
    has_more: bool = False
    is_ended: bool = False
    name: str = ""
    notes: tuple[Reason, ...] = ()
    damages: tuple[Damage, ...] = ()


class LogReplacedError(MindscopeError):
    """A log has other content before the position that was read: it must be read from its beginning."""

    is_usual = False
    """Whether its own program writes such a log again, which is no damage."""


def _state_of_file(log: LogPath) -> LogState:
    stat = os.stat(log.path)  # noqa: PTH116 (ten thousand times)
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


@dataclass(frozen=True, slots=True)
class Tracker:
    """A tracker: a row of ``TRACKERS``."""

    dialect: DialectName
    find: Callable[[Directory], FoundLogs]
    """Finds the logs of a directory. Reads names and beginnings of files only; may raise OSError."""
    read: Callable[[LogPath, Json, int, int | None], NewRows]
    """Reads on from a progress, None at the beginning, at most about a number of bytes.

    The last argument is the highest step of the parts of the run before this one, None for the first. Raises OSError,
    FormatError, LogReplacedError.
    """
    value: Callable[[LogPath, Kind, str, int, int], bytes]
    """Returns the value of a kind and tag at ``offset`` and ``length`` as TensorBoard's Summary.Value.

    Raises OSError, FormatError.
    """
    state: Callable[[LogPath], LogState] = _state_of_file
    """Raises OSError."""
    is_own_run: bool = True
    """Whether its logs count in a directory that holds other ones too."""
