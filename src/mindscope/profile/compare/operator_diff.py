# SPDX-License-Identifier: Apache-2.0
"""Changes of operators by module and name, and of kernels by name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.compare.changes import Changes
from mindscope.profile.compare.side import Means, Side
from mindscope.profile.compare.states import states_of
from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.tables.call_tree import OPERATOR, KernelTimes
from mindscope.profile.tables.kernels import Kernels
from mindscope.table.columns import TextColumn


class ComparedRow(NamedTuple):
    """A thing that is compared: equal keys are the same thing."""

    key: Hashable
    name: str
    kind: str = ""
    module: str = ""


class ComparedRows(NamedTuple):
    """Rows of one side, with distinct keys, and their means."""

    rows: Sequence[ComparedRow]
    means: Means


def operator_rows(side: Side, is_on_device: bool, modules: Mapping[str, str] | None, has_modules: bool) -> ComparedRows:
    """Return the operators of a side.

    Args:
        side: of a profile.
        is_on_device: times are those of the device.
        modules: paths of modules -> their paths in the other profile, to which this one is aligned; None: as they are.
        has_modules: operators are aligned by module and name, else by name.
    """

    def row(module: str, name: str) -> ComparedRow:
        if not has_modules:
            return ComparedRow(name, name)
        aligned = (True, module) if modules is None or not module else (module in modules, modules.get(module, module))
        return ComparedRow((aligned, name), name, "", module)

    if side.tree is None:
        return _rows_of_table(side, row, has_modules, is_on_device)
    calls, times = side.tree.calls, side.tree.times
    chosen = calls.kind.is_any_of(lambda text: text == OPERATOR)[times.call]
    times = times.select(np.flatnonzero(chosen))
    # Several paths may have the same text: calls of one instance at different levels.
    names, paths = (TextColumn.of(column).select(times.call) for column in (calls.name, calls.module))
    pairs = names.codes.astype(np.int64) << 32 | (paths.codes if has_modules else 0)
    keys, inverse = np.unique(pairs, return_inverse=True)
    codes: list[int] = keys.tolist()
    found = [row(paths.values[code & 0xFFFFFFFF] if has_modules else "", names.values[code >> 32]) for code in codes]
    time = times.device_self if is_on_device else times.host_self
    return ComparedRows(found, side.means(inverse.reshape(-1), len(keys), times.step, time, times.count))


def _rows_of_table(
    side: Side, row: Callable[[str, str], ComparedRow], has_modules: bool, is_on_device: bool
) -> ComparedRows:
    operators = side.profile.operators
    grouped = operators.group_by(*(("module", "name") if has_modules else ("name",)))
    paths = list(grouped.module) if grouped.module and has_modules else [""] * len(grouped)
    recorded = grouped.device_self if is_on_device else grouped.host_self
    time = grouped.self_time if recorded is None else recorded
    means = Means(time / side.step_count, grouped.count / side.step_count, np.zeros(len(grouped)))
    return ComparedRows([row(module, name) for module, name in zip(paths, grouped.name, strict=True)], means)


def kernel_rows(side: Side) -> ComparedRows | None:
    """Return the kernels of a side by name; None without kernels."""
    if side.tree is not None and side.tree.kernels is not None:
        return _of_kernel_times(side, side.tree.kernels)
    kernels = part_of(side.profile, Part.KERNELS, Kernels)
    if kernels is None:
        return None
    grouped = kernels.group_by("name", "kind")
    means = Means(grouped.total / side.step_count, grouped.count / side.step_count, np.zeros(len(grouped)))
    return ComparedRows(_kernel_rows(zip(grouped.name, grouped.kind, strict=True)), means)


def _kernel_rows(texts: Iterable[tuple[str, str]]) -> list[ComparedRow]:
    return [ComparedRow((name, kind), name, kind) for name, kind in texts]


def _of_kernel_times(side: Side, kernels: KernelTimes) -> ComparedRows:
    pairs = kernels.name.codes.astype(np.int64) << 32 | kernels.kind.codes
    keys, inverse = np.unique(pairs, return_inverse=True)
    codes: list[int] = keys.tolist()
    rows = _kernel_rows((kernels.name.values[code >> 32], kernels.kind.values[code & 0xFFFFFFFF]) for code in codes)
    return ComparedRows(rows, side.means(inverse.reshape(-1), len(keys), kernels.step, kernels.total, kernels.count))


def changes_of(before: ComparedRows, after: ComparedRows, step_before: float, step_after: float) -> Changes:
    """List what changed, the greatest change first."""
    row_of = {row.key: number for number, row in enumerate(before.rows)}
    known = [row_of.setdefault(row.key, len(row_of)) for row in after.rows]
    rows = [*before.rows, *(row for row, where in zip(after.rows, known, strict=True) if where >= len(before.rows))]
    for row, where in zip(after.rows, known, strict=True):
        rows[where] = row
    old, new = _spread(before.means, np.arange(len(before.rows)), len(rows)), _spread(after.means, known, len(rows))
    was_there = np.arange(len(rows)) < len(before.rows)
    is_there = np.isin(np.arange(len(rows)), known)
    change = new.time - old.time
    changes = Changes(
        name=TextColumn.of(row.name for row in rows),
        kind=TextColumn.of(row.kind for row in rows),
        module=TextColumn.of(row.module for row in rows),
        state=states_of(
            was_there, is_there, old.time, new.time, max(step_before, step_after), np.sqrt(old.variance + new.variance)
        ),
        before=np.rint(old.time).astype(np.int64),
        after=np.rint(new.time).astype(np.int64),
        count_before=old.runs,
        count_after=new.runs,
        share=change / (step_before or 1.0),
    )
    return changes.select(np.argsort(-np.abs(change), kind="stable"))


def _spread(means: Means, rows: Sequence[int] | NDArray[np.int64], count: int) -> Means:
    """Return the means at their rows among ``count``, with zeros between them."""
    found = Means(np.zeros(count), np.zeros(count), np.zeros(count))
    for target, values in zip(found, means, strict=True):
        target[rows] = values
    return found
