# SPDX-License-Identifier: Apache-2.0
"""Reduces graphs and data pipelines to a few boxes, and chooses the landscape that a dashboard shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mindscope.graph import DatasetNode, Graph
from mindscope.graph.model import Node
from mindscope.lineage import Lineage
from mindscope.lineage.run_row import ENVIRONMENT
from mindscope.types import Landscape

MOST_SCOPES = 24
ROOM = 9  # scopes after opening one

Scope = tuple[str, ...]
"""A scope by its path from the top; the last name is its own."""


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
    """The largest scopes of the last of ``graphs`` graphs, and the tensors between them."""

    name: str
    nodes: int
    edges: int
    graphs: int
    parameters: int
    scopes: list[ScopePreview]
    scopes_left_out: int
    flows: list[ScopeEdge]


@dataclass(frozen=True, slots=True)
class PipelineStage:
    """A stage of a data pipeline; ``detail`` is its most important setting, "" without any."""

    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class PipelinePreview:
    """The stages from the first source to the training; ``sources`` counts all sources."""

    stages: list[PipelineStage]
    sources: int


def framework_of(lineage: Lineage) -> Literal["pytorch", "mindspore"] | None:
    """PyTorch's collector records facts of the run; any other run with a train lineage is of MindSpore."""
    if any(name.startswith(ENVIRONMENT) for name in lineage.custom):
        return "pytorch"
    return None if lineage.train is None else "mindspore"


def newest_landscape(landscapes: Mapping[str, Landscape]) -> tuple[str, Landscape] | None:
    """The newest landscape with a path; without a path the newest of all."""
    drawn = [(tag, each) for tag, each in landscapes.items() if each.path_x is not None]
    newest = (drawn or list(landscapes.items()))[-1:]
    return newest[0] if newest else None


def preview_graphs(graphs: Sequence[Graph]) -> GraphPreview:
    """The last graph. Opens the scope with the most operations, repeatedly, while at most ``ROOM`` scopes result."""
    graph = graphs[-1]
    opened = _opened_scopes(graph)
    places = {node.name: _place(node, opened) for node in graph.nodes}
    sizes = Counter(places.values())
    largest = {scope for scope, _ in sizes.most_common(MOST_SCOPES)}
    listed = [scope for scope in dict.fromkeys(places.values()) if scope in largest]
    numbers = {scope: number for number, scope in enumerate(listed)}
    return GraphPreview(
        name=graph.name,
        nodes=len(graph.nodes),
        edges=graph.edge_count,
        graphs=len(graphs),
        parameters=len(graph.parameters),
        scopes=[
            ScopePreview(name=name, nodes=sizes[scope]) for name, scope in zip(_names(listed), listed, strict=True)
        ],
        scopes_left_out=len(sizes) - len(listed),
        flows=[
            ScopeEdge(source=numbers[source], target=numbers[target], tensors=tensors)
            for (source, target), tensors in _flows(graph, places).items()
            if source in numbers and target in numbers
        ],
    )


def preview_pipeline(last: DatasetNode) -> PipelinePreview:
    """The stages along the first child of each stage."""
    stages = [last]
    while stages[-1].children:
        stages.append(stages[-1].children[0])
    return PipelinePreview(
        stages=[PipelineStage(name=stage.op_type, detail=_stage_detail(stage)) for stage in reversed(stages)],
        sources=sum(not stage.children for stage in last.walk()),
    )


def _names(scopes: Sequence[Scope]) -> list[str]:
    """The last name of each scope. Equal last names get the first name too, or the whole path if that is equal too."""
    short = [scope[-1] for scope in scopes]
    pairs = zip(short, scopes, strict=True)
    longer = [name if short.count(name) == 1 else f"{name} ({scope[0]})" for name, scope in pairs]
    return [name if longer.count(name) == 1 else "/".join(scope) for name, scope in zip(longer, scopes, strict=True)]


def _opened_scopes(graph: Graph) -> set[Scope]:
    opened: set[Scope] = set()
    while True:
        sizes = Counter(_place(node, opened) for node in graph.nodes)
        scopes = {_scope(node)[: depth + 1] for node in graph.nodes for depth in range(len(_scope(node)))}
        closed = [(count, place) for place, count in sizes.items() if place in scopes and place not in opened]
        if not closed:
            return opened
        largest = max(closed)[1]
        inside = {_place(node, {*opened, largest}) for node in graph.nodes if _place(node, opened) == largest}
        if len(sizes) - 1 + len(inside) > ROOM:
            return opened
        opened.add(largest)


def _scope(node: Node) -> Scope:
    return tuple(node.scope.split("/")) if node.scope else ()


def _place(node: Node, opened: set[Scope]) -> Scope:
    """The outermost closed scope around a node, or the opened scope that contains it directly.

    A node without a scope has its operation type as the scope.
    """
    scope = _scope(node)
    for depth in range(1, len(scope) + 1):
        if scope[:depth] not in opened:
            return scope[:depth]
    return scope or (node.op_type,)


def _flows(graph: Graph, places: dict[str, Scope]) -> Counter[tuple[Scope, Scope]]:
    ends = ((places.get(edge.source), places[node.name]) for node in graph.nodes for edge in node.inputs)
    return Counter((source, target) for source, target in ends if source is not None and source != target)


def _stage_detail(stage: DatasetNode) -> str:
    """The transforms of a map, the size of a batch or buffer, or a count; else ""."""
    if stage.operations:
        return ", ".join(operation.name for operation in stage.operations)
    for name in ("batch_size", "buffer_size", "count", "num_samples"):
        if name in stage.parameters:
            return f"{name} {stage.parameters[name]}"
    return ""
