# SPDX-License-Identifier: Apache-2.0
"""Tables of the operations of XLA: on devices by their kernels, else as threads of the host ran them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.scope_names import by_time, mapped
from mindscope.profile.formats.xplane.plane_reader import OPERATION, PATH
from mindscope.profile.formats.xplane.scopes import OperationScope, scope_of
from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.kernels import kernels_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.module_tree import modules_of
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.profile.texts import Missing
from mindscope.profile.trace.argument_columns import NO_INTEGER, ArgumentNames, Arguments
from mindscope.table.columns import TextColumn
from mindscope.table.schema import SUM, ColumnField, Unit

_WANTED = ArgumentNames(integers=("flops", "bytes_accessed"), texts=(OPERATION, PATH))


def own_parts(analysis: KinetoAnalysis) -> Mapping[Part, Callable[[], Any]]:
    """Return the parts that a profile of XLA computes otherwise than one of PyTorch."""
    return {
        Part.OPERATORS: lambda: operations_of(analysis),
        Part.KERNELS: lambda: _kernels_of(analysis),
        Part.MODULES: lambda: _modules_of(analysis),
    }


def operations_of(analysis: KinetoAnalysis) -> Operators | Missing:
    """Return operations by name, device and path in the program."""
    runs = _on_devices(analysis) if len(analysis.device) else _on_host(analysis)
    if not len(runs):
        return analysis.missing("operators")
    found = by_time(runs.group_by("name", "device", "module", "phase"))
    assert found is not None
    return found


def _on_devices(analysis: KinetoAnalysis) -> Operators:
    work = analysis.device
    found = analysis.source.of_slices(work.slice, _WANTED)
    rows = np.flatnonzero(found.texts[OPERATION].codes > 0)
    if not len(rows):
        rows = np.arange(len(work))
    names = TextColumn(work.name, analysis.trace.names)
    operation = found.texts[OPERATION] if found.texts[OPERATION].codes.any() else names
    duration = work.duration[rows]
    runs = _table(operation.select(rows), work.device.select(rows), found, rows, duration)
    return replace(runs, device_total=duration, device_self=duration)


def _on_host(analysis: KinetoAnalysis) -> Operators:
    rows = np.flatnonzero(analysis.is_operator)
    calls = analysis.calls
    found = analysis.source.of_slices(calls.slice[rows], _WANTED)
    cpu, total = TextColumn.constant("CPU", len(rows)), calls.duration[rows]
    runs = _table(found.texts[OPERATION], cpu, found, np.arange(len(rows)), total)
    return replace(runs, host_total=total, host_self=analysis.host_self[rows])


def _table(
    name: TextColumn, device: TextColumn, found: Arguments, rows: NDArray[np.int64], total: NDArray[np.int64]
) -> Operators:
    path = found.texts[PATH].select(rows)
    scopes: dict[str, OperationScope] = {value: scope_of(value) for value in path.values}
    flops, accessed = (_known(found.integers[each][rows]) for each in ("flops", "bytes_accessed"))
    types = TextColumn.of(
        scopes[of].type or operation.partition(".")[0] for of, operation in zip(path, name, strict=True)
    )  # fmt: skip
    return Operators(
        name=name,
        type=types,
        device=device,
        module=mapped(path, lambda each: scopes[each].module),
        phase=mapped(path, lambda each: scopes[each].phase),
        count=np.ones(len(rows), np.int64),
        max=total,
        flops=flops,
        extra={} if accessed is None else {"bytes_accessed": accessed},
        extra_fields={"bytes_accessed": ColumnField(Unit.BYTES, SUM)},
    )


def _known(values: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the values, limited to 0 and 2^53; None if no row has one."""
    return np.clip(values, 0, 1 << 53) if (values != NO_INTEGER).any() else None


def _kernels_of(analysis: KinetoAnalysis) -> Kernels | Missing:
    operation = analysis.source.of_slices(analysis.device.slice, ArgumentNames(texts=(OPERATION,))).texts[OPERATION]
    return kernels_of(analysis, operation)


def _modules_of(analysis: KinetoAnalysis) -> Modules | Missing:
    operations = operations_of(analysis)
    modules = None if isinstance(operations, Missing) else modules_of(operations)
    return analysis.missing("modules") if modules is None else modules
