# SPDX-License-Identifier: Apache-2.0
"""The tree of calls of a trace of PyTorch: operators, modules, annotations and launches, without other frames."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.call_tree import (
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
from mindscope.profile.columns import TextColumn, integers_of
from mindscope.profile.grouping import groups_of
from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import MODULE_PREFIX, Role
from mindscope.profile.kineto.operators import path_texts
from mindscope.profile.texts import Missing

_KINDS = {Role.OPERATOR: OPERATOR, Role.ANNOTATION: ANNOTATION, Role.LAUNCH: LAUNCH, Role.MODULE: MODULE}
_THREAD_NAME = re.compile(r"\((.+)\)")


@dataclass(frozen=True, slots=True)
class _Kept:
    """Calls of the tree within steps, as columns of n."""

    call: NDArray[np.int64]
    """Row of the calls of the analysis."""
    parent: NDArray[np.int64]
    """Of these columns; -1 for none."""
    step: NDArray[np.int64]
    level: NDArray[np.int64]


def call_tree_of(analysis: KinetoAnalysis) -> CallTree | Missing:
    """Calls merged over steps. Without steps the whole profile is one."""
    kept, nearest = _kept_calls(analysis)
    if not len(kept.call):
        return Missing("torch_operators")
    threads, thread_of = _threads(analysis, kept)
    node, parents = _nodes(analysis, kept, thread_of, len(threads))
    first, start = _earliest(analysis, kept, node, len(parents), len(threads))
    return CallTree(
        _calls(analysis, kept, first, start, parents, threads),
        _times(analysis, kept, nearest, node),
        _kernel_times(analysis),
    )


def _kept_calls(analysis: KinetoAnalysis) -> tuple[_Kept, NDArray[np.int64]]:
    """The calls of the tree, and the place of the innermost one around each call of the analysis; -1 for none."""
    calls, steps = analysis.calls, analysis.marked_steps
    step = steps.at(calls.start) if len(steps) else np.zeros(len(calls), np.int64)
    is_kept = np.isin(calls.role, list(_KINDS)) & (step >= 0)
    is_kept &= (calls.role != Role.OPERATOR) | analysis.is_operator
    around = calls.nearest(is_kept)
    above = calls.above(around)
    rows = np.flatnonzero(is_kept)
    rows = rows[np.lexsort((calls.start[rows], calls.level[rows]))]
    place = np.full(len(calls) + 1, -1, np.int64)
    place[rows] = np.arange(len(rows))
    parent = place[above[rows]]
    level = np.zeros(len(rows), np.int64)
    for here in _by_value(calls.level[rows]):  # parents have lower levels
        inner = here[parent[here] >= 0]
        level[inner] = level[parent[inner]] + 1
    return _Kept(rows, parent, step[rows], level), place[around]


def _threads(analysis: KinetoAnalysis, kept: _Kept) -> tuple[list[str], NDArray[np.int64]]:
    """Names of the other threads, and for each call of the tree the index of its one; -1 for that of the steps."""
    trace, tracks = analysis.trace, analysis.calls.track[kept.call]
    marks = trace.slices.track[analysis.roles == Role.STEP]
    if len(marks):
        main = int(np.bincount(marks).argmax())
    else:
        main = int(np.bincount(tracks, weights=analysis.calls.own[kept.call]).argmax())
    names: dict[str, int] = {}
    of_track = np.full(len(trace.tracks), -1, np.int64)
    for track in integers_of(np.unique(tracks)):
        if track != main:
            found = _THREAD_NAME.search(trace.tracks[track].thread_name)
            of_track[track] = names.setdefault(found[1] if found else THREAD, len(names))
    return list(names), of_track[tracks]


def _nodes(
    analysis: KinetoAnalysis, kept: _Kept, thread_of: NDArray[np.int64], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The row of each call of the tree, and the parent of each row; the first rows are those of threads."""
    calls = analysis.calls
    name = calls.name[kept.call].astype(np.int64)
    steps = int(kept.step.max(initial=0)) + 1
    # A call without parent is one of its thread and step.
    instance = np.where(kept.parent >= 0, kept.parent, len(name) + calls.track[kept.call] * steps + kept.step)
    repeated = name << 32 | _occurrence(instance, name, calls.start[kept.call])
    _, label = np.unique(repeated, return_inverse=True)
    node = np.full(len(name), -1, np.int64)
    parents = [np.full(threads, -1, np.int64)]
    count = threads
    for here in _by_value(kept.level):
        above = np.where(kept.parent[here] >= 0, node[kept.parent[here]], thread_of[here])
        keys, place = np.unique((above + 1) << 32 | label.reshape(-1)[here], return_inverse=True)
        node[here] = count + place.reshape(-1)
        parents.append((keys >> 32) - 1)
        count += len(keys)
    return node, np.concatenate(parents)


