# SPDX-License-Identifier: Apache-2.0
"""Directories of CANN's own profiler: ``PROF_NUMBER_TIME_LETTERS``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from mindscope.errors import FormatError
from mindscope.profile.formats.ascend.communication import read_object
from mindscope.profile.formats.ascend.kernels import (
    kernels_of,
    operators_of_kernels,
    operators_of_statistic,
    types_of,
)
from mindscope.profile.formats.csv_table import CsvTable, read_csv
from mindscope.profile.formats.problems import Problems
from mindscope.profile.formats.profile_format import ProfileFormat, Progress
from mindscope.profile.formats.scope_names import by_time, modules_of
from mindscope.profile.json_trace import read_json_trace
from mindscope.profile.kernels import Kernels
from mindscope.profile.operators import Operators
from mindscope.profile.profile import Device, Part, Profile, ProfileFacts
from mindscope.profile.texts import Missing
from mindscope.profile.trace_file import newest
from mindscope.reasons import Reason

_DIRECTORY = re.compile(r"PROF_\d{6}_\d{17}_[A-Z]+", re.ASCII)
_SINGLE_OPERATOR = re.compile(r"OPPROF_\d{17}_[A-Z]+", re.ASCII)
_FOLDERS = ("mindstudio_profiler_output", "device_*/summary", "device_*/timeline", "host/summary")


def is_msprof(path: Path) -> bool:
    """Whether a directory is named as msprof names its results. Raises OSError."""
    return bool(_DIRECTORY.fullmatch(path.name) or _SINGLE_OPERATOR.fullmatch(path.name)) and path.is_dir()


def _read(path: Path, on_progress: Progress) -> Profile:
    if _SINGLE_OPERATOR.fullmatch(path.name):
        raise FormatError(Reason("profile_of_one_operator", file=path.name))
    found = _Msprof(path)
    file = found.file("msprof_*.json")
    trace = found.problems.read(file, lambda each: read_json_trace(each, on_progress))
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
    """The tables of one directory; of several exports of a table the newest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.problems = Problems()
        files = [*sorted(path.glob("info.json*")), *sorted(path.glob("device_*/info.json*"))]
        self.information = dict(self.problems.read(files[-1] if files else None, read_object) or {})
        rank = self.information.get("rank_id")
        self.rank = rank if isinstance(rank, int) and 0 <= rank < 1 << 31 else 0

    def parts(self) -> Mapping[Part, Callable[[], Any] | Missing]:
        """How to read each part."""
        return {
            Part.OPERATORS: lambda: by_time(self._operators) or Missing("ascend_operators"),
            Part.KERNELS: lambda: self._kernels or Missing("ascend_kernels"),
            Part.MODULES: lambda: (self._operators and modules_of(self._operators)) or Missing("ascend_modules"),
        }

    def file(self, pattern: str) -> Path | None:
        """The newest file of a pattern in the folders of results."""
        return next((found for folder in _FOLDERS if (found := newest(self._path, f"{folder}/{pattern}"))), None)

    @cached_property
    def _summary(self) -> CsvTable | None:
        """Of kernels; without it, of tasks, which has no shapes."""
        found = self._table("op_summary*.csv")
        return found if found is not None and len(found) else self._table("task_time*.csv")

    @cached_property
    def _kernels(self) -> Kernels | None:
        table = self._summary
        if table is None:
            return None
        found = self.problems.read(Path("op_summary.csv"), lambda _: kernels_of(table, self.rank))
        return None if found is None else found.select(found.name.is_any_of(lambda name: name not in ("", "N/A")))

    @cached_property
    def _operators(self) -> Operators | None:
        if self._kernels is not None and self._summary is not None:
            return operators_of_kernels(self._kernels, types_of(self._summary))
        table = self._table("op_statistic*.csv")
        if table is None:
            return None
        return self.problems.read(Path("op_statistic.csv"), lambda _: operators_of_statistic(table, self.rank))

    def _table(self, pattern: str) -> CsvTable | None:
        def read(path: Path) -> CsvTable:
            table = read_csv(path)
            self.problems.skip(path, table.skipped)
            return table

        return self.problems.read(self.file(pattern), read)


MSPROF = ProfileFormat("msprof", "msprof result of CANN", is_msprof, _read)
