# SPDX-License-Identifier: Apache-2.0
"""Makes runs of the logs of other trackers: joins the parts of a run, and leaves out copies."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mindscope.ingest.event_file import EventFile
from mindscope.ingest.file_names import readable, run_id
from mindscope.trackers.log import Directory, FoundLog, FoundLogs
from mindscope.trackers.trackers import as_text, find_logs


class TrackerRun(NamedTuple):
    """A run of another tracker: its id, the directory with its other files, and its logs."""

    id: str
    path: Path
    files: tuple[EventFile, ...]


class TrackerLogPaths:
    """The logs of all runs: their keys, by the files and directories that hold them."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """``files`` are the files and directories of logs, by key."""
        self._files = files
        self._keys: dict[str, list[str]] = {}
        for key, file in files.items():
            self._keys.setdefault(file, []).append(key)

    def file(self, key: str) -> str:
        """Return the file or directory of a log; of another path itself."""
        return self._files.get(key, key)

    def at(self, path: str) -> Sequence[str]:
        """Return the keys of logs that a change of a path may concern: of its own, of a database, of a directory."""
        if not self._keys:
            return ()
        for file in (path, path.removesuffix("-wal")):
            if file in self._keys:
                return self._keys[file]
        above = os.path.dirname(path)  # noqa: PTH120 (for each change of a file)
        while len(above) > 1:
            if above in self._keys:
                return self._keys[above]
            above = os.path.dirname(above)  # noqa: PTH120
        return ()


def logs_in(directory: str, names: Collection[str], *, has_events: bool) -> FoundLogs:
    """Return the logs of other trackers in a directory with these names."""
    return find_logs(Directory(directory, names, has_events))


def runs_of_trackers(base: str, found: Mapping[str, FoundLogs]) -> dict[str, TrackerRun]:
    """Return the runs of these logs, by the path that names them. ``found`` are the logs by directory."""
    groups: dict[str, list[FoundLog]] = {}
    for log in _without_copies([log for logs in found.values() for log in logs.logs]):
        groups.setdefault(log.group or log.run, []).append(log)
    runs = dict[str, TrackerRun]()
    for logs in groups.values():
        logs.sort(key=lambda log: (log.created, log.path))
        first = logs[0]
        files = tuple(_event_file(log, first.directory) for log in logs)
        runs[first.run] = TrackerRun(run_id(base, first.run), Path(first.directory), files)
    return runs


def _without_copies(logs: Iterable[FoundLog]) -> list[FoundLog]:
    """Return the first log of each identity: of the shortest path, then in the order of the paths."""
    first: dict[str, FoundLog] = {}
    for log in sorted(logs, key=lambda log: (log.run.count(os.sep), log.path)):
        first.setdefault(log.identity, log)
    return list(first.values())


def _event_file(log: FoundLog, directory: str) -> EventFile:
    path = as_text(log.path)
    is_inside = path.startswith(directory + os.sep)
    name = readable(path[len(directory) + 1 :] if is_inside else os.path.basename(path))  # noqa: PTH119
    return EventFile(name, path, log.created, log.dialect)
