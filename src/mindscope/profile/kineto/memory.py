# SPDX-License-Identifier: Apache-2.0
"""Memory over time and the blocks of it, from the marks of torch's allocators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.devices import CPU, device_name
from mindscope.profile.kineto.host_calls import CallRows
from mindscope.profile.kineto.operators import path_texts
from mindscope.profile.kineto.processes import process_codes
from mindscope.profile.tables.memory import UNKNOWN_TIME, Memory, MemoryBlocks, MemoryCurve
from mindscope.profile.texts import Missing
from mindscope.profile.trace.argument_columns import NO_INTEGER
from mindscope.table.columns import TextColumn, integers_of
from mindscope.table.grouping import distinct_rows

_EMPTY = ("aten::empty", "aten::empty_strided", "aten::empty_like", "aten::zeros", "aten::resize_")
"""Operators that the operator calls which needs the memory."""


def memory_of(analysis: KinetoAnalysis) -> Memory | Missing:
    """Return the curve of each device, and all blocks."""
    calls = analysis.calls
    marks = np.arange(calls.first_mark, len(calls), dtype=np.int32)
    integers = analysis.mark_arguments.integers
    known = integers["Bytes"] != NO_INTEGER
    if not known.any():
        return analysis.missing("memory")
    starts = calls.start
    order = np.argsort(starts[marks], kind="stable")
    order = order[known[order]]
    columns = {name: column[order] for name, column in integers.items()}
    process = process_codes(analysis.trace, calls.track[marks[order]])
    device = _devices(analysis, columns["Device Type"], columns["Device Id"], process)
    reserved = columns["Total Reserved"]
    has_total = columns["Total Allocated"] != NO_INTEGER
    is_counted = ~_of_devices_with(device, has_total)
    curve = MemoryCurve(
        time=starts[marks[order]],
        device=device,
        allocated=np.where(is_counted, _running_sums(columns["Bytes"], device), columns["Total Allocated"]),
        reserved=np.maximum(reserved, 0) if (reserved > 0).any() else None,
        is_relative=is_counted if is_counted.any() else None,
    )
    without_address = _of_devices_with(device, columns["Addr"] == NO_INTEGER)
    blocks = None if without_address.all() else _blocks(analysis, marks[order], device, columns, ~without_address)
    notes = tuple(
        Missing(f"torch_memory_{code}", {"devices": ", ".join(dict.fromkeys(device.select(rows)))})
        for code, rows in (
            ("addresses", without_address),
            ("totals", is_counted),
            ("devices", columns["Device Type"] == NO_INTEGER),
        )
        if rows.any()
    )
    return Memory(curve.select(has_total | is_counted), blocks, notes=notes)


def _of_devices_with(device: TextColumn, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows are of a device that has any of ``rows``."""
    return np.isin(device.codes, device.codes[rows])


def _running_sums(size: NDArray[np.int64], device: TextColumn) -> NDArray[np.int64]:
    """Return the bytes of each device since its first event; the rows are in order of time."""
    found = np.zeros(len(size), np.int64)
    for code in np.unique(device.codes):
        rows = device.codes == code
        found[rows] = np.cumsum(size[rows])
    return found


def _devices(
    analysis: KinetoAnalysis, kinds: NDArray[np.int64], ids: NDArray[np.int64], process: NDArray[np.int32]
) -> TextColumn:
    """Return the names of devices.

    They include the process where one device has events of several, as in merged ranks.
    """
    numbers = np.where(kinds == NO_INTEGER, np.maximum(ids, -1), np.maximum(ids, 0))
    keys, codes = distinct_rows(kinds, np.where(kinds == CPU, 0, numbers), process.astype(np.int64))
    names = [device_name(kind, number, analysis.device_kind) for kind, number, _ in keys]
    processes = {code: track.process for track, code in zip(analysis.trace.tracks, _codes(analysis), strict=True)}
    shared = Counter(names)
    texts = [
        name if shared[name] == 1 else f"{name} (process {processes[own]})"
        for name, (_, _, own) in zip(names, keys, strict=True)
    ]
    return TextColumn(codes.astype(np.uint32), texts)


def _codes(analysis: KinetoAnalysis) -> list[int]:
    """Return the process of each track."""
    return integers_of(process_codes(analysis.trace, np.arange(len(analysis.trace.tracks), dtype=np.uint32)))


