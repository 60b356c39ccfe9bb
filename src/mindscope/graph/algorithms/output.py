# SPDX-License-Identifier: Apache-2.0
"""Writes a graph in the forms of other programs: networkx, JSON, DOT."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mindscope.errors import SettingsError
from mindscope.graph.data.columns import EdgeKind
from mindscope.graph.data.graph_data import GraphData, Node, Scope

if TYPE_CHECKING:
    import networkx


def to_networkx(graph: GraphData) -> networkx.MultiDiGraph[int]:
    """Return the nodes by index with their facts, as in ``to_json``; edges with ``output`` and ``kind``.

    Raises SettingsError if networkx is not installed.
    """
    try:
        import networkx
    except ImportError:
        raise SettingsError("a networkx graph needs networkx: pip install networkx") from None
    result: networkx.MultiDiGraph[int] = networkx.MultiDiGraph(name=graph.name)
    result.add_nodes_from((node.index, _facts(node)) for node in graph.nodes)
    result.add_edges_from(
        (source, target, {"output": output, "kind": kind}) for source, target, output, kind in _edges(graph)
    )
    return result


def to_json(graph: GraphData) -> str:
    """Return an object with ``name``, ``nodes`` and ``edges``; an edge is [source, target, output, kind] by index."""
    nodes = [{"index": node.index, **_facts(node)} for node in graph.nodes]
    return json.dumps({"name": graph.name, "nodes": nodes, "edges": list(_edges(graph))}, ensure_ascii=False)


def to_dot(graph: GraphData) -> Iterator[str]:
    """Yield the lines of the graph in Graphviz's language; scopes are clusters, control edges are dashed."""
    yield f"digraph {_quoted(graph.name)} {{"
    yield "  node [shape=box];"
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(graph.scope_columns.parent.tolist()):
        children.setdefault(parent, []).append(index)
    inside: dict[int, list[int]] = {}
    for node, scope in enumerate(graph.node_columns.scope.tolist()):
        inside.setdefault(scope, []).append(node)
    waiting: list[int | None] = [0]
    while waiting:
        scope = waiting.pop()
        if scope is None:
            yield "  }"
            continue
        if scope:
            yield f"  subgraph cluster_{scope} {{ label={_quoted(Scope(graph, scope).label)};"
            waiting.append(None)
        for node in inside.get(scope, ()):
            yield f"    n{node} [label={_quoted(_label(Node(graph, node)))}];"
        waiting.extend(reversed(children.get(scope, ())))
    for source, target, _, kind in _edges(graph):
        yield f"  n{source} -> n{target}{' [style=dashed]' if kind == EdgeKind.CONTROL.value else ''};"
    yield "}"


def _facts(node: Node) -> dict[str, Any]:
    type = node.type
    return {
        "name": node.name,
        "op_type": node.op_type,
        "scope": node.scope,
        "role": node.role.name.lower(),
        "dtype": type.dtype,
        "shape": None if type.shape is None else list(type.shape),
    }


def _edges(graph: GraphData) -> Iterator[tuple[int, int, int, str]]:
    edges = graph.edge_columns
    columns = (edges.source.tolist(), edges.target.tolist(), edges.output.tolist(), edges.is_control.tolist())
    for source, target, output, is_control in zip(*columns, strict=True):
        yield source, target, output, (EdgeKind.CONTROL if is_control else EdgeKind.DATA).value


def _label(node: Node) -> str:
    shape = "" if node.shape is None else " " + "x".join(map(str, node.shape))
    return f"{node.op_type or node.name}{shape}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "")
    return f'"{escaped}"'
