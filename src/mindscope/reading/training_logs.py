# SPDX-License-Identifier: Apache-2.0
"""The logs of a training, and the error that it ended with."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from mindscope.analysis.ranks import RankGroups
from mindscope.debug.logs.crash import Crash, CrashKind, read_crash
from mindscope.debug.logs.find_logs import MOST_FILES, find_logs, find_logs_beside
from mindscope.debug.logs.index import rank_in_path
from mindscope.ingest.file_names import readable
from mindscope.reading.debugging_data import BASE_ID
from mindscope.store import RunStore
from mindscope.store.contents import ContentKind
from mindscope.store.file_facts import CLOSABLE

_LATER_S = 2.0
"""A step this long after an error shows that the training went on."""
_OTHER_LOG_S = 60.0
"""So does another log of the rank, without an error, that was written this long after it."""


_LATEST_COPY_S = 120.0


class NamedCrash(NamedTuple):
    """The error that a log ends with, and the path of the log relative to its run."""

    name: str
    crash: Crash


def crashes_of(logs: Mapping[str, Path], stores: Iterable[RunStore]) -> list[NamedCrash]:
    """Return the errors that logs of a training end with, the first one first; none if it recorded steps afterwards.

    Args:
        logs: the paths of the logs by name.
        stores: the runs of all ranks.
    """
    last_step = max((store.last_wall_time or 0.0 for store in stores), default=0.0)
    crashes: list[NamedCrash] = []
    later: list[tuple[int, float]] = []
    for name, path in logs.items():
        with suppress(OSError):
            crash = read_crash(path)
            if crash is None:
                later.append((rank_in_path(path), path.stat().st_mtime - _OTHER_LOG_S))
            elif crash.modified_at + _LATER_S >= last_step:
                crashes.append(NamedCrash(name, crash))
    ended = [each for each in crashes if not any(rank == rank_in_path(each.crash.path) and time > each.crash.modified_at
                                               for rank, time in later)]  # fmt: skip
    return sorted(ended, key=lambda each: (each.crash.kind is not CrashKind.ERROR, each.crash.modified_at, each.name))


def is_unclosed(store: RunStore, now: float) -> bool:
    """Return whether a run no longer grows and its writer did not close it, as that of a killed process.

    A file that is much newer than its last value is a copy, which may have lost the mark of the writer.
    """
    files = [facts for facts in store.files if facts.dialect in CLOSABLE]
    last = store.last_wall_time
    if not files or last is None or store.state(now) != "idle":
        return False
    return max(facts.modified_at for facts in files) - last <= _LATEST_COPY_S


class TrainingLogs:
    """The log files of trainings among ``runs``, whose paths are read once."""

    def __init__(self, runs: Mapping[str, RunStore]) -> None:
        self._groups = RankGroups(runs)
        self._paths = {str(run.path) for run in runs.values()}
        self._runs_below = Counter(
            folder for run in runs.values() if not _has_logs_only(run) for folder in _with_parents(str(run.path))
        )

    def of(self, store: RunStore) -> dict[str, Path]:
        """Return log files by their paths relative to the run, those of all ranks and those beside it."""
        ranks = sorted(self._groups.of(store), key=lambda rank_store: rank_store is not store)
        directory = Path(store.path)
        found: list[Path] = []
        for rank in ranks:
            with suppress(OSError):
                found += find_logs(Path(rank.path), self._paths)
        if store.id != BASE_ID and self._is_alone(directory.parent, ranks):
            found += find_logs_beside(directory, self._paths)
        paths = list(dict.fromkeys(found))[:MOST_FILES]
        return {readable(os.path.relpath(path, directory)): path for path in paths}

    def _is_alone(self, folder: Path, ranks: Iterable[RunStore]) -> bool:
        """Return whether a directory holds runs of one training only."""
        here = sum(run.path.is_relative_to(folder) for run in ranks if not _has_logs_only(run))
        return self._runs_below[str(folder)] <= here


def _with_parents(path: str) -> Iterator[str]:
    yield path
    while (parent := os.path.dirname(path)) != path:  # noqa: PTH120 - ten times as fast for many runs
        yield (path := parent)


def _has_logs_only(store: RunStore) -> bool:
    return not store.files and all(each.kind is ContentKind.LOG_FILE for each in store.contents)
