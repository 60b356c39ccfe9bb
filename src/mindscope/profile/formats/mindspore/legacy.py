# SPDX-License-Identifier: Apache-2.0
"""Profiles of MindSpore 0.3 to 2.2: a directory ``profiler`` of files by rank, on Ascend, GPU or CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mindscope.profile.columns import TextColumn
from mindscope.profile.formats.ascend.communication import read_object
from mindscope.profile.formats.ascend.memory import memory_of
from mindscope.profile.formats.built_trace import CLOCK_ORIGIN, Runs, trace_of
from mindscope.profile.formats.csv_table import CsvTable, read_csv
from mindscope.profile.formats.minddata import data_pipeline_of
from mindscope.profile.formats.mindspore import ascend_operators as ascend
from mindscope.profile.formats.mindspore import gpu, step_trace
from mindscope.profile.formats.mindspore.cpu import cpu_operators, timestamp_runs
from mindscope.profile.formats.mindspore.files import RankFiles
from mindscope.profile.formats.mindspore.links import links_of
from mindscope.profile.formats.problems import Problems
from mindscope.profile.formats.profile_format import ProfileFormat, Progress
from mindscope.profile.formats.scope_names import by_time, modules_of
from mindscope.profile.json_trace import read_json_trace
from mindscope.profile.kernels import Kernels
from mindscope.profile.memory import Memory, MemoryCurve
from mindscope.profile.operators import Operators
from mindscope.profile.profile import Device, Part, Profile, ProfileFacts
from mindscope.profile.texts import Missing
from mindscope.profile.trace import Trace, Track

_T = TypeVar("_T")

_ASCEND = (
    "ascend_timeline_display",
    "output_op_compute_time",
    "aicore_intermediate",
    "output_timeline_data",
    "hccl_raw",
)
_GPU = ("gpu_op_detail_info", "gpu_activity_data", "gpu_op_type_info", "dynamic_shape_info")
_CPU = ("cpu_op_detail_info", "cpu_op_type_info")
_OTHERS = ("profiler_info_", "step_trace_raw_", "pipeline_profiling_", "minddata_pipeline_raw_")
_US = 1000


def is_mindspore_profile(path: Path) -> bool:
    """Whether a directory is named ``profiler`` or ``profiler-...`` and holds a file of one. Raises OSError."""
    if not path.name.startswith("profiler") or not path.is_dir():
        return False
    return RankFiles(path).has(*_ASCEND, *_GPU, *_CPU, *_OTHERS)


def _read(path: Path, on_progress: Progress) -> Profile:
    profile = _Legacy(path, on_progress)
    facts = ProfileFacts(
        name=path.parent.name if path.name == "profiler" and path.parent.name else path.name,
        path=str(path),
        format=MINDSPORE_PROFILE.name,
        framework="mindspore",
        rank=profile.files.rank,
        devices=profile.devices,
        origin_ns=None if profile.trace is None else profile.trace.origin_ns,
        properties={**profile.information, "ranks": profile.files.ranks, "problems": profile.problems},
    )
    return Profile(facts, profile.trace, profile.parts())


class _Legacy:
    """The files of the first rank of a directory, read when a part needs them."""

    def __init__(self, path: Path, on_progress: Progress) -> None:
        self.files = RankFiles(path)
        self.problems = Problems()
        self.information = self._object("profiler_info_{}.json") | self._object("step_trace_point_info_{}.json")
        if self.files.has(*_ASCEND):
            self.device = "NPU"
        else:
            self.device = "GPU" if self.files.has(*_GPU) else "CPU"
        self.trace = self._trace(on_progress)

    @property
    def devices(self) -> list[Device]:
        """The CPU, and the device that the files are named by."""
        kinds = {"NPU": ("npu", "Ascend"), "GPU": ("cuda", "")}
        other = kinds.get(self.device)
        return [Device("CPU", "cpu"), *([Device(f"{self.device} {self.files.rank}", *other)] if other else [])]

    def parts(self) -> Mapping[Part, Callable[[], Any] | Missing]:
        """How to read each part."""
        origin_ns = 0 if self.trace is None else int(self.trace.properties.get(CLOCK_ORIGIN, 0))
        steps, rank = self._step_trace, self.files.rank
        return {
            Part.STEPS: lambda: step_trace.steps_of(steps, origin_ns) if steps else Missing("mindspore_steps"),
            Part.OPERATORS: lambda: by_time(self._operators) or Missing("mindspore_operators"),
            Part.KERNELS: lambda: self._kernels or Missing("mindspore_kernels"),
            Part.MODULES: lambda: (self._operators and modules_of(self._operators)) or Missing("mindspore_modules"),
            Part.MEMORY: lambda: self._memory(origin_ns) or Missing("mindspore_memory"),
            Part.DATA_PIPELINE: lambda: (
                data_pipeline_of(self.files.directory, rank, self.problems) or Missing("mindspore_data_pipeline")
            ),
            Part.COMMUNICATION: lambda: (
                (steps and step_trace.communication_of(steps, rank, origin_ns)) or Missing("mindspore_communication")
            ),
            Part.LINKS: lambda: self._from("hccl_raw_{}.csv", links_of) or Missing("mindspore_communication"),
        }

    @cached_property
    def _operators(self) -> Operators | None:
        makers = {"NPU": self._ascend_operators, "GPU": self._gpu_operators, "CPU": self._cpu_operators}
        return makers[self.device]()

    def _ascend_operators(self) -> Operators | None:
        rank, compiled = self.files.rank, self._compiled
        found = self._from(
            "aicore_intermediate_{}_detail.csv",
            lambda table: ascend.ascend_operators(table, compiled, self._kernels, rank),
        )
        for name in ("aicore_intermediate_{}_type.csv", "pynative_op_intermediate_{}_type.csv"):
            found = found or self._from(name, lambda table: ascend.type_operators(table, rank))
        cpu = self._from("aicpu_intermediate_{}.csv", lambda table: ascend.aicpu_operators(table, rank))
        flops = self._from("flops_{}.txt", ascend.flops_by_name)
        if found and flops:
            each = np.array([flops.get(name, 0) for name in found.name], np.int64)
            found = replace(found, flops=each * found.count)
        return _both(found, cpu) if found and cpu else found or cpu

    def _gpu_operators(self) -> Operators | None:
        rank = self.files.rank
        for name in ("gpu_op_detail_info_{}.csv", "gpu_op_type_info_{}.csv"):
            if found := self._from(name, lambda table: gpu.gpu_operators(table, rank)):
                return found
        file = self.files.find("dynamic_shape_info_{}.json")
        return self.problems.read(file, lambda path: gpu.dynamic_shape_operators(path, rank))

    def _cpu_operators(self) -> Operators | None:
        return cpu_operators(self.files.directory, self.files.rank, self.problems)

    @cached_property
    def _kernels(self) -> Kernels | None:
        if self.device == "GPU":
            return self._from("gpu_activity_data_{}.csv", lambda table: gpu.gpu_kernels(table, self.files.rank))
        runs = self._ascend_runs
        return None if runs is None else ascend.kernels_of_runs(runs, self._compiled, self.files.rank)

    @cached_property
    def _compiled(self) -> dict[str, ascend.CompiledOperator]:
        return self._from("framework_raw_{}.csv", ascend.compiled_operators) or {}

    @cached_property
    def _ascend_runs(self) -> Runs | None:
        return self._from("output_timeline_data_{}.txt", lambda table: ascend.timeline_runs(table, self.files.rank))

    @cached_property
    def _step_trace(self) -> step_trace.StepTrace | None:
        return self._from("step_trace_raw_{}_detail_time.csv", step_trace.read_step_trace)

    def _memory(self, origin_ns: int) -> Memory | None:
        """Of records; the plan of ``memory_usage_details`` is no measurement."""
        blocks = self._from("operator_memory_{}.csv", lambda table: table)
        found = self.problems.read(
            self.files.find("operator_memory_{}.csv"), lambda _: memory_of(None, blocks, origin_ns)
        )
        curve = self._from("cpu_ms_memory_record_{}.txt", lambda table: _memory_curve(table, origin_ns))
        if curve is None:
            return found
        return Memory(curve, found.blocks if found else None)

    def _trace(self, on_progress: Progress) -> Trace | None:
        """Of the tables, which hold all runs; else of the JSON that MindSpore shows, which it cuts at 20 MB."""
        built = trace_of([runs for runs in self._runs() if runs is not None], {}, is_epoch=self.device != "NPU")
        if built is not None:
            return built
        file = self.files.find(
            "ascend_timeline_display_{}.json", "gpu_timeline_display_{}.json", "timeline_display_{}.json"
        )
        return self.problems.read(file, lambda path: read_json_trace(path, on_progress))

    def _runs(self) -> list[Runs | None]:
        if self.device == "NPU":
            cpu = self._from("aicpu_intermediate_{}.csv", lambda table: ascend.aicpu_runs(table, self.files.rank))
            return [self._step_runs(), self._ascend_runs, cpu] if self._ascend_runs else []
        if self.device == "GPU":
            names = {"gpu_op_execute_timestamp_{}.txt": "Operators", "activity_execute_timestamp_{}.txt": "GPU"}
            return [self._timestamps(name, process, _US) for name, process in names.items()]
        return [self._timestamps("cpu_op_execute_timestamp_{}.txt", "CPU", 1000 * _US)]

    def _timestamps(self, name: str, process: str, unit_ns: int) -> Runs | None:
        return self.problems.read(self.files.find(name), lambda path: timestamp_runs(path, process, unit_ns))

    def _step_runs(self) -> Runs | None:
        """The steps as a row of the timeline."""
        steps = self._step_trace
        if steps is None:
            return None
        track = Track("Steps", "Steps", "Steps", "Steps", -1)
        names = TextColumn.of(f"ProfilerStep#{number}" for number in steps.number.tolist())
        return Runs(steps.start, steps.end - steps.start, names, "step", [track] * len(names))

    def _from(self, name: str, reader: Callable[[CsvTable], _T | None]) -> _T | None:
        """What the reader makes of a table; None without one, or if it can't be read."""

        def read(path: Path) -> _T | None:
            table = read_csv(path)
            self.problems.skip(path, table.skipped)
            return reader(table)

        return self.problems.read(self.files.find(name), read)

    def _object(self, name: str) -> dict[str, Any]:
        file = self.files.find(name, name.replace("_{}", ""))
        return dict(self.problems.read(file, read_object) or {})


