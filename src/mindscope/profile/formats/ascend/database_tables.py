# SPDX-License-Identifier: Apache-2.0
"""Tables that Ascend's analysis computes: memory, parts of steps, communication."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mindscope.profile.formats.ascend.communication import AscendOperation
from mindscope.profile.formats.ascend.steps import steps_of
from mindscope.profile.formats.csv_table import CsvTable
from mindscope.profile.formats.sqlite_file import NONE, SqliteFile, named
from mindscope.profile.tables.memory import UNKNOWN_TIME, Memory, MemoryBlocks, MemoryCurve
from mindscope.profile.tables.steps import Steps
from mindscope.table.columns import TextColumn

_MOST_ROWS = 1_000_000
_SUMS = ("PTA+GE", "MindSpore+GE")
_STEP_COLUMNS = {
    "deviceId": "Device_id", "step": "Step", "computing": "Computing",
    "communication_not_overlapped": "Communication(Not Overlapped)", "overlapped": "Overlapped",
    "communication": "Communication", "free": "Free", "stage": "Stage", "bubble": "Bubble", "preparing": "Preparing",
}  # fmt: skip
_TIMES = {
    "start_timestamp": "Start Timestamp(us)", "elapse_time": "Elapse Time(ms)", "transit_time": "Transit Time(ms)",
    "wait_time": "Wait Time(ms)", "synchronization_time": "Synchronization Time(ms)", "idle_time": "Idle Time(ms)",
}  # fmt: skip
_Operations = dict[tuple[int, str, str], dict[str, Any]]
"""Facts by step, name and group."""


def memory_of_tables(file: SqliteFile) -> Memory | None:
    """Return curve and blocks, in nanoseconds since 1970; None without either."""
    strings = file.strings("STRING_IDS")
    curve, blocks = _curve(file, strings), _blocks(file, strings)
    if curve is None and blocks is None:
        return None
    nothing = MemoryCurve(
        time=np.empty(0, np.int64), device=TextColumn.constant("", 0), allocated=np.empty(0, np.int64)
    )  # fmt: skip
    return Memory(nothing if curve is None else curve, blocks)


def _curve(file: SqliteFile, strings: Mapping[int, str]) -> MemoryCurve | None:
    rows = file.rows(
        "MEMORY_RECORD", integers=("component", "timestamp|timestampNs", "totalAllocated", "totalReserved", "deviceId")
    )
    if rows is None:
        return None
    component = named(rows.whole("component"), strings)
    is_known = rows.has("timestamp", "totalAllocated") & ~component.is_any_of(lambda text: text in _SUMS)
    curve = MemoryCurve(
        time=rows.whole("timestamp"),
        device=_devices(rows.whole("deviceId", 0)),
        component=component,
        allocated=rows.whole("totalAllocated", 0),
        reserved=rows.whole("totalReserved", 0),
    ).select(is_known)
    return curve.select(np.lexsort((curve.time, curve.device.codes))) if len(curve) else None


def _blocks(file: SqliteFile, strings: Mapping[int, str]) -> MemoryBlocks | None:
    rows = file.rows("OP_MEMORY", integers=("name", "size", "allocationTime", "releaseTime", "deviceId"))
    if rows is None:
        return None
    blocks = MemoryBlocks(
        device=_devices(rows.whole("deviceId", 0)),
        size=rows.whole("size", 0),
        allocated_at=rows.whole("allocationTime", UNKNOWN_TIME),
        freed_at=rows.whole("releaseTime", UNKNOWN_TIME),
        operator=named(rows.whole("name"), strings),
    ).select(rows.has("size"))
    return blocks.select(np.argsort(blocks.allocated_at, kind="stable")) if len(blocks) else None


def steps_of_tables(file: SqliteFile) -> Steps | None:
    """Return the steps of ``StepTraceTime``, which has microseconds; None without."""
    rows = file.named_rows("StepTraceTime", _MOST_ROWS)
    columns = [name for name in _STEP_COLUMNS if any(name in row for row in rows)]
    if "computing" not in columns:
        return None
    header = [_STEP_COLUMNS[name] for name in columns]
    table = CsvTable(header, [[_cell(row.get(name)) for name in columns] for row in rows])
    return steps_of(table, None)


def operations_of_tables(file: SqliteFile) -> list[AscendOperation]:
    """Return ``CommAnalyzerTime`` and ``CommAnalyzerBandwidth`` as ``communication.json`` has them."""
    operations: _Operations = {}
    for row in file.named_rows("CommAnalyzerTime", _MOST_ROWS):
        _facts(operations, row)["Communication Time Info"] = {
            name: row[column] for column, name in _TIMES.items() if row.get(column) is not None
        }
    for row in file.named_rows("CommAnalyzerBandwidth", _MOST_ROWS) if operations else ():
        links = _facts(operations, row).setdefault("Communication Bandwidth Info", {})
        # A link has a row for each size of packages, which repeat its sums.
        links[str(row.get("transport_type"))] = {"Transit Size(MB)": row.get("transit_size")}
    return [AscendOperation(*key, facts) for key, facts in operations.items()]


def link_operations_of_tables(file: SqliteFile) -> list[AscendOperation]:
    """Return ``CommAnalyzerMatrix`` as ``communication_matrix.json`` has it."""
    operations: _Operations = {}
    for row in file.named_rows("CommAnalyzerMatrix", _MOST_ROWS):
        _facts(operations, row)[f"{row.get('src_rank')}-{row.get('dst_rank')}"] = {
            "Transport Type": row.get("transport_type", ""), "Transit Size(MB)": row.get("transit_size"),
            "Transit Time(ms)": row.get("transit_time"),
        }  # fmt: skip
    return [AscendOperation(*key, facts) for key, facts in operations.items()]


def _facts(found: _Operations, row: Mapping[str, Any]) -> dict[str, Any]:
    digits = re.search(r"\d{1,15}", str(row.get("step", "")))
    name, group = str(row.get("hccl_op_name", "")), str(row.get("group_name", ""))
    return found.setdefault((int(digits[0]) if digits else -1, name, group), {})


def _devices(numbers: Any) -> TextColumn:
    unique, codes = np.unique(numbers, return_inverse=True)
    values: Sequence[int] = unique.tolist()
    return TextColumn(codes.reshape(-1).astype(np.uint32), [f"NPU {max(value, 0)}" for value in values])


def _cell(value: Any) -> str:
    return "" if value is None or value == NONE else str(value)