def _occurrence(instance: NDArray[np.int64], name: NDArray[np.int64], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many calls of the same name the same call made before."""
    order = np.lexsort((start, name, instance))
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (np.diff(instance[order]) != 0) | (np.diff(name[order]) != 0)
    places = np.arange(len(order))
    found = np.empty(len(order), np.int64)
    found[order] = places - np.maximum.accumulate(np.where(is_first, places, 0))
    return found


def _earliest(
    analysis: KinetoAnalysis, kept: _Kept, node: NDArray[np.int64], rows: int, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each row a call of it, that of the earliest begin in its step; and that begin. 0 for threads."""
    begin = analysis.calls.start[kept.call]
    steps = analysis.marked_steps
    offset = begin - (steps.start[kept.step] if len(steps) else begin.min())
    order = np.lexsort((offset, node))
    _, place = np.unique(node[order], return_index=True)
    first = np.zeros(rows, np.int64)
    first[threads:] = order[place]
    start = np.zeros(rows, np.int64)
    start[threads:] = offset[order[place]]
    return first, start


def _calls(
    analysis: KinetoAnalysis,
    kept: _Kept,
    first: NDArray[np.int64],
    start: NDArray[np.int64],
    parents: NDArray[np.int64],
    threads: list[str],
) -> Calls:
    calls, count = analysis.calls, len(threads)
    rows = kept.call[first[count:]]
    names = [analysis.trace.names[each].removeprefix(MODULE_PREFIX) for each in integers_of(calls.name[rows])]
    kinds = [_KINDS[Role(each)] for each in integers_of(calls.role[rows])]
    paths = ["", *path_texts(analysis, analysis.modules)]
    path = np.zeros(count + len(rows), np.int64)
    if len(analysis.modules):
        path[count:] = analysis.module_path[rows] + 1
    return Calls(
        name=TextColumn.of([*threads, *names]),
        kind=TextColumn.of([*[THREAD] * count, *kinds]),
        parent=parents,
        module=TextColumn(path.astype(np.uint32), paths),
        start=start,
    )


def _times(analysis: KinetoAnalysis, kept: _Kept, nearest: NDArray[np.int64], node: NDArray[np.int64]) -> CallTimes:
    duration = analysis.calls.duration[kept.call]
    own = np.array(duration)
    inner = kept.parent >= 0
    np.subtract.at(own, kept.parent[inner], duration[inner])
    device = np.zeros(len(own), np.int64)
    known = nearest >= 0
    np.add.at(device, nearest[known], analysis.device_self[known])
    group, first = groups_of([node, kept.step], len(node))
    return CallTimes(
        call=node[first],
        step=kept.step[first],
        count=np.bincount(group, minlength=len(first)).astype(np.int64),
        host_self=_added(own, group, len(first)),
        device_self=_added(device, group, len(first)),
    )


def _kernel_times(analysis: KinetoAnalysis) -> KernelTimes | None:
    work = analysis.device
    if not len(work):
        return None
    step = work.step if len(analysis.marked_steps) else np.zeros(len(work), np.int64)
    rows = np.flatnonzero(step >= 0)
    group, first = groups_of([work.name[rows], work.kind.codes[rows], step[rows]], len(rows))
    return KernelTimes(
        name=TextColumn(work.name[rows[first]], analysis.trace.names),
        kind=work.kind.select(rows[first]),
        step=step[rows[first]],
        count=np.bincount(group, minlength=len(first)).astype(np.int64),
        total=_added(work.duration[rows], group, len(first)),
    )


def _by_value(values: NDArray[Any]) -> list[NDArray[np.int64]]:
    """The rows of each value, the least first."""
    order = np.argsort(values, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(values[order])) + 1)


def _added(values: NDArray[np.int64], group: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    found = np.zeros(groups, np.int64)
    np.add.at(found, group, values)
    return found
