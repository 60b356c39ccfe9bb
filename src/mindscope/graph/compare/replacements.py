# SPDX-License-Identifier: Apache-2.0
"""Finds operations that one operation of another graph replaces, such as a convolution with what was fused into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from mindscope.graph.compare.comparable import Comparable
from mindscope.graph.data.columns import Indices, Role

_MOST_CONSUMERS = 64  # a node with more of them says little about any
_DATA_ROLES = (Role.OPERATION, Role.INPUT)


def find_replacements(
    parts: Comparable, wholes: Comparable, part_of: Indices, whole_of: Indices
) -> dict[int, list[int]]:
    """Return the unmatched operations of ``wholes``, and the unmatched operations of ``parts`` in whose place each is.

    ``part_of[i]`` is the node of ``wholes`` that node i of ``parts`` matches, -1 without one; ``whole_of`` is the
    reverse. The parts of an operation are connected to the same nodes outside as the operation: their producers and
    consumers match. The last part comes last.
    """
    left, right = _Region(parts, part_of), _Region(wholes, whole_of)
    if not left.nodes or not right.nodes:
        return {}
    return _confirmed(left, right, _assign(left, right))


class _Region:
    """The unmatched operations of a graph, in the order of computation, and the data edges of all nodes."""

    def __init__(self, side: Comparable, match: Indices) -> None:
        is_open = (match < 0) & side.is_operation
        self.nodes: list[int] = side.order[is_open[side.order]].tolist()
        if not self.nodes:
            return
        self.match: list[int] = match.tolist()
        self.is_open: list[bool] = is_open.tolist()
        self.is_data: list[bool] = np.isin(side.role, _DATA_ROLES).tolist()
        edges = side.graph.edge_columns
        source, target = edges.source[~edges.is_control], edges.target[~edges.is_control]
        by_source, every = np.argsort(source, kind="stable"), np.arange(len(side) + 1)
        self._source: list[int] = source.tolist()
        self._target: list[int] = target[by_source].tolist()
        self._first_producer: list[int] = np.searchsorted(target, every).tolist()
        self._first_consumer: list[int] = np.searchsorted(source[by_source], every).tolist()

    def producers(self, node: int) -> list[int]:
        return self._source[self._first_producer[node] : self._first_producer[node + 1]]

    def consumers(self, node: int) -> list[int]:
        return self._target[self._first_consumer[node] : self._first_consumer[node + 1]]

    def open_consumers(self, node: int) -> set[int]:
        """Return the unmatched ones; none of a node with very many."""
        if self._first_consumer[node + 1] - self._first_consumer[node] > _MOST_CONSUMERS:
            return set()
        return {each for each in self.consumers(node) if self.is_open[each]}


def _assign(left: _Region, right: _Region) -> dict[int, int]:
    """Assign to unmatched operations of ``left`` that of ``right`` with the same inputs, or that of the last part."""
    assigned: dict[int, int] = {}
    for node in left.nodes:
        possible: set[int] | None = None
        current: list[int] = []
        for source in left.producers(node):
            options = _options(left, right, source, assigned)
            if source in assigned:
                current.append(assigned[source])
            if options:
                possible = options if possible is None else possible & options
        if possible:
            assigned[node] = next((each for each in current if each in possible), min(possible))
    return assigned


def _options(left: _Region, right: _Region, source: int, assigned: dict[int, int]) -> set[int]:
    """Return the operations of ``right`` to which a consumer of ``source`` can belong; empty if nothing is known."""
    if left.match[source] >= 0:
        return right.open_consumers(left.match[source])
    if source in assigned:
        return {assigned[source]} | right.open_consumers(assigned[source])
    return set()


def _confirmed(left: _Region, right: _Region, assigned: dict[int, int]) -> dict[int, list[int]]:
    """Return the groups with the same neighbors as their operation. One that has not may disprove its neighbors."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for node, whole in assigned.items():
        groups[whole].append(node)
    waiting = set(groups)
    while waiting:
        wrong = {whole for whole in waiting if not _has_same_neighbors(left, right, whole, groups, assigned)}
        waiting = {each for whole in wrong for each in _near(left, groups[whole], assigned)} - wrong
        for whole in wrong:
            for node in groups.pop(whole):
                del assigned[node]
        waiting &= set(groups)
    return dict(groups)


def _near(left: _Region, nodes: Iterable[int], assigned: dict[int, int]) -> set[int]:
    """Return the operations to which neighbors of ``nodes`` belong."""
    around = {each for node in nodes for each in (*left.producers(node), *left.consumers(node))}
    return {assigned[each] for each in around if each in assigned}


def _has_same_neighbors(
    left: _Region, right: _Region, whole: int, groups: dict[int, list[int]], assigned: dict[int, int]
) -> bool:
    nodes = set(groups[whole])
    for ours, theirs in ((left.producers, right.producers), (left.consumers, right.consumers)):
        outside = {each for node in nodes for each in ours(node)} - nodes
        want = {each for each in theirs(whole) if right.is_data[each] or right.is_open[each]}
        got = {assigned.get(each, left.match[each]) for each in outside if left.is_data[each]}
        if got != want:
            return False
    return True
