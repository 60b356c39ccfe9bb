# SPDX-License-Identifier: Apache-2.0
"""Kernels and operators of ``kernel_details.csv``, ``op_summary.csv`` and ``operator_details.csv``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mindscope.profile.formats.csv_table import CsvTable
from mindscope.profile.formats.scope_names import mapped, module_of, phase_of, type_of
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import Column, TextColumn
from mindscope.table.schema import ColumnField, Unit, mean_by

NAME = ("Name", "Op Name", "kernel_name")
TYPE = ("Type", "OP Type", "kernel_type")
CORE = ("Accelerator Core", "Task Type", "Core Type")
START = ("Start Time", "Task Start Time", "task_start")
DURATION = ("Duration", "Task Duration", "task_time")
STREAM = ("Stream ID", "stream_id")
DEVICE = ("Device_id", "Device ID")
_COMMUNICATION = re.compile(
    r"hcom_|(all_?reduce|all_?gather|reduce_?scatter|broadcast|all_?to_?all|send|receive)", re.I
)
_COMMUNICATION_CORES = ("HCCL", "COMMUNICATION")
_UNITS = {
    "mac": ("aic_mac_ratio", "mac_ratio"), "mte1": ("aic_mte1_ratio", "mte1_ratio"),
    "mte2": ("aic_mte2_ratio", "mte2_ratio"), "mte3": ("aic_mte3_ratio", "mte3_ratio"),
    "fixpipe": ("aic_fixpipe_ratio",), "scalar": ("aic_scalar_ratio", "scalar_ratio"),
    "vec": ("aiv_vec_ratio", "vec_ratio"), "vector_mte2": ("aiv_mte2_ratio",), "vector_mte3": ("aiv_mte3_ratio",),
    "vector_scalar": ("aiv_scalar_ratio",),
}  # fmt: skip
"""Units of an AI core -> columns with their share of the time of a task, in the names of several versions."""
UNIT_RATIOS: Mapping[str, ColumnField] = {
    f"{unit}_ratio": ColumnField(Unit.SHARE, mean_by("total"), f"{unit}_ratio") for unit in _UNITS
}


def kernels_of(table: CsvTable, rank: int, step: TextColumn | None = None) -> Kernels:
    """Return kernels by name, stream and shapes, also by the ``step`` of each row.

    Raises KeyError if the table has no names or durations.
    """
    runs = _runs(table, rank)
    names = [name for name in ("name", "kind", "device", "stream", "core", "shape") if getattr(runs, name) is not None]
    return runs.group_by(*names) if step is None else replace(runs, step=step).group_by(*names, "step")


def operators_of_kernels(kernels: Kernels, types: dict[str, str]) -> Operators:
    """Return operators that run as one kernel each, in graph mode; communication included."""
    total = kernels.total
    operators = Operators(
        name=kernels.name,
        type=mapped(kernels.name, lambda name: types.get(name) or type_of(name)),
        device=kernels.device,
        module=mapped(kernels.name, module_of),
        phase=mapped(kernels.name, phase_of),
        shapes=kernels.shape,
        count=kernels.count,
        device_total=total,
        device_self=total,
        max=kernels.max,
        step=kernels.step,
    )
    optional = {"shapes": operators.shapes, "step": operators.step}
    return operators.group_by("name", "device", *(name for name, column in optional.items() if column is not None))


def types_of(table: CsvTable) -> dict[str, str]:
    """Name of a kernel -> its type."""
    names, types = table.cells(*NAME), table.cells(*TYPE)
    return dict(zip(names, types, strict=True)) if names and types else {}


def operators_of_details(table: CsvTable, rank: int) -> Operators:
    """Return the operators of ``operator_details.csv``, which has a row for each call.

    Raises KeyError without the columns.
    """
    name = required(table, "Name")
    host, device = table.nanoseconds("Host Total Duration"), table.nanoseconds("Device Total Duration")
    calls = Operators(
        name=name,
        type=mapped(name, lambda each: type_of(each).rpartition("::")[2]),
        device=TextColumn.constant(f"NPU {rank}", len(name)),
        module=mapped(name, module_of),
        phase=mapped(name, phase_of),
        shapes=table.texts("Input Shapes"),
        stack=_stacks(table),
        count=np.ones(len(name), np.int64),
        host_total=host,
        host_self=table.nanoseconds("Host Self Duration"),
        device_total=device,
        device_self=table.nanoseconds("Device Self Duration"),
        max=device if device is not None and device.any() else host,
    )
    groups = [each for each in ("name", "shapes", "stack") if getattr(calls, each) is not None]
    return calls.group_by(*groups)


def operators_of_statistic(table: CsvTable, rank: int) -> Operators:
    """Return the types of operators of ``op_statistic.csv``; single operators are unknown.

    Raises KeyError without the columns.
    """
    types = required(table, *TYPE)
    total = _required_times(table, "Total Time")
    counts = table.counts("Count")
    return Operators(
        name=types,
        type=types,
        device=_devices(table, rank),
        count=np.ones(len(types), np.int64) if counts is None else counts,
        device_total=total,
        device_self=total,
        max=table.nanoseconds("Max Time"),
    )


def required(table: CsvTable, *aliases: str) -> TextColumn:
    """Return a column of texts. Raises KeyError, which names it, if the table lacks it."""
    texts = table.texts(*aliases)
    if texts is None:
        raise KeyError(f"no column {aliases[0]}, it has {', '.join(table.names) or 'none'}")
    return texts


def _runs(table: CsvTable, rank: int) -> Kernels:
    name, duration = required(table, *NAME), _required_times(table, *DURATION)
    duration = np.maximum(duration, 0)
    core, kind = table.texts(*CORE), table.texts(*TYPE)
    kinds = [
        _kind(*each)
        for each in zip(
            name, kind or TextColumn.constant("", len(name)), core or TextColumn.constant("", len(name)), strict=True
        )
    ]
    return Kernels(
        name=name,
        kind=TextColumn.of(kinds),
        device=_devices(table, rank),
        stream=table.texts(*STREAM),
        core=core,
        shape=_shapes(table),
        count=np.ones(len(name), np.int64),
        total=duration,
        min=duration,
        max=duration,
        extra=_unit_ratios(table),
        extra_fields=UNIT_RATIOS,
    )


def _unit_ratios(table: CsvTable) -> dict[str, Column]:
    """Return the share of the time in which each measured unit worked, such as ``mac_ratio``."""
    shares = {unit: table.numbers(*columns) for unit, columns in _UNITS.items()}
    return {
        f"{unit}_ratio": np.nan_to_num(share, posinf=0, neginf=0) for unit, share in shares.items() if share is not None
    }


def _kind(name: str, kind: str, core: str) -> str:
    if core.upper() in _COMMUNICATION_CORES or _COMMUNICATION.match(kind or type_of(name)):
        return "communication"
    return "copy" if kind.upper().startswith(("MEMCPY", "TENSORMOVE")) else "compute"


def _required_times(table: CsvTable, *aliases: str) -> Any:
    found = table.nanoseconds(*aliases)
    if found is None:
        raise KeyError(f"no column {aliases[0]}, it has {', '.join(table.names) or 'none'}")
    return found


def _devices(table: CsvTable, rank: int) -> TextColumn:
    texts = table.texts(*DEVICE)
    if texts is None:
        return TextColumn.constant(f"NPU {rank}", len(table))
    return mapped(texts, lambda text: f"NPU {text}" if text.isdecimal() else f"NPU {rank}")


def _shapes(table: CsvTable) -> TextColumn | None:
    texts = table.texts("Input Shapes")
    return None if texts is None else mapped(texts, lambda text: text.strip('"'))


def _stacks(table: CsvTable) -> TextColumn | None:
    texts = table.texts("Call Stack")
    if texts is None or not any(texts.values):
        return None
    return mapped(texts, lambda text: ";".join(part.strip() for part in text.split(";") if part.strip()))
