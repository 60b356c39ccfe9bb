# SPDX-License-Identifier: Apache-2.0
"""Profiles of MindSpore from 2.3 on and of torch_npu: ``HOST_PID_TIME_ascend_ms`` and ``..._ascend_pt``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.profile.formats.ascend.communication import communication_of, links_of
from mindscope.profile.formats.ascend.database import read_directory
from mindscope.profile.formats.ascend.further import FurtherFiles, csv_of
from mindscope.profile.formats.ascend.kernels import (
    START,
    kernels_of,
    operators_of_details,
    operators_of_kernels,
    operators_of_statistic,
    types_of,
)
from mindscope.profile.formats.ascend.memory import memory_of
from mindscope.profile.formats.ascend.run_steps import FACTS_FILE, first_and_last_step, with_run_steps
from mindscope.profile.formats.ascend.steps import step_marks, step_names, steps_of
from mindscope.profile.formats.ascend.trace_figures import trace_figures, with_computing
from mindscope.profile.formats.cpu_operators import cpu_operators
from mindscope.profile.formats.csv_table import CsvTable, read_csv
from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.minddata import data_pipeline_of, processor_load
from mindscope.profile.formats.scope_names import by_time
from mindscope.profile.model.profile_data import Device, Part, ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.module_tree import modules_of
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.step_rows import StepRows, step_texts
from mindscope.profile.tables.steps import Steps
from mindscope.profile.texts import Missing
from mindscope.profile.trace.json_trace import read_json_trace
from mindscope.profile.trace.trace import Trace
from mindscope.table.columns import TextColumn

OUTPUT = "ASCEND_PROFILER_OUTPUT"
_ENDINGS = ("_ascend_ms", "_ascend_pt")
_STAMP = re.compile(r"_\d{17}(_ascend_(ms|pt))?$")
_NUMBER = re.compile(r"-?\d{1,9}")
_RANK = re.compile(r"_(\d+)\.[a-z]+$")

_T = TypeVar("_T")
_Parts = Mapping[Part, Callable[[], Any] | Missing]


def is_ascend_output(path: Path) -> bool:
    """Return whether a directory is named like a profile, or holds the output of one. Raises OSError."""
    if not path.is_dir():
        return False
    return (path / OUTPUT).is_dir() or (path.name.endswith(_ENDINGS) and (path / "FRAMEWORK").is_dir())


def _read(path: Path, on_progress: Progress) -> Profile:
    output = _Output(path, on_progress)
    database = read_directory(path / OUTPUT, output.problems, None if output.trace is None else output.origin_ns)
    trace = output.trace or (None if database is None else database.trace)
    facts = ProfileFacts(
        name=path.name,
        path=str(path),
        format=ASCEND_OUTPUT.name,
        framework="torch" if path.name.endswith("_ascend_pt") else "mindspore",
        worker=_STAMP.sub("", path.name),
        rank=output.rank,
        devices=output.devices if len(output.devices) > 1 or database is None else database.devices,
        origin_ns=None if trace is None else trace.origin_ns,
        properties={**output.information, "problems": output.problems},
    )
    return Profile(facts, trace, _first_of(output.parts(), database))


def _first_of(parts: _Parts, database: Profile | None) -> _Parts:
    """Return the parts of the text files; those that they lack, of the database."""
    if database is None:
        return parts

    def read(part: Part, made: Callable[[], Any] | Missing) -> Any:
        found = made if isinstance(made, Missing) else made()
        other = database.part(part) if isinstance(found, Missing) else found
        return found if isinstance(other, Missing) else other

    return {part: partial(read, part, parts.get(part) or Missing("not_in_format", _of(part))) for part in Part}


def _of(part: Part) -> dict[str, str | int]:
    return {"format": ASCEND_OUTPUT.name, "part": part.value}


class _Output:
    """The files of one directory, read when a part needs them."""

    def __init__(self, path: Path, on_progress: Progress) -> None:
        self._root, self._directory = path, path / OUTPUT
        self.problems = Problems()
        self.information = self._information()
        self.rank = self._rank()
        trace_file = self._file("trace_view.json")
        trace = self.problems.read(trace_file, lambda file: read_json_trace(file, on_progress))
        self.origin_ns = _first_time(trace)
        self._further = FurtherFiles(self._directory, self.problems)
        if trace is not None:
            trace = _since(trace, self.origin_ns)
        if trace is not None and trace_file is not None:
            self.information |= self.problems.read(trace_file, lambda file: trace_figures(trace, file)) or {}
        load = self.problems.read(self._file(f"minddata_cpu_utilization_{self.rank}.json"), processor_load)
        self.information |= {} if load is None else {"processor_load": load}
        self.trace = None if trace is None else self._further.with_counters(trace)

    @property
    def devices(self) -> list[Device]:
        """The CPU, and the NPU if a file names it."""
        npu = [Device(f"NPU {self.rank}", "npu", "Ascend")]
        return [Device("CPU", "cpu"), *(npu if self._kernel_table or self._file("step_trace_time.csv") else [])]

    def parts(self) -> Mapping[Part, Callable[[], Any] | Missing]:
        """Return a function that reads each part, or the reason why it is missing."""
        return {
            Part.STEPS: self._part("step_trace_time.csv", self._steps, "ascend_steps"),
            Part.OPERATORS: lambda: by_time(self._operators) or Missing("ascend_operators"),
            Part.KERNELS: lambda: self._kernels or Missing("ascend_kernels"),
            Part.MODULES: lambda: (self._operators and modules_of(self._operators)) or Missing("ascend_modules"),
            Part.MEMORY: lambda: self._memory() or Missing("ascend_memory"),
            Part.DATA_PIPELINE: lambda: (
                data_pipeline_of(self._directory, self.rank, self.problems) or Missing("ascend_data_pipeline")
            ),
            Part.COMMUNICATION: self._part(
                "communication.json",
                lambda file: with_computing(communication_of(file, self.rank, self.origin_ns), self.trace),
                "ascend_communication",
            ),
            Part.LINKS: self._part("communication_matrix.json", links_of, "ascend_communication"),
            Part.FURTHER_TABLES: self._further.tables,
            Part.STEP_ROWS: lambda: self._step_rows() or Missing("not_in_steps"),
        }

    def _step_rows(self) -> StepRows | None:
        """Return the kernels of each step by their step ids, else by their times within the steps that the
        trace marks.
        """
        table = self._kernel_table
        steps = self.problems.read(self._file("step_trace_time.csv"), self._steps)
        step = None if table is None or steps is None else self._step_of_rows(table, steps)
        if table is None or step is None:
            return None
        kernels = self._of_table("kernel_details.csv", lambda: kernels_of(table, self.rank, step))
        return None if kernels is None else StepRows(operators_of_kernels(kernels, types_of(table)), kernels)

    def _step_of_rows(self, table: CsvTable, steps: Steps) -> TextColumn | None:
        ids, start = table.numbers("Step Id"), table.nanoseconds(*START)
        named = None if ids is None else step_names(ids, steps)
        if named is not None or start is None or self.trace is None:
            return named
        marks = dict(step_marks(self.trace).values())
        if not all(each in marks for each in steps.start.tolist()):
            return None
        lasts = np.array([marks[each] for each in steps.start.tolist()], np.int64)
        end = steps.start + np.maximum(steps.duration, lasts)
        end[:-1] = np.minimum(end[:-1], steps.start[1:])
        return step_texts(start - self.origin_ns, steps.start, end, steps.number)

    def _part(self, name: str, reader: Callable[[Path], _T | None], code: str) -> Callable[[], _T | Missing]:
        return lambda: self.problems.read(self._file(name), reader) or Missing(code)

    @cached_property
    def _kernel_details(self) -> CsvTable | None:
        return self._table("kernel_details")

    @cached_property
    def _kernel_table(self) -> CsvTable | None:
        """Return the table of kernels; without it, that of tasks, which has neither types nor shapes."""
        kernel_details = self._kernel_details
        return (
            kernel_details
            if kernel_details is not None and len(kernel_details)
            else self._table("task_time") or kernel_details
        )

    @cached_property
    def _kernels(self) -> Kernels | None:
        table = self._kernel_table
        if table is None:
            return None
        found = self._of_table("kernel_details.csv", lambda: kernels_of(table, self.rank))
        return None if found is None else found.select(found.name.is_any_of(lambda name: name not in ("", "N/A")))

    @cached_property
    def _operators(self) -> Operators | None:
        """The most detailed that is there: calls with host times, kernels, types; or those of a CPU."""
        details, table = self._table("operator_details"), self._kernel_table
        if details is not None and len(details):
            return self._of_table("operator_details.csv", lambda: operators_of_details(details, self.rank))
        statistic = self._table("op_statistic")
        has_details = self._kernel_details is not None and len(self._kernel_details) > 0
        if table is not None and self._kernels is not None and (has_details or statistic is None):
            return operators_of_kernels(self._kernels, types_of(table))
        if statistic is not None:
            return self._of_table("op_statistic.csv", lambda: operators_of_statistic(statistic, self.rank))
        return cpu_operators(self._root / "FRAMEWORK", self.rank, self.problems)

    def _steps(self, file: Path) -> Steps | None:
        steps = steps_of(self._csv(file), self.trace)
        return None if steps is None else with_run_steps(steps, self.information)

    def _memory(self) -> Any:
        records, blocks = self._table("memory_record"), self._table("operator_memory")
        return self._of_table("memory_record.csv", lambda: memory_of(records, blocks, self.origin_ns))

    def _of_table(self, name: str, make: Callable[[], _T]) -> _T | None:
        return self.problems.read(Path(name), lambda _: make())

    def _table(self, name: str) -> CsvTable | None:
        return csv_of(self._directory, name, self.problems)

    def _csv(self, file: Path) -> CsvTable:
        table = read_csv(file)
        table.note_gaps(self.problems, file)
        return table

    def _file(self, name: str) -> Path | None:
        file = self._directory / name
        return file if file.is_file() else None

    def _information(self) -> dict[str, Any]:
        """Return facts of the profiler, of its user, and of ``mindscope.mindspore.Profiler``."""
        found: dict[str, Any] = {}
        others = [self._root / name for name in ("profiler_metadata.json", FACTS_FILE)]
        for file in [*sorted(self._root.glob("profiler_info*.json")), *others]:
            if file.is_file():
                found |= self.problems.read(file, read_object) or {}
        return found

    def _rank(self) -> int:
        """Return the rank that a file names, in it or in its own name; -1 of a single process is 0."""
        named = str(self.information.get("rank_id"))
        if _NUMBER.fullmatch(named):
            return max(int(named), 0)
        files = [*self._root.glob("profiler_info_*.json"), *self._root.glob("FRAMEWORK/cpu_op_*_[0-9]*.*")]
        return next((int(found[1]) for file in sorted(files) if (found := _RANK.search(file.name))), 0)


def _first_time(trace: Trace | None) -> int:
    if trace is None or not (len(trace.slices) or len(trace.events)):
        return 0
    return int(min(times.min() for times in (trace.slices.start, trace.events.time) if len(times)))


def _since(trace: Trace, origin_ns: int) -> Trace:
    """Return the trace with times since its first event; its file has times since 1970."""
    return replace(
        trace,
        slices=replace(trace.slices, start=trace.slices.start - origin_ns),
        events=replace(trace.events, time=trace.events.time - origin_ns),
        origin_ns=origin_ns,
    )


ASCEND_OUTPUT = Format(
    "ascend_output", "Ascend profile of MindSpore or torch_npu", is_ascend_output, _read, steps=first_and_last_step
)
