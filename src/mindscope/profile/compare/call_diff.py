# SPDX-License-Identifier: Apache-2.0
"""Changes of the calls of a step, as one tree of both profiles."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.compare.alignment import NamedTree, align
from mindscope.profile.compare.changes import CallChanges, Change
from mindscope.profile.compare.side import Means, Side
from mindscope.profile.compare.states import states_of
from mindscope.profile.tables.call_tree import MODULE, THREAD, Calls, CallTree
from mindscope.table.columns import TextColumn, integers_of

OUTSIDE = "outside"
"""The part of a step outside of any call: Python between operators, without stacks."""
_BOTH, _GONE, _ADDED = range(3)


def align_calls(before: CallTree, after: CallTree) -> NDArray[np.int64]:
    """Return for each call of ``after`` that of ``before``; -1 for none."""
    return align(
        *(NamedTree(list(each.name), each.parent.astype(np.int64), each.start) for each in (before.calls, after.calls))
    )


def aligned_modules(before: CallTree, after: CallTree, aligned: NDArray[np.int64]) -> dict[str, str]:
    """Return the paths of modules after -> the paths of those that they are aligned with; no two have the same one.

    An instance that is called at several places is aligned with the one that most of its calls are aligned with.
    """
    old, new = _module_paths(before.calls), _module_paths(after.calls)
    pairs = Counter(
        (old[int(where)], path) for row, path in new.items() if (where := aligned[row]) >= 0 and where in old
    )
    outside = set(before.calls.module.values) - set(old.values())  # modules around the steps
    found = {path: path for path in after.calls.module.values if path in outside and path not in new.values()}
    taken = set(found)
    for one, other in sorted(pairs, key=lambda pair: (-pairs[pair], min(pair), max(pair))):
        if one not in taken and other not in found:
            found[other] = one
            taken.add(one)
    return found


def _module_paths(calls: Calls) -> dict[int, str]:
    """Return the path of each row that is a module."""
    rows = np.flatnonzero(calls.kind.is_any_of(lambda text: text == MODULE))
    return {row: calls.module[row] for row in integers_of(rows)}


def call_changes(
    before: Side, after: Side, aligned: NDArray[np.int64], is_on_device: bool, step: Change
) -> CallChanges:
    """Compare the trees of calls; both sides have one."""
    assert before.tree is not None
    assert after.tree is not None
    old, new = before.tree.calls, after.tree.calls
    row_of = np.where(aligned >= 0, aligned, 0)
    fresh = np.flatnonzero(aligned < 0)
    row_of[fresh] = len(old) + np.arange(len(fresh))
    parents = np.concatenate(
        [old.parent.astype(np.int64), np.where(new.parent[fresh] >= 0, row_of[new.parent[fresh]], -1)]
    )
    presence = np.full(len(parents), _BOTH)
    presence[: len(old)][~np.isin(np.arange(len(old)), aligned)] = _GONE
    presence[len(old) :] = _ADDED
    names, kinds, modules = (
        _merged_texts(*columns, aligned, fresh)
        for columns in ((old.name, new.name), (old.kind, new.kind), (old.module, new.module))
    )
    labels = _first_occurrences(names.before.astype(np.int64) << 32 | names.after.codes) * 3 + presence
    merged, parent = _merge_siblings(parents, labels)
    _, first = np.unique(merged, return_index=True)
    means = [
        _means(side, where, is_on_device, len(first))
        for side, where in ((before, merged[: len(old)]), (after, merged[row_of]))
    ]
    is_thread = kinds.after.is_any_of(lambda text: text == THREAD)[first]
    if not is_on_device:
        means = [_with_outside(each, span, parent, is_thread)
                 for each, span in zip(means, (step.before, step.after), strict=True)]  # fmt: skip
        parent, presence_of = np.append(parent, -1), np.append(presence[first], _BOTH)
        texts = [TextColumn.of([*column.after.select(first), extra])
                 for column, extra in ((names, ""), (kinds, OUTSIDE), (modules, ""))]  # fmt: skip
    else:
        presence_of = presence[first]
        texts = [column.after.select(first) for column in (names, kinds, modules)]
    one, other = means
    totals = [_totals(mean.time, parent) for mean in means]
    return CallChanges(
        name=texts[0],
        kind=texts[1],
        module=texts[2],
        state=states_of(
            presence_of != _ADDED, presence_of != _GONE, one.time, other.time, max(step.before, step.after),
            np.sqrt(one.variance + other.variance),
        ),
        before=np.rint(one.time).astype(np.int64),
        after=np.rint(other.time).astype(np.int64),
        count_before=one.runs,
        count_after=other.runs,
        share=(other.time - one.time) / (step.before or 1.0),
        parent=parent,
        total_before=np.rint(totals[0]).astype(np.int64),
        total_after=np.rint(totals[1]).astype(np.int64),
    )  # fmt: skip


class _MergedTexts(NamedTuple):
    """Texts of all rows; codes are those of ``after`` in both."""

    before: NDArray[np.uint32]
    """Codes of the texts of aligned rows as they are before."""
    after: TextColumn
    """Texts of aligned rows as they are after."""


def _merged_texts(
    old: TextColumn, new: TextColumn, aligned: NDArray[np.int64], fresh: NDArray[np.int64]
) -> _MergedTexts:  # fmt: skip
    values = TextColumn.of([*old.values, *new.values])
    old_codes, new_codes = values.codes[: len(old.values)][old.codes], values.codes[len(old.values) :][new.codes]
    rows = np.flatnonzero(aligned >= 0)
    before = np.concatenate([old_codes, new_codes[fresh]])
    after = np.array(before)
    after[aligned[rows]] = new_codes[rows]
    return _MergedTexts(before, TextColumn(after, values.values))


def _first_occurrences(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each value its number in the order of first occurrences."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse.reshape(-1)]


def _merge_siblings(
    parents: NDArray[np.int64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the merged row of each row, parents before their children, and the parents of merged rows."""
    level = np.zeros(len(parents), np.int64)
    levels, parent_of = level.data, parents.data  # integers of Python without a list of millions
    for row in range(len(parents)):
        if parent_of[row] >= 0:
            levels[row] = levels[parent_of[row]] + 1
    merged = np.full(len(parents), -1, np.int64)
    found: list[NDArray[np.int64]] = []
    count = 0
    for index in range(int(level.max(initial=-1)) + 1):
        rows = np.flatnonzero(level == index)
        above = np.where(parents[rows] >= 0, merged[parents[rows]], -1)
        keys, inverse = np.unique((above + 1) << 32 | labels[rows], return_inverse=True)
        merged[rows] = count + inverse.reshape(-1)
        found.append((keys >> 32) - 1)
        count += len(keys)
    return merged, np.concatenate([np.empty(0, np.int64), *found])


def _means(side: Side, merged: NDArray[np.int64], is_on_device: bool, rows: int) -> Means:
    assert side.tree is not None
    times = side.tree.times
    time = times.device_self if is_on_device else times.host_self
    return side.means(merged[times.call], rows, times.step, time, times.count)


def _with_outside(means: Means, step: float, parent: NDArray[np.int64], is_thread: NDArray[np.bool_]) -> Means:
    """Add a row: what the calls of the thread of the steps leave of a step."""
    roots = _totals(means.time, parent)[(parent < 0) & ~is_thread]
    return Means(np.append(means.time, step - roots.sum()), np.append(means.runs, 0.0), np.append(means.variance, 0.0))


def _totals(values: NDArray[np.float64], parent: NDArray[np.int64]) -> NDArray[np.float64]:
    found = np.array(values)
    for row in range(len(parent) - 1, -1, -1):
        if parent[row] >= 0:
            found[parent[row]] += found[row]
    return found
