# SPDX-License-Identifier: Apache-2.0
"""Reads the records of a failed training: running data, and the last collectives of its ranks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from mindscope.debug.formats.flight_recorder import (
    MOST_TOGETHER,
    FlightRecord,
    Mismatch,
    SharedValues,
    find_mismatches,
    is_flight_record,
    read_flight_record,
)
from mindscope.debug.formats.running_data_directory import RunningData, holds_running_data, read_running_data
from mindscope.errors import FormatError
from mindscope.reading.debugging_data import entries_beside, is_run
from mindscope.reasons import Reason
from mindscope.store.contents import FAILURE_DEPTH

_MOST_ENTRIES = 2000
"""Limit of the entries of a directory."""
_MOST_PATHS = 50_000
"""Limit of the paths of a run, those of the upper directories first."""
_NOT_PICKLED = (".csv", ".json", ".log", ".npy", ".pb", ".png", ".py", ".txt")


@dataclass(slots=True)
class RunFailures:
    """The data that recorders wrote when a training failed; empty if it did not, or nothing recorded."""

    running_data: list[RunningData] = field(default_factory=list[RunningData])
    """Running data, by rank."""
    flight_records: list[FlightRecord] = field(default_factory=list[FlightRecord])
    """The last collectives of each rank."""
    mismatches: list[Mismatch] = field(default_factory=list[Mismatch])
    """Collectives on which ranks differ."""
    problems: list[str] = field(default_factory=list[str])
    """Descriptions of files that can't be read."""

    def __bool__(self) -> bool:
        return bool(self.running_data or self.flight_records or self.problems)


@dataclass(slots=True)
class FailurePaths:
    """The paths of running data and of flight records of a run."""

    running_data: list[Path] = field(default_factory=list[Path])
    flight_records: list[Path] = field(default_factory=list[Path])


def find_failures(directory: Path, *, has_beside: bool = True) -> FailurePaths:
    """Return the paths of the run in a directory, below it and beside it, without those of runs below it."""
    failure_paths = FailurePaths()
    for path in _candidates(directory, has_beside):
        with suppress(OSError):
            if path.is_dir():
                if holds_running_data(os.listdir(path)[:_MOST_ENTRIES]):  # noqa: PTH208 (names only)
                    failure_paths.running_data.append(path)
            elif not path.name.endswith(_NOT_PICKLED) and is_flight_record(path):
                failure_paths.flight_records.append(path)
    return failure_paths


def read_failures(
    paths: FailurePaths, watch: Callable[[], None] = lambda: None, most_bytes: int = MOST_TOGETHER
) -> RunFailures:
    """Read all files. Unreadable ones are problems, and so are those without room beside the other ranks.

    ``watch`` is called before each file; what it raises ends the reading. ``most_bytes`` is the memory that collectives
    of all ranks may take, about.
    """
    run_failures = RunFailures()
    shared = SharedValues(most_bytes)
    for path in paths.running_data:
        watch()
        try:
            run_failures.running_data.append(read_running_data(path))
        except OSError as error:
            run_failures.problems.append(str(error))
    for index, path in enumerate(paths.flight_records):
        watch()
        try:
            run_failures.flight_records.append(read_flight_record(path, shared, len(paths.flight_records) - index))
        except (FormatError, OSError) as error:
            text = str(error)
            run_failures.problems.append(text if path.name in text else f"{path.name}: {text}")
    run_failures.running_data.sort(key=lambda each: -1 if each.rank is None else each.rank)
    run_failures.flight_records.sort(key=lambda flight_record: flight_record.rank)
    if left := sum(record.left for record in run_failures.flight_records):
        run_failures.problems.append(
            str(Reason("flight_records_left", count=left, ranks=len(run_failures.flight_records)))
        )
    run_failures.mismatches = find_mismatches(run_failures.flight_records)
    return run_failures


def _candidates(directory: Path, has_beside: bool) -> Iterator[Path]:
    yield directory
    yield from _below(_entries(directory), FAILURE_DEPTH - 1)
    if has_beside:
        yield from _below(entries_beside(directory), FAILURE_DEPTH - 1)


def _below(paths: Sequence[Path], depth: int) -> Iterator[Path]:
    """Yield these paths and those below them, level by level, without other runs."""
    remaining = _MOST_PATHS
    while paths and remaining > 0:
        paths = [path for path in paths[:remaining] if not is_run(path)]
        yield from paths
        remaining -= len(paths)
        paths = [below for path in paths for below in _entries(path)] if depth else []
        depth -= 1


def _entries(directory: Path) -> list[Path]:
    with suppress(OSError), os.scandir(directory) as entries:
        names = sorted(entry.name for entry in entries if not entry.is_symlink())
        return [directory / name for name in names[:_MOST_ENTRIES]]
    return []
