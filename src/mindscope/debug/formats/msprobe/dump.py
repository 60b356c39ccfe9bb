# SPDX-License-Identifier: Apache-2.0
"""Reads dumps of msprobe: ``dump.json``, ``stack.json``, ``construct.json`` and tensors, of each step and rank."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from mindscope.artifacts.format import Format, Progress
from mindscope.debug.formats.msprobe.step_files import StepFiles, read_framework
from mindscope.debug.formats.problems import debug_problems
from mindscope.debug.formats.recorded_steps import RecordedSteps, StepReader
from mindscope.errors import FormatError

_STEP = re.compile(r"step(\d{1,12})", re.ASCII)
_RANK = re.compile(r"rank(\d{0,9})", re.ASCII)
_PROCESS = re.compile(r"proc(\d{1,12})", re.ASCII)
DUMP_FILES = ("dump.json", "debug.json")


class _Directory(NamedTuple):
    path: Path
    step: int
    rank: int | None
    """Number of the rank; None if the directory has the number of a process."""
    process: int


def is_msprobe_dump(root: Path) -> bool:
    """Return whether a directory holds steps of msprobe, or is one of them. Raises OSError."""
    return next(_directories(root), None) is not None


def read_msprobe_dump(root: Path, on_progress: Progress) -> RecordedSteps:
    """Return all steps and ranks. A process of unknown rank counts as the next rank. Raises FormatError, OSError."""
    problems = debug_problems()
    directories = list(_directories(root))
    if not directories:
        raise FormatError(f"{root} holds no {DUMP_FILES[0]} in directories of steps and ranks, want a dump of msprobe")
    ranks = {directory.rank for directory in directories if directory.rank is not None}
    first = max(ranks, default=-1) + 1
    processes = {
        process: first + index
        for index, process in enumerate(
            sorted({directory.process for directory in directories if directory.rank is None})
        )
    }
    readers: dict[tuple[int, int], StepReader] = {}
    for directory in directories:
        rank = processes[directory.process] if directory.rank is None else directory.rank
        readers[rank, directory.step] = partial(StepFiles(directory.path, problems).rows)
    framework = next((found for directory in directories if (found := read_framework(directory.path))), "")
    facts = {"processes": {rank: process for process, rank in processes.items()}}
    return RecordedSteps(MSPROBE.name, framework, readers, problems, facts=facts)


def _directories(root: Path) -> Iterator[_Directory]:
    if not root.is_dir():
        return
    own_step, own_rank = _STEP.fullmatch(root.name), _RANK.fullmatch(root.name) or _PROCESS.fullmatch(root.name)
    if own_rank:
        above = _STEP.fullmatch(root.parent.name)
        yield from _directory(root, int(above[1]) if above else 0)
    elif own_step:
        yield from _ranks(root, int(own_step[1]))
    else:
        steps = [(int(match[1]), each) for each in _below(root) if (match := _STEP.fullmatch(each.name))]
        for step, each in sorted(steps):
            yield from _ranks(each, step)


def _ranks(step_directory: Path, step: int) -> Iterator[_Directory]:
    for each in _below(step_directory):
        yield from _directory(each, step)


def _directory(path: Path, step: int) -> Iterator[_Directory]:
    rank, process = _RANK.fullmatch(path.name), _PROCESS.fullmatch(path.name)
    if (rank or process) and any((path / name).is_file() for name in (*DUMP_FILES, "stack.json")):
        yield _Directory(path, step, int(rank[1] or 0) if rank else None, int(process[1]) if process else 0)


def _below(directory: Path) -> list[Path]:
    return sorted(entry for entry in directory.iterdir() if not entry.is_symlink() and entry.is_dir())


MSPROBE = Format("msprobe", "a dump of msprobe", is_msprobe_dump, read_msprobe_dump)
