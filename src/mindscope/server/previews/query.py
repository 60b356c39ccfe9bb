# SPDX-License-Identifier: Apache-2.0
"""What the dashboard shows of graphs, data pipelines and landscapes: enough to recognise them."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.stored_values import find_values
from mindscope.graph import DatasetNode, Graph
from mindscope.graph.model import Node
from mindscope.ingest import Catalog
from mindscope.reading import Run
from mindscope.reasons import Reason, unforeseen_reason
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.previews.schema import (
    GraphPreview,
    LandscapePreview,
    PipelinePreview,
    PipelineStage,
    Previews,
    ScopeEdge,
    ScopePreview,
)
from mindscope.types import Damage, Kind, Landscape

log = logging.getLogger(__name__)

T = TypeVar("T")

MOST_SCOPES = 24
ROOM = 9  # scopes after opening one

Scope = tuple[str, ...]
"""A scope by its path from the top; the last name is its own."""


def preview_run(run: Run) -> Previews:
    """Everything at once: graphs and pipelines have no steps, and of landscapes the newest counts."""
    version = run.store.version
    problems: list[ReasonEntry] = []
    previews = {
        "graph": _part(_newest_graph, run, problems),
        "pipeline": _part(_newest_pipeline, run, problems),
        "landscape": _part(_newest_landscape, run, problems),
    }
    found = [_problem(each) for each in run.damages[len(run.store.damages) :]]
    return Previews(
        run=run.id,
        version=version,
        framework=_part(_framework, run, problems),
        landscapes=list(run.store.tags(Kind.LANDSCAPE)),
        problems=found + problems,
        **cast(Any, previews),
    )


def with_landscape(previews: Previews, catalog: Catalog, tag: str) -> Previews:
    """The same previews with the newest landscape of ``tag``.

    Raises TagNotFoundError, FormatError when the landscape can't be read.
    """
    found = find_values(catalog.run(previews.run), Kind.LANDSCAPE, tag)
    landscape: Landscape = found.read(found.places, len(found.places) - 1)
    return previews.model_copy(update={"landscape": preview_landscape(tag, landscape)})


def _part(outline: Callable[[Run], T | None], run: Run, problems: list[ReasonEntry]) -> T | None:
    """One of the previews; None where making it fails, for the others are wanted still."""
    try:
        return outline(run)
    except Exception as error:
        log.exception("%s of run %s", outline.__name__, run.id)
        problems.append(ReasonEntry.of(unforeseen_reason(error)))
        return None


def _framework(run: Run) -> Literal["pytorch", "mindspore"] | None:
    """PyTorch's collector records the version of torch; other runs with a train lineage are of MindSpore."""
    lineage = run.lineage
    if "env/torch" in lineage.custom:
        return "pytorch"
    return None if lineage.train is None else "mindspore"


def _newest_graph(run: Run) -> GraphPreview | None:
    graphs = run.graphs()
    return preview_graphs(graphs) if graphs else None


def _newest_pipeline(run: Run) -> PipelinePreview | None:
    pipeline = run.dataset_graph
    return preview_pipeline(pipeline) if pipeline else None


def _newest_landscape(run: Run) -> LandscapePreview | None:
    """Of those with a path the newest, else of all."""
    landscapes = run.landscapes()
    drawn = [(tag, each) for tag, each in landscapes.items() if each.path_x is not None]
    newest = (drawn or list(landscapes.items()))[-1:]
    return preview_landscape(*newest[0]) if newest else None


def _problem(damage: Damage) -> ReasonEntry:
    return ReasonEntry.of(Reason("record_damaged", file=damage.file, offset=damage.offset, detail=damage.detail))


def preview_graphs(graphs: Sequence[Graph]) -> GraphPreview:
    """The last of them. Whatever scope holds most is opened, as long as a small picture has room for what is in it."""
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
    """Along the first child of each stage."""
    stages = [last]
    while stages[-1].children:
        stages.append(stages[-1].children[0])
    return PipelinePreview(
        stages=[PipelineStage(name=stage.op_type, detail=_stage_detail(stage)) for stage in reversed(stages)],
        sources=sum(not stage.children for stage in last.walk()),
    )


def preview_landscape(tag: str, landscape: Landscape) -> LandscapePreview:
    """All of it: landscapes are some thousand numbers."""
    path = landscape.path_z
    return LandscapePreview(
        tag=tag,
        x=_floats(landscape.x),
        y=_floats(landscape.y),
        losses=[_floats_or_null(row) for row in np.atleast_2d(landscape.z)],
        path_x=_floats(landscape.path_x),
        path_y=_floats(landscape.path_y),
        path_losses=[] if path is None else _floats_or_null(path),
    )


def _names(scopes: Sequence[Scope]) -> list[str]:
    """The last name of each; where several end alike with the first one too, or as a path if that is not enough."""
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
    """The outermost scope around a node that is not opened; the opened one for what stands directly in it.

    What stands in no scope is told by its type.
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
    """The transforms of a map, the size of a batch; nothing of the others."""
    if stage.operations:
        return ", ".join(operation.name for operation in stage.operations)
    for name in ("batch_size", "buffer_size", "count", "num_samples"):
        if name in stage.parameters:
            return f"{name} {stage.parameters[name]}"
    return ""


def _floats(values: NDArray[Any] | None) -> list[float]:
    return [] if values is None else [float(value) for value in values.reshape(-1)]


def _floats_or_null(values: NDArray[Any]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in _floats(values)]
