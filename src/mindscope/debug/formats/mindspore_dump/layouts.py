# SPDX-License-Identifier: Apache-2.0
"""The directory trees of dumps, one for each generation.

Source: MindSpore's documentation of dumps, r1.0 to r2.6.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mindscope.debug.formats.mindspore_dump.file_names import is_dump_file, is_overflow_file

_MOST_ENTRIES = 64
"""Entries of a directory whose names are checked to recognize it."""
CONSTANTS = "constants"


class DumpDirectory(NamedTuple):
    """A directory with the tensors of one graph in one iteration."""

    path: Path
    rank: int
    net: str
    graph: str
    iteration: int | None
    """Number of the iteration; None for constants, which belong to no iteration."""


@dataclass(frozen=True, slots=True)
class _Layout:
    levels: tuple[re.Pattern[str], ...]
    """Patterns of the names of directories, the outermost first."""

    @classmethod
    def of(cls, *levels: str) -> _Layout:
        return cls(tuple(re.compile(level, re.ASCII) for level in levels))


_RANK = r"rank_(?P<rank>\d{1,9})"
_NET = r"(?P<net>[^/]+)"
_GRAPH = r"(?P<graph>\d{1,9})"
_ITERATION = r"(?P<iteration>\d{1,18})"
_DEVICE = r"(?P<rank>\d{1,9})"
_STEP = r"(?P<step>\d{1,12})"
_TIME = r"\d{14}"
_LAYOUTS = (
    _Layout.of(_RANK, _NET, _GRAPH, rf"{_ITERATION}|{CONSTANTS}"),  # r1.3 and later
    _Layout.of(_NET, r"device_(?P<rank>\d{1,9})", rf"iteration_{_ITERATION}"),  # r1.0 to r1.2, synchronous
    _Layout.of(_NET, rf"iteration_{_ITERATION}"),  # the same on CPU
    _Layout.of(_DEVICE, r"(?P<net>.+)_graph_\d+", _GRAPH, _ITERATION),  # r1.0 to r1.2, asynchronous
    _Layout.of(_STEP, _TIME, _DEVICE, _NET, _GRAPH, _ITERATION),  # r2.3 and later, ACL
    _Layout.of(_TIME, _DEVICE, _NET, _GRAPH, _ITERATION),  # GE
    _Layout.of(_STEP, _TIME, _DEVICE),  # 2.3 at O0
    _Layout.of(_TIME, _DEVICE),
)


def is_dump(root: Path) -> bool:
    """Return whether a directory has a tree of a dump with at least one file in it. Raises OSError."""
    return next(dump_directories(root), None) is not None


def dump_directories(root: Path) -> Iterator[DumpDirectory]:
    """Yield the directories with tensors below the root of a dump, or below its directory of one rank.

    Raises OSError.
    """
    if not root.is_dir():
        return
    own = re.fullmatch(_RANK, root.name)
    if own:
        yield from _walk(root, _LAYOUTS[0].levels[1:], own.groupdict())
        return
    for layout in _LAYOUTS:
        yield from _walk(root, layout.levels, {})


def _walk(directory: Path, levels: tuple[re.Pattern[str], ...], found: Mapping[str, str]) -> Iterator[DumpDirectory]:
    if not levels:
        if _holds_tensors(directory):
            yield _directory(directory, found)
        return
    for name in _directories(directory):
        match = levels[0].fullmatch(name)
        if match:
            yield from _walk(directory / name, levels[1:], {**found, **match.groupdict()})


def _directories(directory: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in directory.iterdir() if not entry.is_symlink() and entry.is_dir())
    except PermissionError:
        return []


def _directory(path: Path, found: Mapping[str, str | None]) -> DumpDirectory:
    step = found.get("step") or found.get("iteration")
    is_constant = path.name == CONSTANTS
    return DumpDirectory(
        path,
        int(found.get("rank") or 0),
        found.get("net") or "",
        found.get("graph") or "0",
        None if is_constant else int(step or 0),
    )


def _holds_tensors(directory: Path) -> bool:
    try:
        with os.scandir(directory) as entries:
            return any(
                is_dump_file(each.name) or is_overflow_file(each.name) for each in islice(entries, _MOST_ENTRIES)
            )
    except PermissionError:
        return False
