# SPDX-License-Identifier: Apache-2.0
"""Reduces a graph to the few boxes that a dashboard shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.graph import Graph, GraphSummary, Role, Scope
from mindscope.graph.algorithms.code_names import ROOT, scope_names
from mindscope.graph.data.columns import Indices

MOST_SCOPES = 24
ROOM = 9  # scopes after opening one: as many names as a card has room for

Items = NDArray[np.int64]
"""Boxes: a scope by its index; an operation type, for operations without a scope, by its text after all scopes."""


@dataclass(frozen=True, slots=True)
class ScopePreview:
    """A scope, or an operation type of operations without a scope; ``nodes`` counts its operations."""

    name: str
    nodes: int


@dataclass(frozen=True, slots=True)
class ScopeEdge:
    """The number of ``tensors`` from one scope to another; both are indices into the scopes."""

    source: int
    target: int
    tensors: int


@dataclass(frozen=True, slots=True)
class GraphPreview:
    """The largest scopes of the last of ``graphs`` graphs, and the tensors between them; ``nodes`` are operations."""

    name: str
    nodes: int
    edges: int
    graphs: int
    parameters: int
    scopes: list[ScopePreview]
    scopes_left_out: int
    flows: list[ScopeEdge]
    summary: GraphSummary


def preview_graphs(graphs: Sequence[Graph]) -> GraphPreview:
    """Preview the last graph.

    It opens the scope with the most operations, repeatedly, while at most ``ROOM`` boxes result.
    """
    graph = graphs[-1]
    items = _items(graph, _opened_scopes(graph))
    is_operation = graph.node_columns.role == Role.OPERATION
    boxes, first, sizes = np.unique(items[is_operation], return_index=True, return_counts=True)
    largest = np.sort(np.argsort(-sizes, kind="stable")[:MOST_SCOPES])
    listed = largest[np.argsort(first[largest])]
    code = [name for name, _ in scope_names(graph)]
    names = _names([_code_path(graph, int(item), code) for item in boxes[listed]])
    return GraphPreview(
        name=graph.name,
        nodes=int(is_operation.sum()),
        edges=graph.edge_count,
        graphs=len(graphs),
        parameters=len(graph.parameters),
        scopes=[ScopePreview(name, int(size)) for name, size in zip(names, sizes[listed], strict=True)],
        scopes_left_out=len(boxes) - len(listed),
        flows=_flows(graph, np.where(is_operation, items, -1), boxes[listed]),
        summary=graph.summary,
    )


def _opened_scopes(graph: Graph) -> set[int]:
    nodes, sizes = graph.node_columns, graph.scope_sizes
    scope, parent = _without_root(graph)
    is_operation = nodes.role == Role.OPERATION
    is_box = np.zeros(len(parent), bool)  # scopes with operations of their own, once they are open
    is_box[scope[is_operation]] = True
    opened: set[int] = set()
    closed = set(np.flatnonzero((parent == 0) & (sizes > 0)).tolist())
    boxes = len(closed) + np.unique(nodes.op_type[is_operation & (scope == 0)]).size
    while closed:
        largest = max(closed, key=lambda scope: (int(sizes[scope]), _path(graph, scope)))
        inside = np.flatnonzero((parent == largest) & (sizes > 0)).tolist()
        boxes += len(inside) + int(is_box[largest]) - 1
        if boxes > ROOM:
            break
        opened.add(largest)
        closed = {*closed, *inside} - {largest}
    return opened


def _without_root(graph: Graph) -> tuple[Indices, Indices]:
    """Return the scope of each node and the parents of scopes as if MindSpore's scope around all were the root."""
    scope, parent = graph.node_columns.scope, graph.scope_columns.parent
    root = graph.scope_numbers.get(ROOT, -1)
    if root < 0:
        return scope, parent
    parent = np.where(parent == root, 0, parent)
    parent[root] = -1
    return np.where(scope == root, 0, scope).astype(np.int32), parent.astype(np.int32)


def _items(graph: Graph, opened: set[int]) -> Items:
    """Return the box of each node: the outermost closed scope around it, or the opened scope that contains it
    directly.
    """
    scopes, parent = _without_root(graph)
    item = np.arange(len(parent), dtype=np.int64)
    for scope, around in enumerate(parent.tolist()):
        if around > 0 and int(item[around]) not in opened:
            item[scope] = item[around]
    of_type = len(parent) + graph.node_columns.op_type.astype(np.int64)
    return np.where(scopes == 0, of_type, item[scopes])


def _path(graph: Graph, item: int) -> tuple[str, ...]:
    """Return the labels of a box from the root on."""
    scopes = len(graph.scope_columns)
    return (graph.texts[item - scopes],) if item >= scopes else tuple(Scope(graph, item).path.split("/"))


def _code_path(graph: Graph, item: int, code: Sequence[str]) -> tuple[str, ...]:
    """Return the names in the code of a box from the root on, without MindSpore's scope around all others."""
    if item >= len(code):
        return _path(graph, item)
    found: list[str] = []
    while item > 0:
        found.insert(0, code[item])
        item = int(graph.scope_columns.parent[item])
    return tuple(found[1:] if found[0] == ROOT and len(found) > 1 else found)


def _names(paths: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the last label of each path.

    Equal ones get the first label too, or the whole path if that is equal too.
    """
    short = [path[-1] for path in paths]
    pairs = zip(short, paths, strict=True)
    longer = [name if short.count(name) == 1 else f"{name} ({path[0]})" for name, path in pairs]
    return [name if longer.count(name) == 1 else "/".join(path) for name, path in zip(longer, paths, strict=True)]


def _flows(graph: Graph, items: Items, listed: Items) -> list[ScopeEdge]:
    """Return the edges between different boxes of ``listed``, counted, in the order of their first occurrence."""
    if not len(listed):
        return []
    order = np.argsort(listed)
    rank = np.minimum(np.searchsorted(listed[order], items), len(listed) - 1)
    number = np.where(listed[order][rank] == items, order[rank], -1)
    source, target = number[graph.edge_columns.source], number[graph.edge_columns.target]
    between = (source >= 0) & (target >= 0) & (source != target)
    pairs, first, tensors = np.unique(
        source[between] * len(listed) + target[between], return_index=True, return_counts=True
    )
    return [
        ScopeEdge(int(pairs[row]) // len(listed), int(pairs[row]) % len(listed), int(tensors[row]))
        for row in np.argsort(first)
    ]
