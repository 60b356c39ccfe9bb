# SPDX-License-Identifier: Apache-2.0
"""Finds the operators of overflows: those with the same stream and task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mindscope.artifacts.problems import Problems
from mindscope.debug.formats.async_file import read_async_file
from mindscope.debug.formats.mindspore_dump.file_names import is_overflow_file
from mindscope.debug.formats.mindspore_dump.layouts import DumpDirectory
from mindscope.debug.formats.mindspore_dump.listing import ListedTensor
from mindscope.debug.formats.overflow_record import OverflowTask, read_overflow_record
from mindscope.debug.model.overflows import Overflow

_DIRECTORY = "debug_files"
_LARGEST = 1 << 16


class DirectoryListing(NamedTuple):
    """The tensors in one directory of a step."""

    directory: DumpDirectory
    rank_directory: Path
    listed: Sequence[ListedTensor]
    first: int
    """The order of its first operator in the step."""


class OverflowReader:
    """Reads ``Opdebug.*`` files, in the directory of an iteration or in ``debug_files`` of the rank."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def read(self, listings: Sequence[DirectoryListing]) -> Iterator[Overflow]:
        """Yield the overflows of one step."""
        operators = {
            (each.name.stream, each.name.task): (each.full_name, listing.first + each.order)
            for listing in listings
            for each in listing.listed
        }
        for path, is_of_step in self._files(listings):
            for task in self._problems.read(path, self._tasks) or ():
                name, order = operators.get((task.stream, task.task), ("", -1))
                if name or is_of_step:
                    yield Overflow(name, order, task.unit, task.stream, task.task)

    def _files(self, listings: Sequence[DirectoryListing]) -> Iterator[tuple[Path, bool]]:
        """Yield the files, and whether their directory is that of the step.

        Others belong to the steps of their operators.
        """
        directories: dict[Path, bool] = {}
        for listing in listings:
            debug_files = listing.rank_directory / _DIRECTORY
            directories[listing.directory.path] = directories[debug_files / str(listing.directory.iteration)] = True
            directories[debug_files] = False
        for directory, is_of_step in directories.items():
            for path in _files(directory):
                yield path, is_of_step

    def _tasks(self, path: Path) -> list[OverflowTask]:
        overflow_tasks: list[OverflowTask] = []
        for each in read_async_file(path, self._problems):
            if each.array is not None and each.size <= _LARGEST:
                overflow_tasks += read_overflow_record(each.array.read().tobytes())
        return overflow_tasks


def _files(directory: Path) -> list[Path]:
    try:
        return sorted(entry for entry in directory.iterdir() if is_overflow_file(entry.name) and entry.is_file())
    except OSError:
        return []
