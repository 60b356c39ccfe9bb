# SPDX-License-Identifier: Apache-2.0
"""The difference between two graphs: added, removed and changed nodes, and nodes that others replace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.graph.compare.comparable import Comparable, comparable
from mindscope.graph.compare.matching import Matching, match_nodes
from mindscope.graph.compare.normal_form import NormalForm, normal_forms
from mindscope.graph.compare.replacements import find_replacements
from mindscope.graph.data.columns import Indices, Role, Shape
from mindscope.graph.data.graph_data import GraphData, Node, Nodes
from mindscope.graph.data.hashes import combine, sums_of_ranges


class Status(IntEnum):
    """The state of a node in the other graph; the numbers are those of the HTTP interface."""

    SAME = 0
    CHANGED = 1
    REMOVED = 2
    ADDED = 3
    FUSED = 4
    """Several nodes before, one node after."""
    SPLIT = 5
    """A node before is several nodes after."""


class Change(IntFlag):
    """The differences of two matching nodes; the numbers are those of the HTTP interface."""

    TYPE = 1
    ATTRIBUTES = 2
    SHAPE = 4
    DTYPE = 8
    INPUTS = 16
    NAME = 32
    """The name or the scope; a node that differs only in it is the same."""


class DiffCounts(NamedTuple):
    """Numbers of nodes; ``fused`` and ``split`` count those of the graph that has one node in place of several."""

    same: int
    changed: int
    added: int
    removed: int
    fused: int
    split: int


class NodeDiff(NamedTuple):
    """A difference of a node. ``before`` is empty for an added node, ``after`` for a removed one."""

    status: Status
    before: tuple[Node, ...]
    after: tuple[Node, ...]
    changes: Change

    @property
    def attributes(self) -> dict[str, tuple[Any, Any]]:
        """The attributes that differ, before and after; None for a missing one. Raises FormatError."""
        if self.status is not Status.CHANGED:
            return {}
        before, after = dict(self.before[0].attributes), dict(self.after[0].attributes)
        pairs = {name: (before.get(name), after.get(name)) for name in {**before, **after}}
        return {name: pair for name, pair in pairs.items() if repr(pair[0]) != repr(pair[1])}


@dataclass(frozen=True)
class GraphDiff:
    """The difference between two graphs with n and k nodes, m and l edges.

    Of fused nodes ``after_of`` is the node in their place, whose ``before_of`` is the last of them; reversed for split
    ones.
    """

    before: GraphData
    after: GraphData
    before_status: NDArray[np.uint8]  # (n,) Status
    after_status: NDArray[np.uint8]  # (k,) Status
    after_of: Indices  # (n,) the matching node of ``after``, -1 without one
    before_of: Indices  # (k,) the matching node of ``before``, -1 without one
    changes: NDArray[np.uint8]  # (n,) Change
    edge_removed: NDArray[np.bool_]  # (m,) no matching edge in ``after``
    edge_added: NDArray[np.bool_]  # (l,) no matching edge in ``before``

    def __bool__(self) -> bool:
        """Return whether anything differs, except names."""
        return bool(self.before_status.any() or self.after_status.any())

    @property
    def counts(self) -> DiffCounts:
        before = np.bincount(self.before_status, minlength=len(Status)).tolist()
        after = np.bincount(self.after_status, minlength=len(Status)).tolist()
        return DiffCounts(
            same=before[Status.SAME],
            changed=before[Status.CHANGED],
            added=after[Status.ADDED],
            removed=before[Status.REMOVED],
            fused=after[Status.FUSED],
            split=before[Status.SPLIT],
        )

    @property
    def added(self) -> Nodes:
        return Nodes(self.after, np.flatnonzero(self.after_status == Status.ADDED).astype(np.int32))

    @property
    def removed(self) -> Nodes:
        return Nodes(self.before, np.flatnonzero(self.before_status == Status.REMOVED).astype(np.int32))

    def __iter__(self) -> Iterator[NodeDiff]:
        """Yield all differences, in the order of the later graph; removed nodes after the node before them."""
        parts = self._parts()
        for status, before, after in zip(*(column.tolist() for column in self.entries), strict=True):
            changes = Change(int(self.changes[before])) if status == Status.CHANGED else Change(0)
            befores = parts[0].get(after, [before]) if status == Status.FUSED else [before]
            afters = parts[1].get(before, [after]) if status == Status.SPLIT else [after]
            yield NodeDiff(
                Status(status),
                tuple(Node(self.before, each) for each in befores if each >= 0),
                tuple(Node(self.after, each) for each in afters if each >= 0),
                changes,
            )

    @property
    def entries(self) -> tuple[NDArray[np.uint8], Indices, Indices]:
        """The differences as columns: status, node before and node after, -1 without one.

        Of fused and split nodes one entry, with the last of several nodes.
        """
        removed = np.flatnonzero(self.before_status == Status.REMOVED)
        is_split = self.after_status == Status.SPLIT
        is_last = np.append(self.after_of, -1)[self.before_of] == np.arange(len(self.before_of))
        later = np.flatnonzero((self.after_status != Status.SAME) & (is_last | ~is_split))
        status = np.concatenate([self.after_status[later], self.before_status[removed]])
        position = np.concatenate([later, self._position_of_removed()[removed]])
        order = np.lexsort([np.arange(position.size), position])
        before = np.concatenate([self.before_of[later], removed]).astype(np.int32)
        after = np.concatenate([later, np.full(removed.size, -1)]).astype(np.int32)
        return status[order], before[order], after[order]

    def _position_of_removed(self) -> NDArray[np.int64]:
        """Return the node of ``after`` that matches the nearest earlier node, shape (n,)."""
        matched = np.where(self.after_of >= 0, np.arange(len(self.after_of)), -1)
        nearest = np.maximum.accumulate(matched) if matched.size else matched
        return np.append(self.after_of, -1)[nearest].astype(np.int64)

    def _parts(self) -> tuple[Mapping[int, list[int]], Mapping[int, list[int]]]:
        """Return the nodes that each fused node replaces, and those that replace each split node."""
        return (
            _rows_by_value(self.after_of, self.before_status == Status.FUSED),
            _rows_by_value(self.before_of, self.after_status == Status.SPLIT),
        )


def diff_graphs(before: GraphData, after: GraphData) -> GraphDiff:
    """Compare two graphs: what ``after`` has, lacks and does differently.

    Nodes match by their operation types, types, attributes and neighbors at any distance, then by names, so that a
    renamed graph has no differences. Reversing the graphs reverses the result. Graphs of two frameworks, such as a
    network and its ONNX export, are compared in a common form, without their attributes.
    """
    forms = normal_forms(before, after)
    if forms is None:
        return _diff(*comparable(before, after))
    return _spread(*forms, _diff(*(form.reduced for form in forms)))


def _diff(first: Comparable, second: Comparable) -> GraphDiff:
    is_reversed = _canonical_key(second) < _canonical_key(first)
    sides = (second, first) if is_reversed else (first, second)
    matching = match_nodes(*sides)
    _match_replacements(matching, *sides)
    _match_names(matching, *sides)
    return _compare(first, second, matching.reversed() if is_reversed else matching)


def _spread(first: NormalForm, second: NormalForm, diff: GraphDiff) -> GraphDiff:
    """Return the difference of two whole graphs. A folded node is the same as long as its owner has a match."""
    changes = _of_known_sizes(first, second, diff)
    statuses: list[NDArray[np.uint8]] = [np.array(diff.before_status), np.array(diff.after_status)]
    is_cleared = np.isin(changes, (0, int(Change.NAME)))
    cleared = np.flatnonzero((diff.before_status == Status.CHANGED) & is_cleared)
    statuses[0][cleared] = statuses[1][diff.after_of[cleared]] = Status.SAME
    spread: list[tuple[NDArray[np.uint8], Indices]] = []
    for form, other, status, match in zip(
        (first, second), (second, first), statuses, (diff.after_of, diff.before_of), strict=True
    ):
        is_folded = np.ones(len(form.row_of), bool)
        is_folded[form.rows] = False
        of_node = np.append(status, Status.SAME)[form.row_of]
        of_node[is_folded & ~np.isin(of_node, (Status.REMOVED, Status.ADDED))] = Status.SAME
        matched = np.append(match, -1)[form.row_of]
        spread.append((of_node, np.append(other.rows, -1)[matched].astype(np.int32)))
    (before_status, after_of), (after_status, before_of) = spread
    of_node = np.zeros(len(first.row_of), np.uint8)
    of_node[first.rows] = changes
    numbers = _numbers(_matched_numbers(diff.after_of, diff.before_of))
    pairs = [
        [number[form.row_of[ends]] for ends in (form.graph.edge_columns.source, form.graph.edge_columns.target)]
        for number, form in zip(numbers, (first, second), strict=True)
    ]
    keys = [combine(*ends) for ends in pairs]
    missing = [
        ~np.isin(keys[side], keys[1 - side]) & (pairs[side][0] != pairs[side][1]) & ~_is_constant(form)
        for side, form in enumerate((first, second))
    ]
    return GraphDiff(
        first.graph, second.graph, before_status, after_status, after_of, before_of, of_node, missing[0], missing[1]
    )


def _is_constant(form: NormalForm) -> NDArray[np.bool_]:
    """Return whether a constant is the source of each edge, shape (m,)."""
    return form.graph.node_columns.role[form.graph.edge_columns.source] == Role.CONSTANT


def _of_known_sizes(first: NormalForm, second: NormalForm, diff: GraphDiff) -> NDArray[np.uint8]:
    """Return the changes without those of shapes or dtypes that one graph does not say, such as a free batch size."""
    changes: NDArray[np.uint8] = np.array(diff.changes)
    rows: list[int] = np.flatnonzero(diff.changes & (Change.SHAPE | Change.DTYPE)).tolist()
    for row in rows:
        sides = ((first, row), (second, int(diff.after_of[row])))
        types = [form.graph.types[form.graph.node_columns.type[form.rows[at]]] for form, at in sides]
        if "" in (types[0].dtype, types[1].dtype):
            changes[row] = int(changes[row]) & ~Change.DTYPE
        shapes = [type.shape for type in types]
        if None in shapes or _may_be_equal(*(shape or () for shape in shapes)):
            changes[row] = int(changes[row]) & ~Change.SHAPE
    return changes


def _may_be_equal(one: Shape, other: Shape) -> bool:
    pairs = list(zip(one, other, strict=False))
    has_unknown = any(-1 in pair for pair in pairs)
    return has_unknown and len(one) == len(other) and all(a == b or -1 in (a, b) for a, b in pairs)


def _canonical_key(side: Comparable) -> tuple[int, int, int]:
    """Orders two graphs independently of which comes first."""
    return len(side), len(side.edge_fact), int(np.bitwise_xor.reduce(side.exact.near, initial=np.uint64(0)))


def _match_replacements(matching: Matching, left: Comparable, right: Comparable) -> None:
    """Match what one operation replaces, in both directions."""
    for whole, parts in find_replacements(left, right, matching.left, matching.right).items():
        matching.add_replacement(parts, whole)
    reverse = matching.reversed()
    for whole, parts in find_replacements(right, left, reverse.left, reverse.right).items():
        reverse.add_replacement(parts, whole)


def _match_names(matching: Matching, left: Comparable, right: Comparable) -> None:
    """Match what is left by name, scope and role: operations whose type changed, renewed parameters."""
    keys = [np.where(side.name > 0, combine(side.name, side.scope, side.role), np.uint64(0)) for side in (left, right)]
    matching.add_equal(*keys, is_single=True)


def _compare(before: Comparable, after: Comparable, matching: Matching) -> GraphDiff:
    after_of, before_of = matching.left, matching.right
    is_fused_part, is_fused = _parts_and_wholes(after_of, len(after))
    is_split_part, is_split = _parts_and_wholes(before_of, len(before))
    rows = np.flatnonzero((after_of >= 0) & ~is_fused_part & ~is_split)
    numbers = _matched_numbers(after_of, before_of)
    changes = np.zeros(len(before), np.uint8)
    changes[rows] = _changes(before, after, rows, numbers)
    before_status = np.where(after_of < 0, Status.REMOVED, Status.SAME).astype(np.uint8)
    after_status = np.where(before_of < 0, Status.ADDED, Status.SAME).astype(np.uint8)
    changed = rows[(changes[rows] & ~np.uint8(Change.NAME)) > 0]
    before_status[changed] = after_status[after_of[changed]] = Status.CHANGED
    before_status[is_fused_part], after_status[is_fused] = Status.FUSED, Status.FUSED
    before_status[is_split], after_status[is_split_part] = Status.SPLIT, Status.SPLIT
    keys = [
        combine(number[edges.source], number[edges.target], edges.output, edges.is_control)
        for number, edges in zip(_numbers(numbers), (before.graph.edge_columns, after.graph.edge_columns), strict=True)
    ]
    is_removed, is_added = ~np.isin(keys[0], keys[1]), ~np.isin(keys[1], keys[0])
    return GraphDiff(
        before.graph, after.graph, before_status, after_status, after_of, before_of, changes, is_removed, is_added
    )


def _parts_and_wholes(other: Indices, count: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether each node shares the node that it matches with others, and whether each of ``count`` nodes is
    shared.
    """
    is_whole = np.bincount(other[other >= 0], minlength=count) > 1
    return (other >= 0) & np.append(is_whole, False)[other], is_whole


