# SPDX-License-Identifier: Apache-2.0
"""The graphs of a run, the structure of one, the details of one node."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from mindscope.graph import Node
from mindscope.reading import Run
from mindscope.reasons import Reason
from mindscope.server.graphs.cache import RunGraphs, graphs_of
from mindscope.server.graphs.query import (
    describe_node,
    graph_entries,
    graph_problems,
    graph_version,
    pack_attributes,
    pack_diff,
    pack_structure,
    pipeline_stages,
    summary_answer,
)
from mindscope.server.graphs.schema import DatasetGraphAnswer, GraphsAnswer, NodeAnswer, SummaryAnswer
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import failure
from mindscope.server.http.immutable import READABLE, immutable
from mindscope.server.http.json_response import JsonResponse

router = APIRouter()

MAX_NODE = 2**31 - 1
Version = Annotated[str | None, Query(max_length=40, description="As in the list; the response is then kept for good.")]


@router.get("/graphs", response_model=GraphsAnswer, responses=READABLE)
def get_graphs(run: str, viewer: CurrentViewer) -> Response:
    """The computational graphs of a run."""
    graphs = _graphs(viewer, run)
    return JsonResponse(GraphsAnswer(run=run, graphs=graph_entries(graphs), problems=graph_problems(graphs)))


@router.get("/graphs/structure", responses={**READABLE, **COLUMNS}, response_class=ColumnsResponse)
def get_graph_structure(run: str, graph: str, viewer: CurrentViewer, version: Version = None) -> Response:
    """The nodes, scopes and edges of a graph as columns, without attributes. The header is a ``StructureHeader``."""
    graphs = _graphs(viewer, run)
    if graph not in graphs.graphs:
        return _no_graph(run, graph)
    response = ColumnsResponse(pack_structure(graph, graphs.graphs[graph]))
    return immutable(response) if version == graph_version(graphs, graph) else response


@router.get("/graphs/summary", response_model=SummaryAnswer, responses=READABLE)
def get_graph_summary(run: str, graph: str, viewer: CurrentViewer) -> Response:
    """Parameters, operations, shapes at both ends and repeated blocks of a graph."""
    found = _graphs(viewer, run).graphs.get(graph)
    return _no_graph(run, graph) if found is None else JsonResponse(summary_answer(found))


@router.get("/graphs/attributes", responses={**READABLE, **COLUMNS}, response_class=ColumnsResponse)
def get_graph_attributes(run: str, graph: str, viewer: CurrentViewer, version: Version = None) -> Response:
    """The attributes of all nodes of a graph, to search in. The header is an ``AttributesHeader``."""
    graphs = _graphs(viewer, run)
    if graph not in graphs.graphs:
        return _no_graph(run, graph)
    response = ColumnsResponse(pack_attributes(graphs.graphs[graph]))
    return immutable(response) if version == graph_version(graphs, graph) else response


@router.get("/graphs/diff", responses={**READABLE, **COLUMNS}, response_class=ColumnsResponse)
def get_graph_diff(
    run: str,
    graph: str,
    other_run: str,
    other_graph: str,
    viewer: CurrentViewer,
    version: Version = None,
    other_version: Version = None,
) -> Response:
    """Compare a graph with another graph, of this or another run. The header is a ``DiffHeader``."""
    sides = ((run, graph, _graphs(viewer, run)), (other_run, other_graph, _graphs(viewer, other_run)))
    for name, wanted, found in sides:
        if wanted not in found.graphs:
            return _no_graph(name, wanted)
    response = ColumnsResponse(pack_diff(*(found.graphs[wanted] for _, wanted, found in sides)))
    graph_versions = [graph_version(found, wanted) for _, wanted, found in sides]
    return immutable(response) if [version, other_version] == graph_versions else response


@router.get("/graphs/node", response_model=NodeAnswer, responses=READABLE)
def get_graph_node(
    run: str, graph: str, node: Annotated[int, Query(ge=0, le=MAX_NODE)], viewer: CurrentViewer
) -> Response:
    """The details of a node, by its index in the structure."""
    found = _graphs(viewer, run).graphs.get(graph)
    if found is None:
        return _no_graph(run, graph)
    if node >= len(found.node_columns):
        what = Reason("graph_node_not_found", node=node, graph=graph, nodes=len(found.node_columns))
        return failure(404, what, "GET /api/graphs/structure has the nodes of a graph")
    return JsonResponse(describe_node(Node(found, node)))


@router.get("/graphs/dataset", response_model=DatasetGraphAnswer, responses=READABLE)
def get_dataset_graph(run: str, viewer: CurrentViewer) -> Response:
    """The newest data pipeline of a run: stages with parameters, transforms, samplers and inputs."""
    dataset_graph = Run(viewer.catalog.run(run), lambda: False).dataset_graph
    return JsonResponse(DatasetGraphAnswer(run=run, stages=pipeline_stages(dataset_graph)))


def _graphs(viewer: Viewer, run: str) -> RunGraphs:
    return graphs_of(viewer, run)


def _no_graph(run: str, graph: str) -> Response:
    return failure(404, Reason("graph_not_found", run=run, graph=graph), "GET /api/graphs lists the graphs of a run")
