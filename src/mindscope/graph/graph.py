# SPDX-License-Identifier: Apache-2.0
"""A computational graph with the algorithms on it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mindscope.graph.algorithms.attribute_texts import AttributeTexts, attribute_texts
from mindscope.graph.algorithms.output import to_networkx
from mindscope.graph.algorithms.paths import CriticalPath, between, critical_path
from mindscope.graph.algorithms.selection import find_nodes, subgraph
from mindscope.graph.algorithms.summary import GraphSummary, summarize
from mindscope.graph.compare.diff import GraphDiff, diff_graphs
from mindscope.graph.data.graph_data import GraphData, Node, Nodes

if TYPE_CHECKING:
    import networkx


class Graph(GraphData):
    """A computational graph: its columns, views of them, and what is computed from them."""

    def find(
        self,
        text: str | re.Pattern[str] = "",
        *,
        op_type: str | None = None,
        scope: str = "",
        attribute: str | re.Pattern[str] | None = None,
    ) -> Nodes:
        """Return the nodes with ``text`` in their name, full name or operation type, inside ``scope``.

        The case does not matter. A compiled pattern is searched as it is; ``op_type`` is compared exactly;
        ``attribute`` is searched in each attribute as ``name=value``. Raises KeyError for an unknown scope.
        """
        texts = None if attribute is None else self.attribute_texts
        return find_nodes(self, text, op_type=op_type, scope=scope, attribute=attribute or "", texts=texts)

    @cached_property
    def attribute_texts(self) -> AttributeTexts:
        """The attributes of all nodes as texts, read at the first use."""
        return attribute_texts(self)

    @cached_property
    def summary(self) -> GraphSummary:
        """The parameters, operations, shapes at both ends and repeated blocks, computed at the first use."""
        return summarize(self)

    def diff(self, other: GraphData) -> GraphDiff:
        """List what ``other`` has, lacks and does differently. Nodes match by structure, not by name alone."""
        return diff_graphs(self, other)

    def between(self, first: Node | str, last: Node | str) -> Nodes:
        """Return the nodes on all paths from ``first`` to ``last``, with both; none without a path. Raises KeyError."""
        return between(self, self._index_of(first), self._index_of(last))

    def critical_path(self, costs: NDArray[np.float64]) -> CriticalPath:
        """Return the path with the largest sum of ``costs`` (n,), such as ``costs.node_flops(graph)``.

        NaN counts as 0.
        """
        return critical_path(self, costs)

    def _index_of(self, node: Node | str) -> int:
        return self.node_numbers[node] if isinstance(node, str) else node.index

    def subgraph(self, scope: str) -> Graph:
        """Return the nodes inside ``scope``; nodes outside that they take become inputs. Raises KeyError."""
        return subgraph(self, scope)

    def to_networkx(self) -> networkx.MultiDiGraph[int]:
        """Return nodes by index, edges with ``output`` and ``kind``.

        Raises SettingsError if networkx is not installed.
        """
        return to_networkx(self)
