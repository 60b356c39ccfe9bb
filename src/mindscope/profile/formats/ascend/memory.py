# SPDX-License-Identifier: Apache-2.0
"""Memory of ``memory_record.csv`` and blocks of ``operator_memory.csv``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.ascend.kernels import required
from mindscope.profile.formats.csv_table import CsvTable
from mindscope.profile.formats.scope_names import mapped
from mindscope.profile.tables.memory import UNKNOWN_TIME, Memory, MemoryBlocks, MemoryCurve
from mindscope.table.columns import TextColumn

_SUMS = ("PTA+GE", "MindSpore+GE")
"""Components that are sums of others."""


def memory_of(records: CsvTable | None, blocks: CsvTable | None, origin_ns: int) -> Memory | None:
    """Return curve and blocks; None without either. Times count from ``origin_ns``.

    Raises:
        KeyError: a table lacks a column.
    """
    curve = None if records is None else _curve(records, origin_ns)
    found = None if blocks is None else _blocks(blocks, origin_ns)
    if not (curve or found):
        return None
    return Memory(_NOTHING if curve is None else curve, found)


def _curve(table: CsvTable, origin_ns: int) -> MemoryCurve:
    component = required(table, "Component")
    time, allocated = table.nanoseconds("Timestamp"), table.bytes("Total Allocated", unit="mb")
    if time is None or allocated is None:
        raise KeyError(f"no column Timestamp or Total Allocated, it has {', '.join(table.names)}")
    curve = MemoryCurve(
        time=time - origin_ns,
        device=_device(table),
        component=component,
        allocated=allocated,
        reserved=table.bytes("Total Reserved", unit="mb"),
    )
    order = np.lexsort((curve.time, curve.device.codes))
    is_sum = component.is_any_of(lambda text: text in _SUMS)
    return curve.select(order[~is_sum[order]])


def _blocks(table: CsvTable, origin_ns: int) -> MemoryBlocks:
    name, size = required(table, "Name"), table.bytes("Size", unit="kb")
    born, freed = (table.nanoseconds(column, missing=UNKNOWN_TIME) for column in ("Allocation Time", "Release Time"))
    if size is None or born is None or freed is None:
        raise KeyError(f"no column Size, Allocation Time or Release Time, it has {', '.join(table.names)}")
    blocks = MemoryBlocks(
        device=_device(table),
        size=size,
        allocated_at=_since(born, origin_ns),
        freed_at=_since(freed, origin_ns),
        operator=name,
    )
    return blocks.select(np.argsort(blocks.allocated_at, kind="stable"))


def _since(times: NDArray[np.int64], origin_ns: int) -> NDArray[np.int64]:
    return np.where(times == UNKNOWN_TIME, UNKNOWN_TIME, times - origin_ns)


def _device(table: CsvTable) -> TextColumn:
    """Return the device, ``NPU:0`` in the file."""
    texts = table.texts("Device Type", "Device")
    if texts is None:
        return TextColumn.constant("NPU 0", len(table))
    return mapped(texts, lambda text: text.replace(":", " "))


_NOTHING = MemoryCurve(
    time=np.empty(0, np.int64), device=TextColumn.constant("", 0), allocated=np.empty(0, np.int64)
)  # fmt: skip
