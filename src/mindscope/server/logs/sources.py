# SPDX-License-Identifier: Apache-2.0
"""Finds the log files of trainings, and keeps those that were used last open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

from mindscope.artifacts.opened import OpenArtifacts
from mindscope.debug.logs.filter import LogFilter
from mindscope.debug.logs.find_logs import MOST_FILES
from mindscope.debug.logs.log_files import LogFiles, Selection
from mindscope.debug.logs.saved_index import evict_indexes
from mindscope.errors import MindscopeError
from mindscope.ingest import Catalog
from mindscope.lru import LRU
from mindscope.reading.training_logs import TrainingLogs
from mindscope.reasons import Reason

MOST_OPEN = 3
_MOST_SELECTIONS = 3


class NoLogError(MindscopeError):
    """A run has no such log."""

    def __init__(self, run: str) -> None:
        super().__init__(Reason("log_not_found", run=run))


@dataclass(eq=False)
class OpenLog:
    """The open files of a training, and what filters selected of them. Hold ``lock`` while it is used."""

    logs: LogFiles
    lock: RLock = field(default_factory=RLock)
    _selections: LRU[str, Selection] = field(default_factory=lambda: LRU(_MOST_SELECTIONS))

    def selection(self, condition: LogFilter) -> Selection:
        """Return the messages that a filter selects, as far as the log was searched. Raises DebugDataError."""
        return self._selections.get_or_add(
            repr(condition),
            lambda: Selection(self.logs, condition),
            lambda selection: selection.generations == self.logs.generations,
        )


class OpenLogs:
    """The logs that were used last. For any thread."""

    def __init__(self, folder: Path | None, limit_bytes: int) -> None:
        self._folder, self._limit_bytes = folder, limit_bytes
        self._open: OpenArtifacts[tuple[str, tuple[str, ...]], OpenLog] = OpenArtifacts(MOST_OPEN)

    def get(self, catalog: Catalog, run: str, names: Sequence[str]) -> OpenLog:
        """Return the log of a training, or some of its files.

        Raises:
            NoLogError: it has none, or not one of that name.
            RunNotFoundError, OSError: it can't be found.
        """
        logs = TrainingLogs(catalog.runs).of(catalog.run(run))
        paths = tuple((name, path) for name, path in logs.items() if not names or name in names)
        if not paths:
            raise NoLogError(run)
        return self._open.get((run, tuple(sorted(names))), paths, lambda _: self._opened(paths))

    def _opened(self, paths: tuple[tuple[str, Path], ...]) -> OpenLog:
        if self._folder is not None:
            evict_indexes(self._folder, self._limit_bytes, MOST_OPEN * MOST_FILES)
        return OpenLog(LogFiles(paths, self._folder))
