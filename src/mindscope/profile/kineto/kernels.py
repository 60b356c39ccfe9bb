# SPDX-License-Identifier: Apache-2.0
"""Tables of kernels, and of communication between ranks."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.columns import TextColumn, integers_of
from mindscope.profile.communication import Communication
from mindscope.profile.grouping import groups_of
from mindscope.profile.kernels import Kernels
from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.device_work import COMMUNICATION
from mindscope.profile.texts import Missing

TENSOR_CORE = "tensor_core"
_TENSOR_CORE_NAME = re.compile(
    r"[his]884|[hsci]1688|hmma|i?8?816|16816|xmma_\w*(gemm|fprop|dgrad|wgrad)|implicit_gemm|first_layer_wgrad|sm80_xmma|"
    r"sm90_xmma|wgmma|tensorop|nvjet",
    re.IGNORECASE,
)
_KIND = re.compile(
    r"all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|barrier|gather|scatter|reduce|send_?recv|send|recv",
    re.IGNORECASE,
)
_DTYPE_BYTES = {
    "float": 4, "double": 8, "half": 2, "bfloat16": 2, "byte": 1, "char": 1, "bool": 1, "short": 2, "int": 4, "long": 8,
    "float8_e4m3fn": 1, "float8_e5m2": 1, "complexfloat": 8, "complexdouble": 16,
}  # fmt: skip
_KINDS = {"recv": "receive", "sendrecv": "sendreceive"}


def kernels_of(analysis: KinetoAnalysis) -> Kernels | Missing:
    """Kernels by name, device, stream, operator, grid and block."""
    work, trace = analysis.device, analysis.trace
    if not len(work):
        return Missing("torch_kernels")
    launcher = np.where(work.operator >= 0, analysis.calls.name[work.operator] + 1, 0) if len(analysis.calls) else None
    texts = work.arguments.texts
    columns = {
        "name": TextColumn(work.name, trace.names),
        "kind": work.kind,
        "device": work.device,
        "stream": work.stream,
        "operator": TextColumn(
            np.zeros(len(work), np.uint32) if launcher is None else launcher.astype(np.uint32), ["", *trace.names]
        ),
        "shape": _launch_shapes(texts["grid"], texts["block"]),
    }
    group, first = groups_of([column.codes for column in columns.values()], len(work))
    chosen = {name: column.select(first) for name, column in columns.items()}

    def gathered(reduction: np.ufunc, values: NDArray[np.int64], start: int) -> NDArray[np.int64]:
        found = np.full(len(first), start, np.int64)
        reduction.at(found, group, values)
        return found

    found = Kernels(
        name=chosen["name"],
        kind=chosen["kind"],
        device=chosen["device"],
        stream=chosen["stream"],
        operator=chosen["operator"],
        shape=chosen["shape"],
        core=TextColumn.of(TENSOR_CORE if _TENSOR_CORE_NAME.search(name) else "" for name in chosen["name"]),
        count=gathered(np.add, np.ones(len(work), np.int64), 0),
        total=gathered(np.add, work.duration, 0),
        min=gathered(np.minimum, work.duration, int(np.iinfo(np.int64).max)),
        max=gathered(np.maximum, work.duration, 0),
        size=gathered(np.add, np.maximum(work.arguments.integers["bytes"], 0), 0),
        occupancy_time=_weighted(work.arguments.numbers["est. achieved occupancy %"] / 100, work.duration, group),
        blocks_per_sm_time=_weighted(work.arguments.numbers["blocks per SM"], work.duration, group),
    )
    return found.select(np.argsort(-found.total, kind="stable"))


def communication_of(analysis: KinetoAnalysis) -> Communication | Missing:
    """Communication as the devices ran it."""
    work = analysis.device
    rows = np.flatnonzero(work.is_kind(COMMUNICATION))
    if not len(rows):
        return Missing("torch_communication")
    rows = rows[np.argsort(work.start[rows], kind="stable")]
    integers, texts = work.arguments.integers, work.arguments.texts
    name = TextColumn(work.name[rows], analysis.trace.names)
    steps = analysis.marked_steps
    step = work.step[rows]
    dtype = TextColumn.of(map(_unquoted, texts["dtype"].select(rows)))
    return Communication(
        name=name,
        kind=TextColumn.of(
            _kind(_unquoted(collective) or kernel)
            for collective, kernel in zip(texts["Collective name"].select(rows), name, strict=True)
        ),
        group=TextColumn.of(
            _unquoted(described) or _unquoted(named)
            for described, named in zip(
                texts["Process Group Description"].select(rows), texts["Process Group Name"].select(rows), strict=True
            )
        ),
        sequence=np.maximum(integers["Seq"][rows], -1),
        group_size=np.maximum(integers["Group size"][rows], -1),
        step=np.where(step >= 0, steps.number[step], -1) if len(steps) else step,
        device=work.device.select(rows),
        start=work.start[rows],
        duration=work.duration[rows],
        size=_sizes(integers["In msg nelems"][rows], dtype),
        dtype=dtype,
    )


def _sizes(elements: NDArray[np.int64], dtype: TextColumn) -> NDArray[np.int64]:
    """Bytes; -1 where the number of elements or their type is unknown."""
    each = np.array([_DTYPE_BYTES.get(value.lower(), 0) for value in dtype.values], np.int64)[dtype.codes]
    return np.where((elements >= 0) & (each > 0), elements * each, -1)


def _launch_shapes(grid: TextColumn, block: TextColumn) -> TextColumn:
    group, first = groups_of([grid.codes, block.codes], len(grid))
    texts = [
        f"grid {grid[row]} block {block[row]}".replace(" ", "").replace("grid", "grid ").replace("block", " block ")
        if grid[row]
        else ""
        for row in integers_of(first)
    ]
    return TextColumn(group.astype(np.uint32), texts)


def _weighted(
    values: NDArray[np.float64], duration: NDArray[np.int64], group: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """The sum in each group of value times duration; None if no kernel has a value."""
    known = np.isfinite(values)
    if not known.any():
        return None
    found = np.zeros(int(group.max()) + 1)
    np.add.at(found, group[known], values[known] * duration[known])
    return found


def _kind(name: str) -> str:
    found = _KIND.search(name)
    kind = found[0].lower().replace("_", "") if found else "other"
    return _KINDS.get(kind, kind)


def _unquoted(value: str) -> str:
    return value.strip('"')
