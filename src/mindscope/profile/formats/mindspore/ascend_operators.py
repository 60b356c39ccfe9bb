# SPDX-License-Identifier: Apache-2.0
"""Operators on Ascend: ``aicore_intermediate``, ``framework_raw``, ``aicpu_intermediate``, ``output_timeline_data``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.profile.formats.built_trace import SliceColumns
from mindscope.profile.formats.csv_table import CsvTable, columns_missing
from mindscope.profile.formats.json_values import whole_numbers
from mindscope.profile.formats.scope_names import mapped, module_of, phase_of, type_of
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.operators import Operators
from mindscope.profile.trace.trace import Track
from mindscope.table.columns import TextColumn

FULL_NAME = ("full_kernel_name", "full_op_name", "full_kernel_time", "op_name", "kernel_name")
"""``full_kernel_time`` is a misspelling that some versions write."""
TYPE = ("kernel_type", "op_type", "optype_name")
AVERAGE = ("execution_time", "task_duration", "compute_time", "avg_execution_time")
_AICPU = ("kernel_type", "op_type", "node_type_name")
AI_CORE, AI_CPU = "AI_CORE", "AI_CPU"


class CompiledOperator(NamedTuple):
    """Facts that the compiler has about an operator."""

    type: str
    shapes: str
    dtypes: str


def compiled_operators(table: CsvTable) -> dict[str, CompiledOperator]:
    """Return full name -> the operator, of ``framework_raw``; the first of several tasks counts."""
    names, types = table.cells(*FULL_NAME[:2]), table.cells("op_type", "kernel_type")
    infos = table.cells("op_info") or [""] * len(table)
    found: dict[str, CompiledOperator] = {}
    for name, kind, info in zip(names or (), types or (), infos, strict=False):
        if name not in found:
            found[name] = CompiledOperator(kind, *_inputs(info))
    return found


def ascend_operators(
    detail: CsvTable, compiled: Mapping[str, CompiledOperator], runs: Kernels | None, rank: int
) -> Operators | None:
    """Return the operators of ``aicore_intermediate_N_detail``, whose times are averages of a run.

    Where the file has no count of runs, the timeline has it. Raises FormatError without the columns.
    """
    names, average_ms = detail.texts(*FULL_NAME), detail.numbers(*AVERAGE)
    if names is None or average_ms is None:
        raise FormatError(columns_missing("names or times of operators", detail.names))
    if not len(names):
        return None
    counts = detail.counts("execution_frequency")
    if counts is None:
        counts = _counted(names, runs)
    total = whole_numbers(average_ms * 1e6 * counts)
    unknown = CompiledOperator("", "", "")
    cores = detail.texts("task_type")
    return Operators(
        name=names,
        type=mapped(names, lambda name: compiled.get(name, unknown).type or type_of(name)),
        device=TextColumn.constant(f"NPU {rank}", len(names)),
        module=mapped(names, module_of),
        phase=mapped(names, phase_of),
        shapes=mapped(names, lambda name: compiled.get(name, unknown).shapes) if compiled else None,
        dtypes=mapped(names, lambda name: compiled.get(name, unknown).dtypes) if compiled else None,
        count=counts,
        device_total=total,
        device_self=total,
        max=_longest(names, runs),
        extra={"core": TextColumn.constant(AI_CORE, len(names)) if cores is None else cores},
    )


def type_operators(table: CsvTable, rank: int) -> Operators | None:
    """Return the types of ``aicore_intermediate_N_type`` or ``pynative_op_intermediate_N_type``. Raises FormatError."""
    types, total = table.texts(*TYPE), table.nanoseconds("total_time", "execution_time", "task_time", unit="ms")
    if types is None or total is None:
        raise FormatError(columns_missing("types or times", table.names))
    if not len(types):
        return None
    counts = table.counts("execution_frequency")
    return Operators(
        name=types, type=types, device=TextColumn.constant(f"NPU {rank}", len(types)),
        count=np.ones(len(types), np.int64) if counts is None else counts, device_total=total, device_self=total,
    )  # fmt: skip


def timeline_runs(table: CsvTable, rank: int) -> SliceColumns | None:
    """Return the runs of ``output_timeline_data``: every task of every step. Raises FormatError without the columns."""
    names, start = table.texts("op_name"), table.nanoseconds("start_time", unit="ms")
    duration, streams = table.nanoseconds("duration", unit="ms"), table.cells("stream_id")
    if names is None or start is None or duration is None:
        raise FormatError(columns_missing("names or times of tasks", table.names))
    if not len(names):
        return None
    process = f"NPU {rank}"
    tracks = [Track(process, stream, process, f"Stream {stream}") for stream in streams or ["0"] * len(names)]
    return SliceColumns(start, duration, names, "kernel", tracks)


def kernels_of_runs(
    runs: SliceColumns, types: Mapping[str, CompiledOperator], rank: int, step: TextColumn | None = None
) -> Kernels:
    """Return kernels by name and stream, also by the ``step`` of each run."""
    kernels = Kernels(
        name=runs.name,
        kind=mapped(runs.name, lambda name: _kind(types.get(name), name)),
        device=TextColumn.constant(f"NPU {rank}", len(runs.name)),
        stream=TextColumn.of(track.thread for track in runs.track),
        operator=runs.name,
        core=TextColumn.constant(AI_CORE, len(runs.name)),
        count=np.ones(len(runs.name), np.int64),
        total=runs.duration,
        min=runs.duration,
        max=runs.duration,
    )
    return (
        kernels.group_by("name", "stream")
        if step is None
        else replace(kernels, step=step).group_by("name", "stream", "step")
    )


def aicpu_runs(table: CsvTable, rank: int) -> SliceColumns | None:
    """Return the runs of ``aicpu_intermediate``, in us of the clock of the device; None without stamps."""
    names, start = table.texts(*_AICPU), table.nanoseconds("run_start", unit="us")
    end = table.nanoseconds("run_end", unit="us")
    if names is None or start is None or end is None or not len(names):
        return None
    track = Track(f"NPU {rank}", AI_CPU, f"NPU {rank}", "AI CPU")
    return SliceColumns(start, end - start, mapped(names, type_of), AI_CPU, [track] * len(names))


def aicpu_operators(table: CsvTable, rank: int) -> Operators | None:
    """Return types on the AI CPU. Raises FormatError without the columns."""
    names, times = table.texts(*_AICPU), table.nanoseconds("total_time", unit="ms")
    if names is None or times is None:
        raise FormatError(columns_missing("types or times", table.names))
    if not len(names):
        return None
    types = mapped(names, type_of)
    runs = Operators(
        name=types, type=types, device=TextColumn.constant(f"NPU {rank}", len(names)),
        count=np.ones(len(names), np.int64), device_total=times, device_self=times, max=times,
        extra={"core": TextColumn.constant(AI_CPU, len(names))},
    )  # fmt: skip
    return runs.group_by("name")


def _inputs(info: str) -> tuple[str, str]:
    """Return the shapes and types of the inputs; a shape is text in some versions, a list in others."""
    try:
        found: Any = json.loads(info) if info else {}
    except (ValueError, RecursionError):
        return "", ""
    inputs = [
        cast("Mapping[str, Any]", value)
        for name, value in (cast("Mapping[str, Any]", found).items() if isinstance(found, Mapping) else ())
        if name.lower().startswith("input_") and isinstance(value, Mapping)
    ]
    shapes = [
        shape if isinstance(shape := each.get("shape", ""), str) else ",".join(map(str, shape)) for each in inputs
    ]
    dtypes = [str(each.get("data_type", "")).removeprefix("NUMBER_TYPE_").lower() for each in inputs]
    return "; ".join(f"[{shape}]" for shape in shapes), "; ".join(dtypes)


def _kind(compiled: CompiledOperator | None, name: str) -> str:
    kind = (compiled.type if compiled else "") or type_of(name)
    is_communication = kind.lower().startswith(
        ("hcom", "allreduce", "allgather", "reducescatter", "broadcast", "alltoall")
    )
    return "communication" if is_communication or kind in ("Send", "Receive") else "compute"


def _counted(names: TextColumn, runs: Kernels | None) -> NDArray[np.int64]:
    by_name = {} if runs is None else _sums(runs.name, runs.count)
    return np.array([by_name.get(name, 1) for name in names], np.int64)


def _longest(names: TextColumn, runs: Kernels | None) -> NDArray[np.int64] | None:
    if runs is None or runs.max is None:
        return None
    found: dict[str, int] = {}
    for name, longest in zip(runs.name, runs.max.tolist(), strict=True):
        found[name] = max(found.get(name, 0), longest)
    longest = np.array([found.get(name, 0) for name in names], np.int64)
    return longest if longest.all() else None


def _sums(names: TextColumn, values: NDArray[np.int64]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, value in zip(names, values.tolist(), strict=True):
        found[name] = found.get(name, 0) + value
    return found
