# SPDX-License-Identifier: Apache-2.0
"""Directories of CANN's own profiler: ``PROF_NUMBER_TIME_LETTERS``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.errors import FormatError
from mindscope.natural_order import natural_key
from mindscope.profile.formats.ascend.kernels import (
    kernels_of,
    operators_of_kernels,
    operators_of_statistic,
    types_of,
)
from mindscope.profile.formats.csv_table import CsvTable, columns_missing, read_csv
from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.scope_names import by_time
from mindscope.profile.model.profile_data import Device, Part, ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.module_tree import modules_of
from mindscope.profile.tables.operators import Operators
from mindscope.profile.texts import Missing
from mindscope.profile.trace.json_trace import read_json_trace
from mindscope.profile.trace.trace_file import trace_file_of
from mindscope.reasons import Reason
from mindscope.table.columns import TextColumn

_DIRECTORY = re.compile(r"PROF_\d{6}_\d{17}_[A-Z]+", re.ASCII)
_SINGLE_OPERATOR = re.compile(r"OPPROF_\d{17}_[A-Z]+", re.ASCII)
_DEVICE = re.compile(r"device_(\d{1,6})", re.ASCII)
_STAMP = re.compile(r"_(\d{12,20})\.(?:csv|json)$", re.ASCII)
_ITERATION = re.compile(r"[a-z_]+_\d{1,10}(?:_\d{1,10})?_(\d{1,10})\.csv", re.ASCII)
"""``op_summary_DEVICE_MODEL_ITERATION.csv``, in older versions without the model."""
_FOLDERS = ("mindstudio_profiler_output", "device_*/summary", "device_*/timeline", "host/summary")


def is_msprof(path: Path) -> bool:
    """Return whether a directory is named as msprof names its results, or holds what it exports. Raises OSError."""
    is_named = _DIRECTORY.fullmatch(path.name) or _SINGLE_OPERATOR.fullmatch(path.name)
    return path.is_dir() and (bool(is_named) or (path / _FOLDERS[0]).is_dir())


def _read(path: Path, on_progress: Progress) -> Profile:
    if _SINGLE_OPERATOR.fullmatch(path.name):
        raise FormatError(Reason("profile_of_one_operator", file=path.name))
    found = _Msprof(path)
    file, timelines = trace_file_of(path), found.files("msprof_*.json")
    trace = found.problems.read(file, lambda each: read_json_trace(each, on_progress))
    if file is not None and len(timelines) > 1:
        found.problems.note(file.name, Reason("profile_timelines_left_out", count=len(timelines) - 1))
    facts = ProfileFacts(
        name=path.name,
        path=str(path),
        format=MSPROF.name,
        framework="",
        rank=found.rank,
        devices=[Device("CPU", "cpu"), Device(f"NPU {found.rank}", "npu", "Ascend")],
        origin_ns=None if trace is None else 0,
        properties={**found.information, "problems": found.problems},
    )
    return Profile(facts, None if trace is None else replace(trace, origin_ns=0), found.parts())


class _Msprof:
    """The tables of one directory: of several exports the newest; of files of single iterations all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.problems = Problems()
        files = [*sorted(path.glob("info.json*")), *sorted(path.glob("device_*/info.json*"))]
        files = [file for file in files if not file.name.endswith(".done")]  # an empty mark beside the file
        self.information = dict(self.problems.read(files[-1] if files else None, read_object) or {})
        self.rank = self._rank()

    def parts(self) -> Mapping[Part, Callable[[], Any] | Missing]:
        """Return a function that reads each part, or the reason why it is missing."""
        return {
            Part.OPERATORS: lambda: by_time(self._operators) or Missing("ascend_operators"),
            Part.KERNELS: lambda: self._kernels or Missing("ascend_kernels"),
            Part.MODULES: lambda: (self._operators and modules_of(self._operators)) or Missing("ascend_modules"),
        }

    def files(self, pattern: str) -> list[Path]:
        """Return the files of a pattern in the first folder of results that has any, in the order of their iterations.

        ``NAME_DEVICE_MODEL_ITERATION.csv`` is of one iteration; ``NAME_STAMP.csv`` is one of several exports, which
        may be cut into slices: then those of the newest.
        """
        by_folder = (list(self._path.glob(f"{folder}/{pattern}")) for folder in _FOLDERS)
        found = next((files for files in by_folder if files), list[Path]())
        newest = max((_stamp_of(file) for file in found), default="")
        chosen = [file for file in found if _stamp_of(file) == newest]
        return sorted(chosen, key=lambda file: natural_key(file.name))

    def _rank(self) -> int:
        """Return the rank that the profile names, else the number of its device."""
        device = next((match for path in self._path.glob("device_*") if (match := _DEVICE.fullmatch(path.name))), None)
        rank = self.information.get("rank_id")
        if isinstance(rank, int) and 0 <= rank < 1 << 31:
            return rank
        return 0 if device is None else int(device[1])

    @cached_property
    def _summary(self) -> _Iterations | None:
        """Return the summary of kernels; without it, that of tasks, which has no shapes."""
        table = self._table("op_summary*.csv")
        return table if table is not None and len(table.table) else self._table("task_time*.csv")

    @cached_property
    def _kernels(self) -> Kernels | None:
        summary = self._summary
        if summary is None:
            return None
        found = self.problems.read(
            Path("op_summary.csv"), lambda _: kernels_of(summary.table, self.rank, summary.iteration)
        )
        return None if found is None else found.select(found.name.is_any_of(lambda name: name not in ("", "N/A")))

    @cached_property
    def _operators(self) -> Operators | None:
        if self._kernels is not None and self._summary is not None:
            return operators_of_kernels(self._kernels, types_of(self._summary.table))
        table = self._table("op_statistic*.csv")
        if table is None:
            return None
        operators = self.problems.read(
            Path("op_statistic.csv"), lambda _: operators_of_statistic(table.table, self.rank)
        )
        return None if operators is None else operators.group_by("name", "type", "device")

    def _table(self, pattern: str) -> _Iterations | None:
        """Return the rows of all files that have the header of the first."""

        def read(path: Path) -> CsvTable:
            table = read_csv(path)
            table.note_gaps(self.problems, path)
            return table

        found: list[tuple[Path, CsvTable]] = []
        for file in self.files(pattern):
            table = self.problems.read(file, read)
            if table is not None and (not found or table.names == found[0][1].names):
                found.append((file, table))
            elif table is not None:
                self.problems.note(file.name, columns_missing("the first file's", table.names))
        if not found:
            return None
        joined = _iterations(found)
        if len(found) > 1:
            joined.table.note_gaps(self.problems, found[0][0])
        return joined


class _Iterations(NamedTuple):
    table: CsvTable
    iteration: TextColumn | None
    """Iteration of each row; None if the files are not those of single iterations."""


def _iterations(files: Sequence[tuple[Path, CsvTable]]) -> _Iterations:
    tables = [table for _, table in files]
    numbers = [match[1] for file, _ in files if (match := _ITERATION.fullmatch(file.name))]
    whole = (
        tables[0] if len(tables) == 1 else CsvTable(tables[0].names, (row for table in tables for row in table.rows()))
    )
    if len(numbers) < len(files):
        return _Iterations(whole, None)
    codes = np.repeat(np.arange(len(tables), dtype=np.uint32), [len(table) for table in tables])
    return _Iterations(whole, TextColumn(codes, numbers))


def _stamp_of(file: Path) -> str:
    """Return the time of an export at the end of a name; empty for a file of one iteration."""
    found = _STAMP.search(file.name)
    return found[1] if found else ""


MSPROF = Format("msprof", "msprof result of CANN", is_msprof, _read)
