# SPDX-License-Identifier: Apache-2.0
"""Operators and kernels on a GPU: ``gpu_*`` files of MindSpore's older profiler."""

from __future__ import annotations

import numpy as np

from mindscope.errors import FormatError
from mindscope.profile.formats.csv_table import CsvTable, columns_missing
from mindscope.profile.formats.scope_names import mapped, module_of, phase_of
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import TextColumn


def gpu_operators(table: CsvTable, rank: int) -> Operators | None:
    """Read ``gpu_op_detail_info``, or ``gpu_op_type_info``. Raises FormatError without the columns.

    ``op_total_time`` is the time of the host, which launches; that of the device is ``cuda_activity_cost_time``.
    """
    names = table.texts("op_full_name", "full_op_name", "op_type")
    types, host = table.texts("op_type"), table.nanoseconds("op_total_time", "total_time")
    if names is None or types is None or host is None:
        raise FormatError(columns_missing("names, types or times of operators", table.names))
    if not len(names):
        return None
    device = table.nanoseconds("cuda_activity_cost_time")
    counts = table.counts("op_occurrences", "type_occurrences")
    return Operators(
        name=names,
        type=types,
        device=TextColumn.constant(f"GPU {rank}", len(names)),
        module=mapped(names, module_of),
        phase=mapped(names, phase_of),
        count=np.ones(len(names), np.int64) if counts is None else counts,
        host_total=host,
        host_self=host,
        device_total=device,
        device_self=device,
    )


def gpu_kernels(table: CsvTable, rank: int) -> Kernels | None:
    """Read ``gpu_activity_data``. Raises FormatError without the columns."""
    names, total = table.texts("name"), table.nanoseconds("total_duration")
    if names is None or total is None:
        raise FormatError(columns_missing("names or durations of kernels", table.names))
    if not len(names):
        return None
    grids, blocks = table.cells("grid_dim"), table.cells("block_dim")
    shapes = (
        [f"grid {grid} block {block}" for grid, block in zip(grids, blocks, strict=True)] if grids and blocks else None
    )
    counts = table.counts("occurrences")
    return Kernels(
        name=names,
        kind=mapped(names, kernel_kind),
        device=TextColumn.constant(f"GPU {rank}", len(names)),
        stream=table.texts("stream_id"),
        operator=table.texts("op_full_name"),
        shape=None if shapes is None else TextColumn.of(shapes),
        count=np.ones(len(names), np.int64) if counts is None else counts,
        total=total,
        min=table.nanoseconds("min_duration"),
        max=table.nanoseconds("max_duration"),
    )


def kernel_kind(name: str) -> str:
    """Return what a kernel is for, by its name."""
    if name.startswith(("nccl", "ncclKernel")):
        return "communication"
    return "copy" if name.lower().startswith(("memcpy", "memset", "cudamemcpy", "cudamemset")) else "compute"
