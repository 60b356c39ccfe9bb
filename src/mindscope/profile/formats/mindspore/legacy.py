# SPDX-License-Identifier: Apache-2.0
"""Profiles of MindSpore 0.3 to 2.2: a directory ``profiler`` of files by rank, on Ascend, GPU or CPU."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.artifacts.rank_path import with_rank
from mindscope.formats.profile_file_names import is_device_table
from mindscope.profile.formats.ascend.kernels import operators_of_kernels
from mindscope.profile.formats.ascend.memory import memory_of
from mindscope.profile.formats.built_trace import CLOCK_ORIGIN, SliceColumns, trace_of
from mindscope.profile.formats.cpu_operators import cpu_memory_curve, cpu_operators, timestamp_runs
from mindscope.profile.formats.csv_table import CsvTable, fixed_point, read_csv, read_lines
from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.minddata import data_pipeline_of, processor_load
from mindscope.profile.formats.mindspore import ascend_operators as ascend
from mindscope.profile.formats.mindspore import flops, gpu, step_trace
from mindscope.profile.formats.mindspore.cluster_analysis import CLUSTER_ANALYSIS, read_split, with_split
from mindscope.profile.formats.mindspore.compute_time import (
    compute_detail_operators,
    compute_time_operators,
    data_preprocess_table,
)
from mindscope.profile.formats.mindspore.dynamic_shapes import DynamicShapes, read_dynamic_shapes
from mindscope.profile.formats.mindspore.files import ASCEND, GPU, PREFIXES, RankFiles, ranks_of
from mindscope.profile.formats.mindspore.gpu_steps import read_gpu_steps
from mindscope.profile.formats.mindspore.links import links_of
from mindscope.profile.formats.mindspore.memory_plan import read_plan, read_plan_summary
from mindscope.profile.formats.mindspore.parallel_strategy import (
    ParallelStrategy,
    read_parallel_strategy,
    with_shards,
)
from mindscope.profile.formats.mindspore.recommendations import recommendations_of
from mindscope.profile.formats.scope_names import by_time
from mindscope.profile.model.profile_data import Device, Part, ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.profile.tables.communication import Communication
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.memory import Memory
from mindscope.profile.tables.module_tree import modules_of
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.step_rows import StepRows, step_texts
from mindscope.profile.tables.steps import Steps
from mindscope.profile.texts import Missing
from mindscope.profile.trace.json_trace import read_json_trace
from mindscope.profile.trace.trace import Trace
from mindscope.reasons import Reason
from mindscope.table.table import joined

_T = TypeVar("_T")

_US = 1000
_NESTED = ("_ascend_ms", "_ascend_pt")
"""Ends of the names of directories of the newer profiler, which may lie within one of the older."""


def is_mindspore_profile(path: Path) -> bool:
    """Return whether a directory holds files of a profile. Raises OSError.

    One named ``profiler`` or ``profiler-...`` is one by any of them; one of another name by the tables of a device.
    """
    if not path.is_dir():
        return False
    is_named = path.name.startswith("profiler")
    return any(
        name.startswith(PREFIXES) if is_named else is_device_table(name)
        for name in (entry.name for entry in path.iterdir() if entry.is_file())
    )


def _holds(path: Path) -> bool:
    return path.name.endswith(_NESTED) and path.is_dir()


def _read(path: Path, on_progress: Progress) -> Profile:
    return _profile(path, RankFiles(path), on_progress)


def _read_rank(path: Path, rank: int, on_progress: Progress) -> Profile:
    return _profile(path, RankFiles(path, rank), on_progress)


def _profile(path: Path, files: RankFiles, on_progress: Progress) -> Profile:
    profile = _Legacy(files, on_progress)
    named = path.parent if path.name == "profiler" and path.parent.name else path
    rank = files.rank if len(files.ranks) > 1 else None
    facts = ProfileFacts(
        name=with_rank(named, rank).name,
        path=str(with_rank(path, rank)),
        format=MINDSPORE_PROFILE.name,
        framework="mindspore",
        rank=files.rank,
        devices=profile.devices,
        origin_ns=None if profile.trace is None else profile.trace.origin_ns,
        properties={**profile.information, "ranks": files.ranks, "problems": profile.problems},
    )
    return Profile(facts, profile.trace, profile.parts(), profile.select_steps)


class _Legacy:
    """The files of one rank of a directory, read when a part needs them."""

    def __init__(self, files: RankFiles, on_progress: Progress) -> None:
        self.files = files
        self.problems = Problems()
        if files.has(*ASCEND):
            self.device = "NPU"
        else:
            self.device = "GPU" if files.has(*GPU) else "CPU"
        self.information = self._information()
        self.trace = self._trace(on_progress)
        self._origin_ns = self._clock_origin()

    @property
    def devices(self) -> list[Device]:
        """The CPU, and the device that the files are named by."""
        kinds = {"NPU": ("npu", "Ascend"), "GPU": ("cuda", "")}
        other = kinds.get(self.device)
        memory = self.information.get("memory_plan", {}).get("capacity", 0)
        return [Device("CPU", "cpu"), *([Device(self._device, *other, memory=memory)] if other else [])]

    def parts(self) -> Mapping[Part, Callable[[], Any] | Missing]:
        """Return a function that reads each part, or the reason why it is missing."""
        rank = self.files.rank
        return {
            Part.STEPS: lambda: self._steps or Missing("mindspore_steps"),
            Part.OPERATORS: lambda: by_time(self._operators) or Missing("mindspore_operators"),
            Part.KERNELS: lambda: self._kernels or Missing("mindspore_kernels"),
            Part.MODULES: lambda: self._modules() or Missing("mindspore_modules"),
            Part.MEMORY: lambda: self._memory() or Missing("mindspore_memory"),
            Part.DATA_PIPELINE: lambda: (
                data_pipeline_of(self.files.directory, rank, self.problems) or Missing("mindspore_data_pipeline")
            ),
            Part.COMMUNICATION: lambda: self._communication() or Missing("mindspore_communication"),
            Part.LINKS: lambda: (
                self._from("hccl_raw_{}.csv", lambda table: links_of(table, rank)) or Missing("mindspore_communication")
            ),
            Part.STEP_ROWS: lambda: self._step_rows() or Missing("not_in_steps"),
        }

    def _step_rows(self) -> StepRows | None:
        """Return the runs of an NPU by their times within the steps of the step trace, of one clock."""
        runs, trace = self._ascend_runs, self._step_trace
        if runs is None or trace is None or not len(trace.start):
            return None
        step = step_texts(runs.start, trace.start, trace.end, trace.number)
        if not step.codes.any():
            return None
        kernels = ascend.kernels_of_runs(runs, self._compiled, self.files.rank, step)
        return StepRows(operators_of_kernels(kernels, {}), kernels)

    @property
    def select_steps(self) -> Callable[[int, int], Profile] | None:
        """Return the function; None unless each step lists its own runs."""
        if self._dynamic_shapes is None or self._dynamic_shapes.steps is None:
            return None
        return self._of_steps

    def _of_steps(self, first: int, last: int) -> Profile:
        assert self._dynamic_shapes is not None
        found = self._dynamic_shapes.of_steps(first, last)
        parts: dict[Part, Callable[[], Any] | Missing] = {
            Part.STEPS: lambda: found.steps or Missing("mindspore_steps"),
            Part.OPERATORS: lambda: by_time(found.operators) or Missing("mindspore_operators"),
            Part.KERNELS: lambda: found.kernels or Missing("mindspore_kernels"),
            Part.MODULES: lambda: (found.operators and modules_of(found.operators)) or Missing("mindspore_modules"),
        }
        facts = ProfileFacts(
            name=self.files.directory.name, path=str(self.files.directory), format=MINDSPORE_PROFILE.name,
            framework="mindspore", rank=self.files.rank, devices=self.devices, properties=self.information,
        )  # fmt: skip
        return Profile(facts, None, parts)

    @property
    def _device(self) -> str:
        return "CPU" if self.device == "CPU" else f"{self.device} {self.files.rank}"

    def _clock_origin(self) -> int:
        """Return the time 0 of the timeline on the clock of the tables: ``min_cycle_counter``, in ms or 10 ns ticks."""
        if self.trace is None or CLOCK_ORIGIN in self.trace.properties:
            return 0 if self.trace is None else int(self.trace.properties[CLOCK_ORIGIN])
        text = self._read("min_cycle_counter_{}.txt", lambda path: read_lines(path)[0].strip())
        if text is None or self._step_trace is None:
            return 0
        first = int(self._step_trace.start[0])
        origins = [fixed_point(text, scale) for scale in (1000 * _US, step_trace.TICK_NS)]
        return min(origins, key=lambda origin: abs(origin - first))

    def _information(self) -> dict[str, Any]:
        """Return facts of the profiler, and figures of the whole profile."""
        found = self._object("profiler_info_{}.json") | self._object("step_trace_point_info_{}.json")
        for name, file, reader in (
            ("flops", "flops_summary_{}.json", flops.read_summary),
            ("memory_plan", "memory_usage_summary_{}.json", read_plan_summary),
            ("processor_load", "minddata_cpu_utilization_{}.json", processor_load),
        ):
            value = self.problems.read(self.files.find(file), reader)
            found |= {name: value} if value else {}
        if self._analysis is not None:
            found = {"stage_num": int(self._analysis[2]), "rank_size": int(self._analysis[3])} | found
        if self._strategy is not None:
            found["parallel_strategy"] = self._strategy.config
        advice = recommendations_of(self.files.directory, self.files.rank, self.problems)
        return found | ({"recommendations": advice} if advice else {})

    @cached_property
    def _analysis(self) -> re.Match[str] | None:
        """Name, mode, stages, ranks and rank of the analysis of a cluster; None without one."""
        return self.files.match(CLUSTER_ANALYSIS)

    @cached_property
    def _steps(self) -> Steps | None:
        if self._step_trace is not None:
            steps = step_trace.steps_of(self._step_trace, self._origin_ns)
            split = None if self._analysis is None else self._from(self._analysis[0], read_split)
            return steps if split is None else with_split(steps, split)
        return None if self._dynamic_shapes is None else self._dynamic_shapes.steps

    @cached_property
    def _operators(self) -> Operators | None:
        readers = {"NPU": self._ascend_operators, "GPU": self._gpu_operators, "CPU": self._cpu_operators}
        operators = readers[self.device]()
        if operators is None and self._dynamic_shapes is not None:
            operators = self._dynamic_shapes.operators
        if operators is not None and self._strategy is not None:
            operators = with_shards(operators, self._strategy.shards)
        return operators

    def _ascend_operators(self) -> Operators | None:
        rank, compiled = self.files.rank, self._compiled
        operators: Operators | None = None
        for name in ("aicore_intermediate_{}_detail.csv", "pynative_op_intermediate_{}_detail.csv"):
            operators = operators or self._from(
                name, lambda table: ascend.ascend_operators(table, compiled, self._kernels, rank)
            )
        operators = operators or self._read(
            "output_op_compute_time_{}.txt", lambda path: compute_time_operators(path, rank)
        )
        for name in ("aicore_intermediate_{}_type.csv", "pynative_op_intermediate_{}_type.csv"):
            operators = operators or self._from(name, lambda table: ascend.type_operators(table, rank))
        operators = operators or self._read(
            "output_op_compute_time_detail_{}.txt", lambda path: compute_detail_operators(path, rank)
        )
        cpu = self._of_aicpu(lambda table: ascend.aicpu_operators(table, rank))
        file, counted = self.files.find("flops_{}.txt"), self._from("flops_{}.txt", flops.read_flops)
        if operators and file and counted:
            unknown = flops.unknown_names(counted, operators.name)
            operators = flops.with_flops(operators, counted)
            if unknown:
                self.problems.note(file.name, Reason("profile_flops_unknown", count=unknown, operators=len(counted)))
        return joined([operators, cpu], fills_gaps=True) if operators and cpu else operators or cpu

    def _gpu_operators(self) -> Operators | None:
        for name in ("gpu_op_detail_info_{}.csv", "gpu_op_type_info_{}.csv"):
            if found := self._from(name, lambda table: gpu.gpu_operators(table, self.files.rank)):
                return found
        return None

    def _cpu_operators(self) -> Operators | None:
        return cpu_operators(self.files.directory, self.files.rank, self.problems)

    @cached_property
    def _kernels(self) -> Kernels | None:
        kernels: Kernels | None = None
        if self.device == "GPU":
            kernels = self._from("gpu_activity_data_{}.csv", lambda table: gpu.gpu_kernels(table, self.files.rank))
        elif self._ascend_runs is not None:
            kernels = ascend.kernels_of_runs(self._ascend_runs, self._compiled, self.files.rank)
        return kernels or (None if self._dynamic_shapes is None else self._dynamic_shapes.kernels)

    def _modules(self) -> Modules | None:
        modules = None if self._operators is None else modules_of(self._operators)
        scopes = self._read("flops_scope_{}.json", flops.read_scopes)
        return flops.with_scope_flops(modules, scopes) if modules and scopes else modules

    def _communication(self) -> Communication | None:
        if self._step_trace is None:
            return None
        return step_trace.communication_of(self._step_trace, self._device, self._origin_ns)

    @cached_property
    def _compiled(self) -> dict[str, ascend.CompiledOperator]:
        return self._from("framework_raw_{}.csv", ascend.compiled_operators) or {}

    @cached_property
    def _ascend_runs(self) -> SliceColumns | None:
        return self._from("output_timeline_data_{}.txt", lambda table: ascend.timeline_runs(table, self.files.rank))

    def _of_aicpu(self, reader: Callable[[CsvTable], _T | None]) -> _T | None:
        """Read the newer file, else the older one."""
        name = "output_data_preprocess_aicpu_{}.txt"
        return self._from("aicpu_intermediate_{}.csv", reader) or self._read(
            name, lambda path: reader(data_preprocess_table(path))
        )

    @cached_property
    def _dynamic_shapes(self) -> DynamicShapes | None:
        return self._read("dynamic_shape_info_{}.json", lambda path: read_dynamic_shapes(path, self._device))

    @cached_property
    def _strategy(self) -> ParallelStrategy | None:
        return self._read("parallel_strategy_{}.json", read_parallel_strategy)

    @cached_property
    def _step_trace(self) -> step_trace.StepTrace | None:
        name = "step_trace_raw_{}_detail_time.csv"
        found = self._from(name, step_trace.read_step_trace)
        if found is None:
            name = "step_trace_profiling_{}.txt"
            found = self._read(name, read_gpu_steps)
        if found is not None and found.skipped:
            self.problems.note(name.format(self.files.rank), Reason("profile_steps_skipped", count=found.skipped))
        return found

    def _memory(self) -> Memory | None:
        """Return the measured memory, else what the compiler planned."""
        blocks = self._from("operator_memory_{}.csv", lambda table: table)
        found = self._read("operator_memory_{}.csv", lambda _: memory_of(None, blocks, self._origin_ns))
        curve = self._from("cpu_ms_memory_record_{}.txt", lambda table: cpu_memory_curve(table, self._origin_ns))
        if curve is not None:
            return Memory(curve, found.blocks if found else None)
        return found or self._read("memory_usage_details_{}.json", lambda path: read_plan(path, self._device))

    def _trace(self, on_progress: Progress) -> Trace | None:
        """Make the trace of the tables, which hold all runs; else of the JSON of MindSpore, which it cuts at 20 MB."""
        built = trace_of([runs for runs in self._runs() if runs is not None], {}, is_epoch=self.device != "NPU")
        if built is not None:
            return built
        file = self.files.find(
            "ascend_timeline_display_{}.json", "gpu_timeline_display_{}.json", "timeline_display_{}.json"
        )
        return self.problems.read(file, lambda path: read_json_trace(path, on_progress))

    def _runs(self) -> list[SliceColumns | None]:
        steps = [] if self._step_trace is None else step_trace.step_runs(self._step_trace)
        if self.device == "NPU":
            cpu = self._of_aicpu(lambda table: ascend.aicpu_runs(table, self.files.rank))
            return [*steps, self._ascend_runs, cpu] if self._ascend_runs else []
        if self.device == "GPU":
            names = {"gpu_op_execute_timestamp_{}.txt": "Operators", "activity_execute_timestamp_{}.txt": "GPU"}
            runs = [self._timestamps(name, process, _US) for name, process in names.items()]
            return [*steps, *runs] if any(runs) else []
        return [self._timestamps("cpu_op_execute_timestamp_{}.txt", "CPU", 1000 * _US)]

    def _timestamps(self, name: str, process: str, unit_ns: int) -> SliceColumns | None:
        return self._read(name, lambda path: timestamp_runs(path, process, unit_ns))

    def _from(self, name: str, reader: Callable[[CsvTable], _T | None]) -> _T | None:
        """Return what the reader makes of a table; None without one, or if it can't be read."""

        def read(path: Path) -> _T | None:
            table = read_csv(path)
            table.note_gaps(self.problems, path)
            return reader(table)

        return self._read(name, read)

    def _read(self, name: str, reader: Callable[[Path], _T | None]) -> _T | None:
        """Return what the reader makes of a file of the rank; None without one, or if it can't be read and is noted."""
        return self.problems.read(self.files.find(name), reader)

    def _object(self, name: str) -> dict[str, Any]:
        file = self.files.find(name, name.replace("_{}", ""))
        return dict(self.problems.read(file, read_object) or {})


MINDSPORE_PROFILE = Format(
    "mindspore_profile", "MindSpore profile before 2.3", is_mindspore_profile, _read, ranks=ranks_of,
    read_rank=_read_rank, holds=_holds,
)  # fmt: skip