def _blocks(
    analysis: KinetoAnalysis,
    marks: CallRows,
    device: TextColumn,
    columns: dict[str, NDArray[np.int64]],
    rows: NDArray[np.bool_],
) -> MemoryBlocks:
    """Pairs each allocation of ``rows`` with the next mark of its address, if that is a free.

    ``marks`` are in order of time. Without addresses nothing tells which block an event frees.
    """
    marks, device = marks[rows], device.select(rows)
    size, address = columns["Bytes"][rows], columns["Addr"][rows]
    order = np.lexsort((np.arange(len(marks)), address, device.codes))
    same = np.zeros(len(order), np.bool_)
    same[1:] = (address[order[1:]] == address[order[:-1]]) & (device.codes[order[1:]] == device.codes[order[:-1]])
    is_free = size[order] < 0
    follows = np.roll(same & is_free, -1)  # the next mark frees this block
    follows[-1:] = False
    born = order[~is_free]
    freed = np.where(follows[~is_free], np.roll(order, -1)[~is_free], -1)
    lone = order[is_free & ~(same & np.roll(~is_free, 1))]  # allocated before the profile
    time = analysis.calls.start[marks]
    alloc_mark = np.concatenate([born, np.full(len(lone), -1)])
    free_mark = np.concatenate([freed, lone])
    one = np.where(alloc_mark >= 0, alloc_mark, free_mark)
    allocated_at = np.where(alloc_mark >= 0, time[alloc_mark], UNKNOWN_TIME)
    freed_at = np.where(free_mark >= 0, time[free_mark], UNKNOWN_TIME)
    owner = np.where(alloc_mark >= 0, _owners(analysis)[marks[alloc_mark]], np.int32(-1))
    numbers = analysis.marked_steps.numbers_at(allocated_at)
    memory_blocks = MemoryBlocks(
        device=device.select(one),
        size=np.abs(size[one]),
        allocated_at=allocated_at,
        freed_at=freed_at,
        operator=_with_none(owner, analysis.calls.name, analysis.trace.names),
        module=_modules(analysis, owner),
        stack=_stacks(analysis, np.where(alloc_mark >= 0, marks[alloc_mark], np.int32(-1))),
        category=_categories(analysis, owner, allocated_at, freed_at),
        step=numbers,
    )
    return memory_blocks.select(np.argsort(allocated_at, kind="stable"))


def _owners(analysis: KinetoAnalysis) -> CallRows:
    """Return the operator that needs the memory: the innermost one that does more than to allocate; -1 for none."""
    calls = analysis.calls
    only_allocates = np.array([name in _EMPTY for name in analysis.trace.names], np.bool_)[calls.name]
    found = calls.nearest(analysis.is_operator & ~only_allocates)
    return np.where(found >= 0, found, analysis.operator)


def _with_none(rows: CallRows, codes: NDArray[np.uint32], values: Sequence[str]) -> TextColumn:
    return TextColumn(np.where(rows >= 0, codes[rows] + 1, 0).astype(np.uint32), ["", *values])


def _modules(analysis: KinetoAnalysis, owner: CallRows) -> TextColumn | None:
    if not len(analysis.modules):
        return None
    path = np.where(owner >= 0, analysis.module_path[owner], np.int32(-1))
    return TextColumn((path + 1).astype(np.uint32), ["", *path_texts(analysis, analysis.modules)])


def _stacks(analysis: KinetoAnalysis, marks: CallRows) -> TextColumn | None:
    if not len(analysis.frames):
        return None
    return analysis.stack_texts(np.where(marks >= 0, analysis.frames.of_call[marks], np.int32(-1)))


def _categories(
    analysis: KinetoAnalysis, owner: CallRows, born: NDArray[np.int64], freed: NDArray[np.int64]
) -> TextColumn:
    """Guess what a block holds, by what allocated it and how long it lives.

    A block that is freed before its outermost operator ends is temporary. Else the loader allocates inputs, the
    forward pass activations, the backward pass gradients, the optimizer its state.
    """
    calls = analysis.calls
    values = ["", "temporary", "activation", "gradient", "optimizer_state", "input"]
    of_phase = np.array([values.index(each) for each in ("", "activation", "gradient", "optimizer_state", "input")])
    code = np.where(owner >= 0, of_phase[analysis.phase[owner]], 0)
    outermost = _outermost_operators(analysis)
    top = np.where(owner >= 0, outermost[owner], np.int32(-1))
    end = np.where(top >= 0, calls.start[top] + calls.duration[top], np.iinfo(np.int64).min)
    code[(freed != UNKNOWN_TIME) & (freed <= end)] = values.index("temporary")
    code[born == UNKNOWN_TIME] = 0
    return TextColumn(code.astype(np.uint32), values)


def _outermost_operators(analysis: KinetoAnalysis) -> CallRows:
    """Return the outermost operator around each call, or itself; -1 for none."""
    calls, operator = analysis.calls, analysis.operator
    above = calls.above(operator)
    found = np.array(operator)
    while True:
        outer = np.where(found >= 0, above[found], np.int32(-1))
        if (outer < 0).all():
            return found
        found = np.where(outer >= 0, outer, found)
