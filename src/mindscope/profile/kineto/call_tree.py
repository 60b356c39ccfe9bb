# SPDX-License-Identifier: Apache-2.0
"""The tree of calls of a trace of PyTorch: operators, modules, annotations and launches, without other frames."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import MODULE_PREFIX, SliceRole
from mindscope.profile.kineto.host_calls import CallRows, rows_by_level
from mindscope.profile.kineto.operators import path_texts
from mindscope.profile.tables.call_tree import (
    ANNOTATION,
    LAUNCH,
    MODULE,
    OPERATOR,
    THREAD,
    Calls,
    CallTimes,
    CallTree,
    KernelTimes,
)
from mindscope.profile.texts import Missing
from mindscope.store.mapped_columns import mapped, release_pages
from mindscope.table.columns import TextColumn, integers_of
from mindscope.table.grouping import groups_of, sums_of

_KINDS = {
    SliceRole.OPERATOR: OPERATOR,
    SliceRole.ANNOTATION: ANNOTATION,
    SliceRole.LAUNCH: LAUNCH,
    SliceRole.MODULE: MODULE,
}
_THREAD_NAME = re.compile(r"\((.+)\)")


@dataclass(frozen=True, slots=True)
class _Kept:
    """Calls of the tree within steps, as columns of n."""

    call: CallRows
    """Row of the calls of the analysis."""
    parent: NDArray[np.int32]
    """Row of the parent in these columns; -1 for none."""
    step: NDArray[np.int32]
    level: NDArray[np.uint16]


def call_tree_of(analysis: KinetoAnalysis) -> CallTree | Missing:
    """Merge calls over steps. Without steps the whole profile is one."""
    analysis.forget_arguments()
    release_pages()
    kept, nearest = _kept_calls(analysis)
    release_pages()
    if not len(kept.call):
        return Missing("torch_operators")
    threads, thread_of = _threads(analysis, kept)
    node, parents = _nodes(analysis, kept, thread_of, len(threads))
    release_pages()
    first, start = _earliest(analysis, kept, node, len(parents), len(threads))
    calls = _calls(analysis, kept, first, start, parents, threads)
    release_pages()
    return CallTree(calls, _times(analysis, kept, nearest, node), _kernel_times(analysis))


def _kept_calls(analysis: KinetoAnalysis) -> tuple[_Kept, NDArray[np.int32]]:
    """Return the calls of the tree, and the row of the innermost one around each call of the analysis.

    It is -1 for none.
    """
    calls, steps = analysis.calls, analysis.marked_steps
    start = calls.start
    step = steps.at(start).astype(np.int32) if len(steps) else np.zeros(len(calls), np.int32)
    is_kept = np.isin(calls.role, list(_KINDS)) & (step >= 0)
    is_kept &= (calls.role != SliceRole.OPERATOR) | analysis.is_operator
    rows = np.flatnonzero(is_kept).astype(np.int32)
    start = start[rows]
    rows = rows[np.argsort(start, kind="stable").astype(np.int32)]
    del start
    release_pages()
    around = calls.nearest(is_kept)
    row_of = np.full(len(calls) + 1, -1, np.int32)
    row_of[rows] = np.arange(len(rows), dtype=np.int32)
    parent = row_of[calls.above(around)[rows]]
    level = np.zeros(len(rows), np.uint16)
    for here in rows_by_level(calls.level[rows]):  # parents have lower levels
        inner = here[parent[here] >= 0]
        level[inner] = level[parent[inner]] + 1
    return _Kept(mapped(rows), mapped(parent), mapped(step[rows]), mapped(level)), mapped(row_of[around])


def _threads(analysis: KinetoAnalysis, kept: _Kept) -> tuple[list[str], NDArray[np.int32]]:
    """Return the names of the other threads, and for each call of the tree the index of its one.

    It is -1 for that of the steps.
    """
    trace, tracks = analysis.trace, analysis.calls.track[kept.call]
    marks = trace.slices.track[analysis.roles == SliceRole.STEP]
    if len(marks):
        main = int(np.bincount(marks).argmax())
    else:
        main = int(np.bincount(tracks, weights=analysis.calls.own[kept.call]).argmax())
    names: dict[str, int] = {}
    of_track = np.full(len(trace.tracks), -1, np.int32)
    for track in integers_of(np.unique(tracks)):
        if track != main:
            found = _THREAD_NAME.search(trace.tracks[track].thread_name)
            of_track[track] = names.setdefault(found[1] if found else THREAD, len(names))
    return list(names), of_track[tracks]


def _nodes(
    analysis: KinetoAnalysis, kept: _Kept, thread_of: NDArray[np.int32], threads: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the row of each call of the tree, and the parent of each row; the first rows are those of threads."""
    label = _labels(analysis, kept)
    node = np.full(len(label), -1, np.int32)
    parents = [np.full(threads, -1, np.int32)]
    count = threads
    for here in rows_by_level(kept.level):
        above = np.where(kept.parent[here] >= 0, node[kept.parent[here]], thread_of[here]).astype(np.int64)
        keys, inverse = np.unique((above + 1) << 32 | label[here], return_inverse=True)
        node[here] = count + inverse.reshape(-1)
        parents.append(((keys >> 32) - 1).astype(np.int32))
        count += len(keys)
    return mapped(node), np.concatenate(parents)


