# SPDX-License-Identifier: Apache-2.0
"""Finds files of numbers with a column of steps, which many programs write: CSV, JSON lines, Transformers' history.

A file with a conventional name is the log of its directory, any other one is a run of its own.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator

from mindscope.formats.regular_files import file_head
from mindscope.trackers.csv_log import csv_layout, read_csv
from mindscope.trackers.json_log import (
    HISTORY,
    has_history,
    json_layout,
    json_value,
    names_steps,
    read_history,
    read_json_lines,
)
from mindscope.trackers.log import NO_LOGS, Directory, FoundLog, FoundLogs, Json, LogPath, NewRows, Tracker
from mindscope.trackers.table_state import table_state
from mindscope.types import DialectName

CONVENTIONAL = (
    "result.json", "metrics.jsonl", "metrics.json", "metrics.csv", "progress.csv", "progress.json", "results.csv",
    "training.log", "log.csv", "log.jsonl", "log.json", "training_log.csv", "history.csv",
)  # fmt: skip
"""Names of logs by precedence: Ray, Lightning, Stable-Baselines3, Ultralytics and Keras write them."""
_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson")
_MOST_FILES = 200
"""A directory with more tables is a data set."""
_HEAD, _LONG_HEAD = 1 << 16, 1 << 22
_CHECKPOINT = re.compile(r"checkpoint-(\d{1,18})", re.ASCII)
_PENDING_S = 24 * 3600
"""A file without rows is looked at for so long."""


def _find(directory: Directory) -> FoundLogs:
    if history := _find_history(directory):
        return history
    is_pending = False
    conventional = [name for name in CONVENTIONAL if name in directory.names]
    for name in conventional:
        is_table, waits = _recognize(directory.join(name), is_conventional=True)
        if is_table:
            return FoundLogs((_found(directory, name, directory.path),))
        is_pending |= waits
    names = sorted(name for name in directory.names if name.endswith(_SUFFIXES) and name not in conventional)
    logs = list[FoundLog]()
    for name in names if len(names) <= _MOST_FILES else ():
        is_table, waits = _recognize(directory.join(name), is_conventional=False)
        is_pending |= waits
        if is_table:
            logs.append(_found(directory, name, directory.join(name)))
    return FoundLogs(tuple(logs), is_pending=is_pending)


def _found(directory: Directory, name: str, run: str) -> FoundLog:
    path = directory.join(name)
    return FoundLog(DialectName.TABLE, LogPath(path), run, directory.path, path)


def _recognize(path: str, *, is_conventional: bool) -> tuple[bool, bool]:
    """Return whether a file is a log, and whether it may become one since it has no rows yet."""
    try:
        head = file_head(path, _HEAD, follows_links=False)
        if (head.startswith(b"{") and b"\n" not in head) or (len(head) == _HEAD and head.count(b"\n") < 2):
            head = file_head(path, _LONG_HEAD, follows_links=False)
        stat = os.lstat(path)
    except OSError:
        return False, False
    has_row = b"\n" in head if _is_json(path, head) else head.count(b"\n") > 1
    if not has_row and time.time() - stat.st_mtime < _PENDING_S:
        return False, (is_conventional and not head) or names_steps(head)
    layout = json_layout if _is_json(path, head) else csv_layout
    return layout(head, is_conventional=is_conventional) is not None, False


def _is_json(path: str, head: bytes) -> bool:
    return head.startswith(b"{") or path.endswith((".json", ".jsonl", ".ndjson"))


def _find_history(directory: Directory) -> FoundLogs | None:
    """Return the newest history of Transformers' trainer: of the directory, or of its last checkpoint."""
    if _has_events_of_trainer(directory):
        return NO_LOGS
    numbers = sorted(
        (int(match[1]) for name in directory.names if (match := _CHECKPOINT.fullmatch(name))), reverse=True
    )
    direct = (HISTORY,) if HISTORY in directory.names else ()
    for position, name in enumerate((*direct, *(f"checkpoint-{number}{os.sep}{HISTORY}" for number in numbers))):
        path = directory.join(name)
        if os.path.isfile(path) and has_history(path):  # noqa: PTH113 (ten thousand times)
            return FoundLogs((_found_history(directory, path),), is_pending=position > 0 and not direct)
    return None


def _has_events_of_trainer(directory: Directory) -> bool:
    """Return whether a trainer wrote event files with the same numbers below ``runs``."""
    if "runs" not in directory.names or not any(
        name == HISTORY or _CHECKPOINT.fullmatch(name) for name in directory.names
    ):
        return False
    return any("tfevents" in name for name in _names_below(directory.join("runs"), 2))


def _names_below(directory: str, levels: int) -> Iterator[str]:
    with os.scandir(directory) as entries:
        for entry in entries:
            yield entry.name
            if levels > 1 and entry.is_dir(follow_symlinks=False):
                yield from _names_below(entry.path, levels - 1)


def _found_history(directory: Directory, path: str) -> FoundLog:
    name = os.path.basename(directory.path)  # noqa: PTH119
    owner = os.path.dirname(directory.path) if _CHECKPOINT.fullmatch(name) else directory.path  # noqa: PTH120
    return FoundLog(DialectName.TABLE, LogPath(path), directory.path, directory.path, f"{owner}{os.sep}{HISTORY}")


def _read(log: LogPath, progress: Json, budget: int, before: int | None) -> NewRows:
    if log.path.endswith(f"{os.sep}{HISTORY}"):
        return read_history(log, progress, budget, before)
    is_json = "step_name" in progress if progress else _is_json(log.path, file_head(log.path, 1))
    return (read_json_lines if is_json else read_csv)(log, progress, budget, before)


TABLE = Tracker(DialectName.TABLE, _find, _read, json_value, table_state, is_own_run=False)
