# SPDX-License-Identifier: Apache-2.0
"""All trackers, and the logs of them that a directory holds."""

from __future__ import annotations

import os
from collections.abc import Mapping

from mindscope.formats.kinds.tensorboard_plugins import EXPERIMENT_TAG, START_TAG
from mindscope.trackers import values
from mindscope.trackers.clearml import CLEARML
from mindscope.trackers.dvclive import DVCLIVE
from mindscope.trackers.log import NO_LOGS, Directory, FoundLog, FoundLogs, LogPath, LogProblem, Tracker
from mindscope.trackers.mlflow_database import MLFLOW
from mindscope.trackers.mlflow_files import MLFLOW_FILES
from mindscope.trackers.swanlab import SWANLAB
from mindscope.trackers.tables import TABLE
from mindscope.trackers.trackio import TRACKIO
from mindscope.trackers.wandb import WANDB
from mindscope.types import DialectName, Kind

TRACKERS: tuple[Tracker, ...] = (
    WANDB,
    MLFLOW,
    MLFLOW_FILES,
    TRACKIO,
    SWANLAB,
    DVCLIVE,
    CLEARML,
    TABLE,
)
"""The first ones that find logs in a directory read them."""
BY_DIALECT: Mapping[DialectName, Tracker] = {tracker.dialect: tracker for tracker in TRACKERS}
SEPARATOR = "#run="
"""Between the path of a file and the name of a run in it."""


_SUFFIXES = (
    ".wandb", ".swanlab", ".db", ".sqlite", ".sqlite3", ".csv", ".json", ".jsonl", ".ndjson", ".yaml", ".tsv", ".zip",
    "training.log",
)  # fmt: skip


def is_tracker_log_name(name: str) -> bool:
    """Return whether a file of this name may be the log of another tracker."""
    return name.endswith(_SUFFIXES)


def find_logs(directory: Directory) -> FoundLogs:
    """Return the logs in a directory. Those that can't be read are left out."""
    logs, is_whole, is_pending, modified_ns = list[FoundLog](), False, False, 0
    problems = dict[str, LogProblem]()
    for tracker in TRACKERS:
        if (logs or directory.has_events) and not tracker.is_own_run:
            continue
        try:
            new = tracker.find(directory)
        except OSError:
            continue
        logs += new.logs
        is_whole |= new.is_whole
        is_pending |= new.is_pending
        modified_ns = max(modified_ns, new.modified_ns)
        problems |= {problem.path: problem for problem in new.problems}
    for log in logs:  # one tracker reads what another one could not a moment ago
        problems.pop(log.path.path, None)
    is_any = bool(logs or modified_ns or problems or is_pending)
    whole = FoundLogs(tuple(logs), is_whole, modified_ns, tuple(problems.values()), is_pending)
    return whole if is_any else NO_LOGS


def as_text(path: LogPath) -> str:
    """Return a log as one text, which is its key: the path, with the run in a file of several."""
    return f"{path.path}{SEPARATOR}{path.part}" if path.part else path.path


def as_path(text: str) -> LogPath:
    """Return the log of ``as_text``."""
    path, _, part = text.partition(SEPARATOR)
    return LogPath(path, part)


def shared_file(text: str) -> str | None:
    """Return the file or directory of a log, if it is more than one file of one run; else None.

    Nobody may delete, move or pack a run by it: other runs or media belong to it, or its program keeps lists of files.
    """
    path, part = as_path(text)
    has_more = path.endswith((".wandb", ".swanlab"))  # media, and the parts of a run that was resumed
    return path if part or has_more or os.path.isdir(path) else None  # noqa: PTH112 (returns False on errors)


def read_value(dialect: DialectName, path: str, kind: Kind, tag: str, offset: int, length: int) -> bytes:
    """Return a value of the log ``as_text`` as TensorBoard's Summary.Value. Raises OSError, FormatError."""
    read, log = BY_DIALECT[dialect].value, as_path(path)
    if tag == EXPERIMENT_TAG:
        return values.experiment_of(read(log, kind, START_TAG, offset, length))
    return read(log, kind, tag, offset, length)
