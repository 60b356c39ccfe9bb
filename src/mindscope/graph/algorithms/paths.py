# SPDX-License-Identifier: Apache-2.0
"""Nodes between nodes, and the path of the largest costs. Everything is linear in nodes and edges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.graph.data.graph_data import GraphData, Nodes


class CriticalPath(NamedTuple):
    """Nodes from the first to the last, and the sum of their costs; the nodes of a cycle follow one another."""

    nodes: Nodes
    total: float


def between(graph: GraphData, first: int, last: int) -> Nodes:
    """Return the nodes on all paths from ``first`` to ``last``, in the order of the graph; none without a path."""
    is_between = graph.is_downstream(first) & graph.is_upstream(last)
    return Nodes(graph, np.flatnonzero(is_between).astype(np.int32))


def critical_path(graph: GraphData, costs: NDArray[np.float64]) -> CriticalPath:
    """Return the path along edges with the largest sum of ``costs`` (n,). NaN counts as 0, a cycle as one node."""
    own: list[float] = np.nan_to_num(costs, nan=0.0).tolist()
    consumers = _Consumers(graph)
    best: list[float] = []
    following: list[int] = []
    components = _components(consumers, len(own))
    component = [0] * len(own)
    for number, members in enumerate(components):  # each comes after all that it leads to
        for node in members:
            component[node] = number
        reached = {component[each] for node in members for each in consumers.of(node)} - {number}
        after = max(reached, key=lambda each: (best[each], -each), default=-1)
        best.append(sum(own[node] for node in members) + (best[after] if after >= 0 else 0.0))
        following.append(after)
    number = max(range(len(best)), key=lambda each: (best[each], -each), default=-1)
    total, nodes = best[number] if best else 0.0, list[int]()
    while number >= 0:
        nodes += components[number]
        number = following[number]
    return CriticalPath(Nodes(graph, np.array(nodes, np.int32)), total)


class _Consumers:
    """The targets of the edges of each node, as lists."""

    def __init__(self, graph: GraphData) -> None:
        order, first = graph.consumer_edges
        self._targets: list[int] = graph.edge_columns.target[order].tolist()
        self._first: list[int] = first.tolist()

    def of(self, node: int) -> list[int]:
        return self._targets[self._first[node] : self._first[node + 1]]


def _components(consumers: _Consumers, count: int) -> list[list[int]]:
    """Return the strongly connected components, each after all that it leads to. Source: Tarjan, without recursion."""
    number, low, stack = [-1] * count, [0] * count, list[int]()
    is_open = bytearray(count)
    components: list[list[int]] = []
    seen = 0
    for root in range(count):
        if number[root] >= 0:
            continue
        walk = [(root, iter(consumers.of(root)))]
        number[root] = low[root] = seen
        seen += 1
        stack.append(root)
        is_open[root] = 1
        while walk:
            node, following = walk[-1]
            after = next(following, -1)
            if after < 0:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
                if low[node] == number[node]:
                    start = len(stack) - 1
                    while stack[start] != node:
                        start -= 1
                    components.append(sorted(stack[start:]))
                    for each in stack[start:]:
                        is_open[each] = 0
                    del stack[start:]
            elif number[after] < 0:
                number[after] = low[after] = seen
                seen += 1
                stack.append(after)
                is_open[after] = 1
                walk.append((after, iter(consumers.of(after))))
            elif is_open[after]:
                low[node] = min(low[node], number[after])
    return components
