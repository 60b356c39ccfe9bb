# SPDX-License-Identifier: Apache-2.0
"""Matches the nodes of two graphs: by all that surrounds them, then by neighbors of matched nodes, then by name.

Each step matches only what the steps before left. A hash of all predecessors is the same in both graphs up to the first
difference, one of all successors from the last difference on. Everything takes time linear in the size of the graphs,
except sorting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.graph.compare._matching import pair_neighbors
from mindscope.graph.compare.comparable import Comparable, NodeHashes
from mindscope.graph.data.columns import Indices
from mindscope.graph.data.hashes import Hashes, combine

WideIndices = NDArray[np.int64]

_Side = tuple[Comparable, NodeHashes]


@dataclass(slots=True)
class Matching:
    """``left[i]`` is the node of the right graph that node i of the left one matches, -1 without one; and reversed."""

    left: Indices
    right: Indices

    @classmethod
    def empty(cls, left: Comparable, right: Comparable) -> Matching:
        return cls(np.full(len(left), -1, np.int32), np.full(len(right), -1, np.int32))

    def add(self, lefts: Indices, rights: Indices) -> None:
        self.left[lefts] = rights
        self.right[rights] = lefts

    def add_replacement(self, parts: list[int], whole: int) -> None:
        """Match several nodes of the left graph, the last one last, with one of the right graph."""
        self.left[parts] = whole
        self.right[whole] = parts[-1]

    def reversed(self) -> Matching:
        """Return the same matches from the other side; changes of one change both."""
        return Matching(self.right, self.left)

    def add_equal(self, left: Hashes, right: Hashes, *, is_single: bool) -> None:
        """Match nodes with equal keys that occur equally often in both graphs, in their order; or only single ones.

        Nodes with key 0 are left out.
        """
        lefts, rights = np.flatnonzero((self.left < 0) & (left != 0)), np.flatnonzero((self.right < 0) & (right != 0))
        keys = np.concatenate([left[lefts], right[rights]])
        if not lefts.size or not rights.size:
            return
        distinct, group = np.unique(keys, return_inverse=True)
        in_left = np.bincount(group[: lefts.size], minlength=distinct.size)
        in_right = np.bincount(group[lefts.size :], minlength=distinct.size)
        taken = (in_left == in_right) & ((in_left == 1) | (not is_single))
        self.add(_by_group(lefts, group[: lefts.size], taken), _by_group(rights, group[lefts.size :], taken))


def _by_group(nodes: WideIndices, group: WideIndices, taken: NDArray[np.bool_]) -> Indices:
    kept = np.flatnonzero(taken[group])
    return nodes[kept[np.argsort(group[kept], kind="stable")]].astype(np.int32)


def match_nodes(left: Comparable, right: Comparable) -> Matching:
    """Return the nodes that are the same in both graphs.

    A match may differ in everything but operation type and role.
    """
    matching = Matching.empty(left, right)
    for sides in (((left, left.exact), (right, right.exact)), ((left, left.loose), (right, right.loose))):
        _match_by_surroundings(matching, *sides)
        _match_neighbors(matching, *sides, is_ordered=False)
    _match_neighbors(matching, (left, left.loose), (right, right.loose), is_ordered=True)
    _match_in_scopes(matching, left, right)
    return matching


_KEYS: tuple[tuple[Callable[[Comparable, NodeHashes], Hashes], bool], ...] = (
    (lambda side, hashes: combine(hashes.upstream, hashes.downstream, side.name, side.scope), False),
    (lambda side, hashes: combine(hashes.upstream, hashes.downstream), False),
    (lambda side, hashes: combine(hashes.upstream, hashes.near, side.name, side.scope), True),
    (lambda side, hashes: combine(hashes.downstream, hashes.near, side.name, side.scope), True),
    (lambda side, hashes: combine(hashes.upstream, hashes.near), False),
    (lambda side, hashes: combine(hashes.downstream, hashes.near), False),
    (lambda side, hashes: combine(hashes.near, side.name, side.scope), True),
    (lambda side, hashes: _for_operations(side, hashes.upstream), True),
    (lambda side, hashes: _for_operations(side, hashes.downstream), True),
    (lambda side, hashes: hashes.near, True),
    (lambda side, hashes: _with_name(side, combine(hashes.own, side.name, side.scope)), True),
    (lambda side, hashes: _with_name(side, combine(hashes.own, side.plain_name, side.scope)), True),
)
"""Keys from the surest to the vaguest, and whether only single nodes are matched by it."""


def _match_by_surroundings(matching: Matching, left: _Side, right: _Side) -> None:
    for key, is_single in _KEYS:
        matching.add_equal(key(*left), key(*right), is_single=is_single)


def _for_operations(side: Comparable, hashes: Hashes) -> Hashes:
    """Return the hash of an operation; others have no predecessors, and are matched by their consumers or names."""
    return np.where(side.is_operation, hashes, np.uint64(0))


def _with_name(side: Comparable, hashes: Hashes) -> Hashes:
    return np.where(side.name > 0, hashes, np.uint64(0))


def _match_neighbors(matching: Matching, left: _Side, right: _Side, *, is_ordered: bool) -> None:
    graphs = left[0].neighbors, right[0].neighbors
    pair_neighbors(matching.left, matching.right, *graphs, left[1].own, right[1].own, is_ordered=is_ordered)


def _match_in_scopes(matching: Matching, left: Comparable, right: Comparable) -> None:
    """Match operations that are left in scopes of which most nodes match, by type, in the order of the nodes."""
    scope = _scope_partners(matching, left, right)
    partner = scope[left.graph.node_columns.scope].astype(np.int64)
    keys = combine(left.op_type, left.role, partner), combine(right.op_type, right.role, right.graph.node_columns.scope)
    lefts = np.flatnonzero((matching.left < 0) & (partner >= 0) & left.is_operation)
    rights = np.flatnonzero((matching.right < 0) & right.is_operation)
    first, second = (
        combine(key[rows], _position_in_group(key[rows])) for key, rows in zip(keys, (lefts, rights), strict=True)
    )
    _, at_left, at_right = np.intersect1d(first, second, return_indices=True)
    matching.add(lefts[at_left].astype(np.int32), rights[at_right].astype(np.int32))


def _scope_partners(matching: Matching, left: Comparable, right: Comparable) -> Indices:
    """Return the scope with most matches of the nodes of each left scope, else that at its path, shape (k,).

    It is -1 without one.
    """
    matched = np.flatnonzero(matching.left >= 0)
    count = len(right.graph.scope_columns)
    ours = left.graph.node_columns.scope[matched].astype(np.int64)
    pairs, votes = np.unique(ours * count + right.graph.node_columns.scope[matching.left[matched]], return_counts=True)
    order = np.argsort(votes, kind="stable")
    numbers, paths = right.graph.scope_numbers, left.graph.scope_numbers
    partners = np.array([numbers.get(path, -1) for path in paths], np.int32)
    partners[pairs[order] // count] = pairs[order] % count
    return partners


def _position_in_group(keys: Hashes) -> WideIndices:
    """Return the number of equal keys before each."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if keys.size else order
    position = np.empty(keys.size, np.int64)
    position[order] = np.arange(keys.size) - np.repeat(starts, np.diff(np.append(starts, keys.size)))
    return position
