# SPDX-License-Identifier: Apache-2.0
"""The tool that searches computational graphs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from mindscope import graph as graphs
from mindscope.errors import SettingsError
from mindscope.mcp.results import Name, count_text, cut, first
from mindscope.mcp.session import AgentSession

if TYPE_CHECKING:  # a server answers before it imports what reads graphs
    from mindscope.graph import Graph, Node

_MOST_LISTED = 200
_MOST_TYPES = 20
_MOST_NAMES = 10


class NodeRow(TypedDict):
    """A node of a graph."""

    name: str
    type: str
    role: str
    dtype: str
    shape: list[int] | None
    inputs: NotRequired[list[str]]


class GraphNodes(TypedDict):
    """Nodes of a graph, and its size."""

    graph: str
    summary: str
    types: Annotated[dict[str, int], Field(description="Operations of the selected nodes by type, the most first.")]
    nodes: list[NodeRow]


class GraphTools:
    """Searches graphs."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session

    def search_graph(
        self,
        run: Annotated[Name, Field(description="The id of a run.")],
        search: Annotated[str, Field(max_length=1000, description="A part of a name, full name or type.")] = "",
        attribute: Annotated[str, Field(max_length=1000, description="A part of an attribute, as name=value.")] = "",
        scope: Annotated[str, Field(max_length=1000, description="Only nodes inside this scope.")] = "",
        graph: Annotated[str, Field(max_length=1000, description="One of describe_run; by default the last.")] = "",
        limit: Annotated[int, Field(ge=1, le=_MOST_LISTED)] = 20,
    ) -> GraphNodes:
        """Search the computational graph of a run: operators with types, shapes and inputs; counts by type.

        Use it to learn the architecture, or to look up the operator that first_bad_number names.
        """
        chosen = _graph(self._session.run(run).graphs(), run, graph)
        if scope and scope not in chosen.scope_numbers:
            raise SettingsError(f"graph {chosen.name!r} has no scope {scope!r}: search without it lists full names.")
        nodes = chosen.find(search, scope=scope, attribute=attribute or None)
        rows = [_row(node) for node in nodes[:limit]]
        columns = chosen.node_columns
        operations = nodes.indices[columns.role[nodes.indices] == graphs.Role.OPERATION]
        types: Counter[int] = Counter(columns.op_type[operations].tolist())
        summary = count_text(len(rows), len(nodes), "node", "narrow with search, attribute or scope, or raise limit")
        size = f"The graph has {len(chosen.nodes):,} nodes and {chosen.edge_count:,} edges."
        return GraphNodes(graph=cut(chosen.name), summary=f"{summary} {size}", types=_types(chosen, types), nodes=rows)


def _graph(by_name: dict[str, Graph], run: str, name: str) -> Graph:
    """Raises SettingsError for a run without this graph."""
    if not by_name:
        raise SettingsError(f"run {run!r} has no graph: record one with collect_specified_data's graph.")
    if name and name not in by_name:
        raise SettingsError(f"run {run!r} has no graph {name!r}: it has {', '.join(first(by_name, _MOST_NAMES))}.")
    return by_name[name] if name else list(by_name.values())[-1]


def _types(graph: Graph, counts: Counter[int]) -> dict[str, int]:
    return {cut(graph.texts[text], 100): count for text, count in counts.most_common(_MOST_TYPES)}


def _row(node: Node) -> NodeRow:
    row = NodeRow(
        name=cut(node.full_name or node.name, 200),
        type=cut(node.op_type, 100),
        role=node.role.name.lower(),
        dtype=str(node.dtype or ""),
        shape=None if node.shape is None else [int(size) for size in node.shape],
    )
    inputs = first((cut(edge.node.full_name or edge.node.name, 200) for edge in node.inputs), _MOST_NAMES)
    return {**row, "inputs": inputs} if inputs else row
