# SPDX-License-Identifier: Apache-2.0
"""Finds nodes in a graph, and cuts a scope out of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.graph.algorithms.attribute_texts import AttributeTexts
from mindscope.graph.data.columns import EdgeColumns, Indices, NodeColumns, Role, ScopeColumns
from mindscope.graph.data.graph_data import Details, GraphData, Nodes

_GraphT = TypeVar("_GraphT", bound=GraphData)

Mask = NDArray[np.bool_]


def find_nodes(
    graph: GraphData,
    text: str | re.Pattern[str],
    *,
    op_type: str | None = None,
    scope: str = "",
    attribute: str | re.Pattern[str] = "",
    texts: AttributeTexts | None = None,
) -> Nodes:
    """Find nodes as ``Graph.find``; ``attribute`` is searched in ``texts``, if there are any."""
    columns, matches = graph.node_columns, _matcher(text)
    names = np.array([matches(each) for each in graph.texts.all], bool)
    found: Mask = names[columns.name] | names[columns.full_name] | names[columns.op_type]
    if op_type is not None:
        types = np.array([each == op_type for each in graph.texts.all], bool)
        found &= types[columns.op_type]
    if scope:
        found &= _scopes_inside(graph, graph.scope(scope).index)[columns.scope]
    if texts is not None:
        with_attribute = np.zeros(len(columns), bool)
        with_attribute[texts.nodes_with(_matcher(attribute))] = True
        found &= with_attribute
    return Nodes(graph, np.flatnonzero(found).astype(np.int32))


def _matcher(text: str | re.Pattern[str]) -> Callable[[str], bool]:
    if isinstance(text, re.Pattern):
        return lambda each: text.search(each) is not None
    wanted = text.casefold()
    return lambda each: wanted in each.casefold()


def subgraph(graph: _GraphT, scope: str) -> _GraphT:
    """Return the nodes inside ``scope`` with the edges to them; nodes outside that they take become inputs.

    Raises KeyError for an unknown scope.
    """
    number = graph.scope(scope).index
    inside = _scopes_inside(graph, number)
    node_inside = inside[graph.node_columns.scope]
    edge_inside = node_inside[graph.edge_columns.target]
    kept: Mask = np.array(node_inside)
    kept[graph.edge_columns.source[edge_inside]] = True
    needed = inside | _around(graph, graph.node_columns.scope[kept])
    return _cut(graph, scope, kept, edge_inside, needed, kept & ~node_inside)


def _scopes_inside(graph: GraphData, scope: int) -> Mask:
    """Return whether each scope is ``scope`` or inside it, shape (k,)."""
    parents: list[int] = graph.scope_columns.parent.tolist()
    inside = [False] * len(parents)
    inside[scope] = True
    for index in range(scope + 1, len(parents)):
        inside[index] = inside[parents[index]]
    return np.array(inside, bool)


def _around(graph: GraphData, scopes: Indices) -> Mask:
    """Return whether each scope is one of ``scopes``, or around one of them, shape (k,)."""
    parents: list[int] = graph.scope_columns.parent.tolist()
    around = np.zeros(len(parents), bool)
    around[scopes] = True
    for index in range(len(parents) - 1, 0, -1):
        if around[index]:
            around[parents[index]] = True
    around[0] = True
    return around


def _cut(graph: _GraphT, name: str, kept: Mask, edge_kept: Mask, scope_kept: Mask, borders: Mask) -> _GraphT:
    """Return the kept parts of ``graph``; ``borders`` are nodes that become inputs."""
    scope_number, node_number = _numbers(scope_kept), _numbers(kept)
    nodes, edges, scopes = graph.node_columns, graph.edge_columns, graph.scope_columns
    parent = scopes.parent[scope_kept]
    return type(graph)(
        name,
        graph.texts,
        NodeColumns(
            nodes.name[kept],
            nodes.op_type[kept],
            nodes.full_name[kept],
            nodes.device[kept],
            scope_number[nodes.scope[kept]],
            nodes.type[kept],
            np.where(borders & (nodes.role == Role.OPERATION), Role.INPUT, nodes.role)[kept].astype(np.uint8),
        ),
        EdgeColumns(
            node_number[edges.source[edge_kept]],
            node_number[edges.target[edge_kept]],
            edges.output[edge_kept],
            edges.is_control[edge_kept],
        ),
        ScopeColumns(
            scopes.path[scope_kept],
            np.where(parent < 0, -1, scope_number[parent]).astype(np.int32),
            scopes.kind[scope_kept],
        ),
        graph.types,
        _DetailsOf(graph.details, np.flatnonzero(kept), len(nodes)),
        outputs=node_number[graph.output_nodes[kept[graph.output_nodes]]],
        functions=graph.functions,
        damaged=node_number[graph.damaged_nodes[kept[graph.damaged_nodes]]],
        is_cut=graph.is_cut,
    )


def _numbers(kept: Mask) -> Indices:
    """Return the new index of each kept element."""
    return (np.cumsum(kept) - 1).astype(np.int32)


@dataclass(frozen=True, slots=True)
class _DetailsOf:
    """The details of some nodes of another graph."""

    details: Details
    nodes: NDArray[np.int64]
    count: int  # nodes of the other graph

    def attributes(self, node: int) -> Mapping[str, Any]:
        return self.details.attributes(int(self.nodes[node]))

    def value(self, node: int) -> Any:
        return self.details.value(int(self.nodes[node]))

    def attribute_hashes(self, count: int) -> NDArray[np.uint64]:
        return self.details.attribute_hashes(self.count)[self.nodes]
