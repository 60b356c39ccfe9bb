# SPDX-License-Identifier: Apache-2.0
"""LRU cache of graphs that are joined with debugging data."""

from __future__ import annotations

from dataclasses import dataclass

from mindscope.analysis.graph_tensors import GraphTensors, join_tensors
from mindscope.graph import Graph
from mindscope.lru import LRU
from mindscope.server.debugger.sources import OpenSource

MOST_JOINS = 4


@dataclass(frozen=True, slots=True)
class _Join:
    graph: Graph
    count: int
    tensors: GraphTensors


class GraphJoins:
    """The joins that were used last. For any thread."""

    def __init__(self) -> None:
        self._joins: LRU[tuple[str, str, str], _Join] = LRU(MOST_JOINS)

    def get(self, opened: OpenSource, name: str, graph: Graph) -> GraphTensors:
        """Return the tensors of a source on a graph.

        Joins again when either has changed: tensors are only ever added.
        """
        count = len(opened.source.tensors)
        return self._joins.get_or_add(
            (*opened.key, name),
            lambda: _Join(graph, count, join_tensors(graph, opened.source.tensors)),
            lambda join: join.graph is graph and join.count == count,
        ).tensors
