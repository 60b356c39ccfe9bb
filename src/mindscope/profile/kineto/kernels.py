# SPDX-License-Identifier: Apache-2.0
"""The table of kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.tensor_cores import cores_of
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.texts import Missing
from mindscope.table.columns import TextColumn, integers_of
from mindscope.table.grouping import groups_of


def kernels_of(
    analysis: KinetoAnalysis,
    operator: TextColumn | None = None,
    core: TextColumn | None = None,
    shape: TextColumn | None = None,
) -> Kernels | Missing:
    """Return kernels by name, device, stream, operator, grid and block.

    Args:
        analysis: of the trace.
        operator: of each row of ``analysis.device``, where the profiler names it; else by the launch.
        core: what each row ran on; else tensor cores by its name.
        shape: of the inputs of each row; else its grid and block.
    """
    work, trace = analysis.device, analysis.trace
    if not len(work):
        return analysis.missing("kernels")
    launcher = TextColumn.constant("", len(work))
    if len(analysis.calls):
        codes = np.where(work.operator >= 0, analysis.calls.name[work.operator] + 1, 0)
        launcher = TextColumn(codes.astype(np.uint32), ["", *trace.names])
    texts = work.arguments.texts
    names = TextColumn(work.name, trace.names)
    cores = cores_of(analysis, names) if core is None else core
    columns = {
        "name": names,
        "kind": work.kind,
        "device": work.device,
        "stream": work.stream,
        "operator": launcher if operator is None else operator,
        "shape": _launch_shapes(texts["grid"], texts["block"]) if shape is None else shape,
        **({} if cores is None else {"core": cores}),
    }
    group, first = groups_of([column.codes for column in columns.values()], len(work))
    chosen = {name: column.select(first) for name, column in columns.items()}

    def gathered(reduction: np.ufunc, values: NDArray[np.int64], start: int) -> NDArray[np.int64]:
        kernels = np.full(len(first), start, np.int64)
        reduction.at(kernels, group, values)
        return kernels

    kernels = Kernels(
        name=chosen["name"],
        kind=chosen["kind"],
        device=chosen["device"],
        stream=chosen["stream"],
        operator=chosen["operator"],
        shape=chosen["shape"],
        core=chosen.get("core"),
        count=gathered(np.add, np.ones(len(work), np.int64), 0),
        total=gathered(np.add, work.duration, 0),
        min=gathered(np.minimum, work.duration, int(np.iinfo(np.int64).max)),
        max=gathered(np.maximum, work.duration, 0),
        size=gathered(np.add, np.maximum(work.arguments.integers["bytes"], 0), 0),
        occupancy=_mean(work.arguments.numbers["est. achieved occupancy %"] / 100, work.duration, group),
        blocks_per_sm=_mean(work.arguments.numbers["blocks per SM"], work.duration, group),
    )
    return kernels.select(np.argsort(-kernels.total, kind="stable"))


def _launch_shapes(grid: TextColumn, block: TextColumn) -> TextColumn:
    group, first = groups_of([grid.codes, block.codes], len(grid))
    texts = [
        f"grid {grid[row]} block {block[row]}".replace(" ", "").replace("grid", "grid ").replace("block", " block ")
        if grid[row]
        else ""
        for row in integers_of(first)
    ]
    return TextColumn(group.astype(np.uint32), texts)


_LARGEST = 1e12
"""No measured figure of a kernel; the sum of damaged ones would overflow."""


def _mean(
    values: NDArray[np.float64], duration: NDArray[np.int64], group: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """Return the mean of the known values of each group weighted by duration, NaN without any.

    It is None if no kernel has one.
    """
    known = np.isfinite(values) & (np.abs(values) < _LARGEST)
    if not known.any():
        return None
    count = int(group.max()) + 1
    weighted = np.bincount(group[known], values[known] * duration[known], count)
    time = np.bincount(group[known], duration[known], count)
    return np.divide(weighted, time, out=np.full(count, np.nan), where=time > 0)
