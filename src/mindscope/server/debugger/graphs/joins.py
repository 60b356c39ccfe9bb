# SPDX-License-Identifier: Apache-2.0
"""LRU cache of graphs that are joined with debugging data."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from mindscope.analysis.graph_tensors import GraphTensors, join_tensors
from mindscope.graph import Graph
from mindscope.server.debugger.sources import OpenSource

MOST_JOINS = 4


@dataclass(frozen=True, slots=True)
class _Known:
    graph: Graph
    tensors: int
    join: GraphTensors


class GraphJoins:
    """The joins that were used last. For any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[tuple[str, str, str], _Known] = OrderedDict()

    def get(self, opened: OpenSource, name: str, graph: Graph) -> GraphTensors:
        """The tensors of a source on a graph. Joins again when either has changed: tensors are only ever added."""
        key, count = (*opened.key, name), len(opened.source.tensors)
        with self._lock:
            known = self._known.get(key)
            if known is None or known.graph is not graph or known.tensors != count:
                known = _Known(graph, count, join_tensors(graph, opened.source.tensors))
            self._known[key] = known
            self._known.move_to_end(key)
            while len(self._known) > MOST_JOINS:
                self._known.popitem(last=False)
            return known.join
