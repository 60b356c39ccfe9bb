# SPDX-License-Identifier: Apache-2.0
"""What a database says of all its runs, looked up once for all of them after a change."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from time import monotonic, time_ns
from typing import Any, Generic, TypeVar

from mindscope.errors import FormatError
from mindscope.lru import LRU
from mindscope.reasons import reason_of
from mindscope.trackers.database import (
    SUFFIXES,
    DatabaseBusyError,
    is_database,
    lock_of,
    modified_ns,
    read_database,
    state_of,
    transaction,
)
from mindscope.trackers.log import NO_LOGS, Directory, FoundLog, FoundLogs, LogPath, LogProblem, LogState

R = TypeVar("R")

_TICK_NS = 20_000_000
"""A file that changed this recently may change again without another time in its stat."""
_MOST_AGE_S = 2.0
_RETRY_S = 1.0
_DATABASES = 256


@dataclass(frozen=True, slots=True)
class RunList(Generic[R]):
    """The runs in a database by their ids, and their logs."""

    runs: Mapping[str, R]
    logs: tuple[FoundLog, ...]
    newest: int = 0
    """The highest row id of all runs, for the next look."""


@dataclass(slots=True)
class _Look(Generic[R]):
    state: LogState
    is_settled: bool
    at: float
    runs: RunList[R] | None
    """None for a database of another program."""
    error: Exception | None = None
    shown_to: set[str] = field(default_factory=set[str])


class DatabaseRuns(Generic[R]):
    """The runs of the databases of one tracker."""

    def __init__(self, look: Callable[[str, sqlite3.Connection, RunList[R] | None], RunList[R] | None]) -> None:
        """``look`` lists the runs of a database; it gets the result of the last look, and returns None for others."""
        self._look = look
        self._looks: LRU[str, _Look[R]] = LRU(_DATABASES)

    def of(self, path: str, part: str = "") -> RunList[R] | None:
        """Return the runs, as they are now or were a moment ago. Raises as ``read_database``.

        A database with a thousand runs changes all the time, and all runs are looked at after a change. So one look
        answers each ``part`` once, and later ones without a ``part`` are new ones.
        """
        with lock_of(path):
            state = state_of(path)
            last = self._looks.get(path)
            if last is None or not _is_current(last, state, part):
                last = self._looks.add(path, self._looked(path, state, last))
            last.shown_to.add(part)
            if last.error is not None:
                raise last.error
            return last.runs

    def _looked(self, path: str, state: LogState, last: _Look[R] | None) -> _Look[R]:
        before = None if last is None else last.runs
        is_settled = time_ns() - modified_ns(state) > _TICK_NS
        shown_to = last.shown_to if last is not None and last.state == state else set[str]()
        try:
            runs = read_database(path, lambda connection: self._look_once(path, connection, before))
        except (OSError, FormatError) as error:
            return _Look(state, is_settled, monotonic(), before, error, shown_to)
        return _Look(state, is_settled, monotonic(), runs, None, shown_to)

    def _look_once(self, path: str, connection: sqlite3.Connection, before: RunList[R] | None) -> RunList[R] | None:
        with transaction(connection):
            return self._look(path, connection, before)

    def run(self, log: LogPath) -> R:
        """Return what the database says of a run.

        Raises FileNotFoundError if it has no such run, and as ``read_database``.
        """
        runs = self.of(log.path, log.part)
        run = None if runs is None else runs.runs.get(log.part)
        if run is None:
            raise FileNotFoundError(log.path)
        return run

    def find(self, directory: Directory) -> FoundLogs:
        """Return the runs of all databases in a directory."""
        logs, problems, newest = list[FoundLog](), list[LogProblem](), 0
        for name in sorted(name for name in directory.names if name.endswith(SUFFIXES)):
            path = directory.join(name)
            try:
                runs, problem = self._runs_or_problem(path)
                if runs is not None:
                    newest = max(newest, modified_ns(state_of(path)))
            except OSError:
                continue
            logs += runs.logs if runs is not None else ()
            if problem is not None:
                problems.append(problem)
        return FoundLogs(tuple(logs), False, newest, tuple(problems)) if logs or problems or newest else NO_LOGS

    def _runs_or_problem(self, path: str) -> tuple[RunList[R] | None, LogProblem | None]:
        try:
            return (self.of(path) if is_database(path) else None), None
        except (DatabaseBusyError, FormatError) as error:
            last = self._looks.get(path)  # runs of a database that is locked for a while stay in the list
            runs = None if last is None else last.runs
            return runs, None if runs is not None and runs.logs else LogProblem(path, reason_of(error))


def _is_current(look: _Look[Any], state: LogState, part: str) -> bool:
    age = monotonic() - look.at
    if isinstance(look.error, OSError):
        return age < _RETRY_S
    if look.state == state:
        return look.is_settled or age < _TICK_NS / 1e9
    is_new = bool(part) and part not in look.shown_to and age < _MOST_AGE_S
    return is_new and look.error is None and look.runs is not None


def digest(*parts: object) -> int:
    """Return a number of 63 bits for texts and numbers, which is the same in each process."""
    return int.from_bytes(blake2b(repr(parts).encode("utf-8", "replace"), digest_size=8).digest(), "big") >> 1