def _memory_curve(table: CsvTable, origin_ns: int) -> MemoryCurve | None:
    time, allocated = table.nanoseconds("Timestamp", unit="ns"), table.bytes("Total Allocated", unit="b")
    if time is None or allocated is None or not len(time):
        return None
    curve = MemoryCurve(
        time=time - origin_ns, device=TextColumn.constant("CPU", len(time)), allocated=allocated,
        reserved=table.bytes("Total Reserved", unit="b"),
    )  # fmt: skip
    return curve.select(np.argsort(curve.time, kind="stable"))


def _both(first: Operators, second: Operators) -> Operators:
    """The operators of both, in the columns that both have, or that a blank fills."""
    own, other = first.columns(), second.columns()
    columns: dict[str, Any] = {}
    for name, column in own.items():
        found = other.get(name)
        if isinstance(column, TextColumn):
            more = found if isinstance(found, TextColumn) else TextColumn.constant("", len(second))
            columns[name] = TextColumn.of([*column, *more])
        else:
            blank = np.zeros(len(second), column.dtype)
            columns[name] = np.concatenate([column, blank if found is None else found])  # pyright: ignore[reportArgumentType, reportUnknownArgumentType, reportCallIssue]
    extra = {name: columns.pop(name) for name in first.extra}
    return replace(first, **columns, extra=extra)


MINDSPORE_PROFILE = ProfileFormat("mindspore_profile", "MindSpore profile before 2.3", is_mindspore_profile, _read)