def _labels(analysis: KinetoAnalysis, kept: _Kept) -> NDArray[np.uint32]:
    """Equal for calls of one name before which the same call made equally many others of it; in order of names."""
    calls, names = analysis.calls, max(len(analysis.trace.names), 1)
    name = calls.name[kept.call]
    steps = int(kept.step.max(initial=0)) + 1
    # A call without parent is one of its thread and step.
    maker = kept.parent.astype(np.int64)
    roots = np.flatnonzero(maker < 0)
    maker[roots] = len(maker) + calls.track[kept.call[roots]].astype(np.int64) * steps + kept.step[roots]
    maker *= names
    maker += name
    before = _occurrence(maker)
    del maker
    label = name * (before.max(initial=0) + np.int64(1)) + before
    if names * (int(before.max(initial=0)) + 1) >= 1 << 32:
        label = np.unique(label, return_inverse=True)[1].reshape(-1)
    return label.astype(np.uint32)


def _occurrence(key: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return how many earlier rows have the same key."""
    order = np.argsort(key, kind="stable").astype(np.int32)
    key = key[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = key[1:] != key[:-1]
    positions = np.arange(len(order), dtype=np.int32)
    found = np.empty(len(order), np.int32)
    found[order] = positions - np.maximum.accumulate(np.where(is_first, positions, np.int32(0)))
    return found


def _earliest(
    analysis: KinetoAnalysis, kept: _Kept, node: NDArray[np.int32], rows: int, threads: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return for each row its call of the earliest begin in a step, and that begin; 0 for threads."""
    offset, steps = analysis.calls.start[kept.call], analysis.marked_steps
    offset -= steps.start[kept.step] if len(steps) else offset.min()
    start = np.full(rows, np.iinfo(np.int64).max)
    start[:threads] = 0
    np.minimum.at(start, node, offset)
    earliest = np.flatnonzero(offset == start[node])[::-1].astype(np.int32)
    first = np.zeros(rows, np.int32)
    first[node[earliest]] = earliest  # the last assignment, of the first row, stays
    return first, start


def _calls(
    analysis: KinetoAnalysis,
    kept: _Kept,
    first: NDArray[np.int32],
    start: NDArray[np.int64],
    parents: NDArray[np.int32],
    threads: list[str],
) -> Calls:
    calls, count = analysis.calls, len(threads)
    rows = kept.call[first[count:]]
    names = TextColumn.of([*threads, *(name.removeprefix(MODULE_PREFIX) for name in analysis.trace.names)])
    codes, kinds = names.codes, TextColumn.of([THREAD, *_KINDS.values()])
    kind_of_role = np.zeros(max(_KINDS) + 1, np.uint32)
    kind_of_role[list(_KINDS)] = kinds.codes[1:]
    path = np.zeros(count + len(rows), np.uint32)
    if len(analysis.modules):
        path[count:] = analysis.module_path[rows] + 1
    return Calls(
        name=TextColumn(np.concatenate([codes[:count], codes[count:][calls.name[rows]]]), names.values),
        kind=TextColumn(
            np.concatenate([np.zeros(count, np.uint32), kind_of_role[calls.role[rows]]]),
            kinds.values,
        ),
        parent=parents,
        module=TextColumn(path, ["", *path_texts(analysis, analysis.modules)]),
        start=start,
    )


def _times(analysis: KinetoAnalysis, kept: _Kept, nearest: NDArray[np.int32], node: NDArray[np.int32]) -> CallTimes:
    steps = int(kept.step.max(initial=0)) + 1
    key = node.astype(np.int64) * steps + kept.step
    order = np.argsort(key, kind="stable").astype(np.int32)
    key = key[order]
    firsts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    del key
    release_pages()
    found = order[firsts]
    duration = analysis.calls.duration[kept.call]
    own = np.array(duration)
    inner = np.flatnonzero(kept.parent >= 0)
    np.subtract.at(own, kept.parent[inner], duration[inner])
    device: NDArray[np.int64] = np.broadcast_to(np.zeros(1, np.int64), len(firsts))
    if len(analysis.device):
        known = nearest >= 0
        launched = sums_of(nearest[known], analysis.device_self[known], len(own))
        device = np.add.reduceat(launched[order], firsts)
    return CallTimes(
        call=node[found],
        step=kept.step[found],
        count=np.diff(np.append(firsts, len(order))).astype(np.int32),
        host_self=np.add.reduceat(own[order], firsts),
        device_self=device,
    )


def _kernel_times(analysis: KinetoAnalysis) -> KernelTimes | None:
    work = analysis.device
    if not len(work):
        return None
    step = (work.step if len(analysis.marked_steps) else np.zeros(len(work), np.int64)).astype(np.int32)
    rows = np.flatnonzero(step >= 0)
    group, first = groups_of([work.name[rows], work.kind.codes[rows], step[rows]], len(rows))
    return KernelTimes(
        name=TextColumn(work.name[rows[first]], analysis.trace.names),
        kind=work.kind.select(rows[first]),
        step=step[rows[first]],
        count=np.bincount(group, minlength=len(first)).astype(np.int32),
        total=sums_of(group, work.duration[rows], len(first)),
    )
