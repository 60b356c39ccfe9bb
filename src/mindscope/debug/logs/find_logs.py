# SPDX-License-Identifier: Apache-2.0
"""Finds the log files of a training, and files of printed values: in its directory, and beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

from mindscope.artifacts.entries import entries_of
from mindscope.debug.formats.print_file import is_print_file
from mindscope.formats.log_names import is_log_name

_DEPTH = 4
"""Directories below the one of a run."""
MOST_FILES = 256
_GLOG = re.compile(
    r"(?P<program>.+)\.log\.(?P<level>INFO|WARNING|ERROR|FATAL)\.\d{8}-\d{6}\.(?P<process>\d+)", re.ASCII
)
_PRINT = re.compile(r".*print.*|.*\.(data|pb)", re.IGNORECASE)
"""Names that files of ``print_file_path`` have; which are some, their first bytes say."""
_SEVERITY = ("INFO", "WARNING", "ERROR", "FATAL")
_BESIDE = re.compile(r"logs?|rank_?\d+", re.IGNORECASE | re.ASCII)


def find_logs(directory: Path, runs: AbstractSet[str] = frozenset()) -> list[Path]:
    """Return the log files below the directory of a run, except those below the directories of ``runs`` inside it.

    The files of one process that glog writes by severity repeat each other; only the one with all lines counts. Raises
    OSError if the directory can't be read.
    """
    os.scandir(directory).close()
    return _sorted(_below(directory, _DEPTH, runs))


def find_logs_beside(directory: Path, runs: AbstractSet[str] = frozenset()) -> list[Path]:
    """Find the logs in the directory that holds the one of a run, and in its directories such as ``logs``."""
    paths, own = list[Path](), str(directory)
    for entry in entries_of(directory.parent):
        if _is_log(entry):
            paths.append(Path(entry.path))
        elif (
            _BESIDE.fullmatch(entry.name)
            and entry.path not in runs
            and entry.path != own
            and entry.is_dir(follow_symlinks=False)
        ):
            paths += _below(Path(entry.path), 1, runs)
    return _sorted(paths)


def _below(directory: Path, depth: int, runs: AbstractSet[str]) -> Iterator[Path]:
    for entry in entries_of(directory):
        if _is_log(entry):
            yield Path(entry.path)
        elif depth and entry.path not in runs and _is_directory(entry):
            yield from _below(Path(entry.path), depth - 1, runs)


def _is_log(entry: os.DirEntry[str]) -> bool:
    """Check by its name whether it is a log; symbolic links of glog point to files that are found too."""
    with suppress(OSError):
        is_named = is_log_name(entry.name)
        if not is_named and not _PRINT.fullmatch(entry.name):
            return False
        return entry.is_file(follow_symlinks=False) and (is_named or is_print_file(Path(entry.path)))
    return False


def _is_directory(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        return not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
    return False


def _sorted(paths: Iterable[Path]) -> list[Path]:
    found = list(paths)
    fullest: dict[tuple[Path, str, str], int] = {}
    for path in found:
        if match := _GLOG.fullmatch(path.name):
            key = (path.parent, match["program"], match["process"])
            fullest[key] = min(fullest.get(key, len(_SEVERITY)), _SEVERITY.index(match["level"]))
    kept: list[Path] = []
    for path in found:
        match = _GLOG.fullmatch(path.name)
        if match is None or _SEVERITY.index(match["level"]) == fullest[path.parent, match["program"], match["process"]]:
            kept.append(path)
    return sorted(set(kept))[:MOST_FILES]
