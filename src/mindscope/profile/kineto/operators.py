# SPDX-License-Identifier: Apache-2.0
"""Tables of operators and of modules, from the calls of the host."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import PHASES, KinetoAnalysis
from mindscope.profile.kineto.categories import MODULE_PREFIX, SliceRole
from mindscope.profile.kineto.flops import flops_of
from mindscope.profile.kineto.paths import Paths
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.profile.texts import Missing
from mindscope.store.mapped_columns import mapped, release_pages
from mindscope.table.columns import TextColumn, integers_of
from mindscope.table.grouping import groups_of, sums_of

_CPU = "CPU"


def operators_of(analysis: KinetoAnalysis) -> Operators | Missing:
    """Return operators by name, device, module, phase, shapes, types and stack. Annotations are no operators."""
    rows = mapped(np.flatnonzero(analysis.is_operator))
    if not len(rows):
        return analysis.missing("operators")
    arguments = analysis.call_arguments
    columns = {
        "name": TextColumn(analysis.calls.name[rows], analysis.trace.names),
        "device": _devices(analysis).select(rows),
        "module": _module_column(analysis, rows),
        "phase": TextColumn(analysis.phase[rows].astype(np.uint32), PHASES),
        "shapes": _recorded(arguments.dims.select(rows)),
        "dtypes": _recorded(arguments.dtypes.select(rows)),
        "stack": _stack_column(analysis, rows),
    }
    present = {
        name: TextColumn(mapped(column.codes), column.values) for name, column in columns.items() if column is not None
    }
    del columns
    release_pages()
    group, first = groups_of([column.codes for column in present.values()], len(rows))
    chosen = {name: column.select(first) for name, column in present.items()}
    del present
    release_pages()
    total = analysis.device_total if len(analysis.device) else analysis.calls.duration

    def added(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return sums_of(group, values[rows], len(first))

    longest = np.zeros(len(first), np.int64)
    np.maximum.at(longest, group, total[rows])
    has_device, has_memory = len(analysis.device) > 0, len(analysis.calls.marks) > 0
    operators = Operators(
        name=chosen["name"],
        type=_types(chosen["name"]),
        device=chosen["device"],
        module=chosen.get("module"),
        phase=chosen.get("phase"),
        shapes=chosen.get("shapes"),
        dtypes=chosen.get("dtypes"),
        stack=chosen.get("stack"),
        count=np.bincount(group, minlength=len(first)).astype(np.int64),
        host_total=added(analysis.calls.duration),
        host_self=added(analysis.host_self),
        device_total=added(analysis.device_total) if has_device else None,
        device_self=added(analysis.device_self) if has_device else None,
        max=longest,
        flops=added(call_flops(analysis)) if "shapes" in chosen else None,
        memory_self=added(analysis.memory_self) if has_memory else None,
    )
    return operators.select(np.argsort(-operators.self_time, kind="stable"))


def modules_of(analysis: KinetoAnalysis) -> Modules | Missing:
    """Return modules as they call each other; of each instance all calls together."""
    paths, calls = analysis.modules, analysis.calls
    if not len(paths):
        return analysis.missing("modules")
    is_module = calls.role == SliceRole.MODULE
    backward = np.where(analysis.phase == PHASES.index("backward"), 1, 0)

    def added(values: NDArray[np.int64], of_call: NDArray[np.int32]) -> NDArray[np.int64]:
        known = of_call >= 0
        return sums_of(of_call[known], values[known], len(paths))

    own_path = np.where(is_module, paths.of_call, np.int32(-1))
    forward_path = np.where(backward == 0, paths.of_call, np.int32(-1))
    host_total = added(calls.duration, own_path)
    device_self = added(analysis.device_self, forward_path)
    has_device = len(analysis.device) > 0
    own = analysis.device_self if has_device else analysis.host_self
    flops = added(call_flops(analysis), forward_path)
    texts = path_texts(analysis, paths)
    return Modules(
        path=TextColumn(np.arange(len(paths), dtype=np.uint32), texts),
        name=TextColumn.of(text.rpartition("/")[2] for text in texts),
        parent=paths.parent,
        count=added(np.ones(len(calls), np.int64), own_path),
        host_total=host_total,
        host_self=_without_children(paths, host_total),
        device_total=_with_children(paths, device_self) if has_device else None,
        device_self=device_self if has_device else None,
        backward=_with_children(paths, added(own * backward, analysis.module_path)),
        flops=_with_children(paths, flops) if flops.any() else None,
        memory=_with_children(paths, added(analysis.memory_self, forward_path)) if len(calls.marks) else None,
    )


def call_flops(analysis: KinetoAnalysis) -> NDArray[np.int64]:
    """Return floating-point operations of each call, 0 for those that are no operators or of unknown shapes."""
    dims, values = analysis.call_arguments.dims, analysis.call_arguments.values
    found = np.zeros(len(analysis.calls), np.int64)
    rows = np.flatnonzero(analysis.is_operator & (dims.codes > 0))
    names = analysis.calls.name[rows]
    group, first = groups_of([names, dims.codes[rows], values.codes[rows]], len(rows))
    each = [
        flops_of(analysis.trace.names[name], dims[row], values[row])
        for name, row in zip(integers_of(names[first]), integers_of(rows[first]), strict=True)
    ]
    found[rows] = np.array([min(count, 1 << 62) for count in each], np.int64)[group] if each else 0
    return found


def path_texts(analysis: KinetoAnalysis, paths: Paths) -> list[str]:
    """Return names from the root on, joined by ``/``."""
    found: list[str] = []
    for parent, name in zip(integers_of(paths.parent), integers_of(paths.name), strict=True):
        own = analysis.trace.names[name].removeprefix(MODULE_PREFIX)
        found.append(f"{found[parent]}/{own}" if parent >= 0 else own)
    return found


def _module_column(analysis: KinetoAnalysis, rows: NDArray[np.int64]) -> TextColumn | None:
    if not len(analysis.modules):
        return None
    return TextColumn((analysis.module_path[rows] + 1).astype(np.uint32), ["", *path_texts(analysis, analysis.modules)])


def _stack_column(analysis: KinetoAnalysis, rows: NDArray[np.int64]) -> TextColumn | None:
    """Return the frames of Python, the innermost first; of the backward pass those of the forward operators."""
    if not len(analysis.frames):
        return None
    return analysis.stack_texts(analysis.frame_path[rows])


def _devices(analysis: KinetoAnalysis) -> TextColumn:
    """Return where each call and those within it computed; of several devices the last one by name."""
    device = analysis.device.device
    code = np.zeros(len(analysis.calls), np.int64)
    owner = np.where(analysis.device.operator >= 0, analysis.device.operator, analysis.device.launch)
    known = owner >= 0
    np.maximum.at(code, owner[known], device.codes[known].astype(np.int64) + 1)
    return TextColumn(analysis.calls.greatest_within(code).astype(np.uint32), [_CPU, *device.values])


def _recorded(column: TextColumn) -> TextColumn | None:
    """Return the column without spaces; None where no row has a value."""
    return TextColumn(column.codes, [value.replace(" ", "") for value in column.values]) if column.codes.any() else None


def _types(names: TextColumn) -> TextColumn:
    """Return what computes: the name without its library and the number of its autograd node."""
    return TextColumn.of(
        name.removeprefix("autograd::engine::evaluate_function: ").rpartition("::")[2] for name in names
    )


def _with_children(paths: Paths, values: NDArray[np.int64]) -> NDArray[np.int64]:
    found = np.array(values)
    for path in range(len(paths) - 1, -1, -1):
        if paths.parent[path] >= 0:
            found[paths.parent[path]] += found[path]
    return found


def _without_children(paths: Paths, values: NDArray[np.int64]) -> NDArray[np.int64]:
    found, inner = np.array(values), paths.parent >= 0
    np.subtract.at(found, paths.parent[inner], values[inner])
    return found