def _matched_numbers(after_of: Indices, before_of: Indices) -> tuple[Indices, Indices]:
    """Return the number of the node of ``after`` that each node matches, of the earlier graph -1 without one."""
    return after_of, np.where(before_of >= 0, np.append(after_of, -1)[before_of], np.arange(len(before_of)))


def _numbers(matches: tuple[Indices, Indices]) -> tuple[Indices, Indices]:
    """Return numbers of the nodes of both graphs; those of matching nodes are equal, all others differ."""
    before, after = matches
    return np.where(before >= 0, before, len(after) + np.arange(len(before))), after


def _changes(
    before: Comparable, after: Comparable, rows: NDArray[np.int64], matches: tuple[Indices, Indices]
) -> NDArray[np.uint8]:
    """Return what differs between the nodes ``rows`` and those that they match."""
    others = matches[0][rows]
    inputs = [
        sums_of_ranges(combine(number[side.graph.edge_columns.source], side.edge_fact), side.graph.first_input)
        for number, side in zip(_numbers(matches), (before, after), strict=True)
    ]

    def flag(change: Change, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.uint8]:
        return np.where(left[rows] != right[others], np.uint8(change), np.uint8(0))

    return (
        flag(Change.TYPE, before.op_type, after.op_type)
        | flag(Change.ATTRIBUTES, before.attributes, after.attributes)
        | flag(Change.SHAPE, before.shape, after.shape)
        | flag(Change.DTYPE, before.dtype, after.dtype)
        | flag(Change.INPUTS, *inputs)
        | flag(Change.NAME, before.name, after.name)
        | flag(Change.NAME, before.scope, after.scope)
    )


def _rows_by_value(values: Indices, mask: NDArray[np.bool_]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row in np.flatnonzero(mask).tolist():
        found.setdefault(int(values[row]), []).append(row)
    return found
