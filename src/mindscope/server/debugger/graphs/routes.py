# SPDX-License-Identifier: Apache-2.0
"""Statistics of tensors on a graph: a figure of all nodes and scopes, the nodes of tensors, the tensors of a node."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.analysis.graph_tensors import GraphTensors
from mindscope.reasons import Reason
from mindscope.server.debugger.access import READABLE, answer_of
from mindscope.server.debugger.graphs.joins import GraphJoins
from mindscope.server.debugger.graphs.query import items_answer, pack_figures, tensors_answer
from mindscope.server.debugger.graphs.schema import (
    GraphFiguresQuery,
    GraphItemsAnswer,
    GraphItemsQuery,
    GraphTensorsAnswer,
    GraphTensorsQuery,
    OfGraph,
)
from mindscope.server.debugger.sources import OpenSource
from mindscope.server.graphs.cache import graphs_of
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import failure
from mindscope.server.http.json_response import JsonResponse

router = APIRouter()


@router.post(
    "/debugger/graph/figures", openapi_extra=READS, response_class=ColumnsResponse, responses={**COLUMNS, **READABLE}
)
def query_graph_figures(query: GraphFiguresQuery, viewer: CurrentViewer) -> Response:
    """A figure of the tensors of all nodes and scopes of a graph at some steps. The header is GraphFiguresHeader."""
    return _answer(viewer, query, lambda opened, joined: ColumnsResponse(pack_figures(opened, joined, query)))


@router.post("/debugger/graph/items", openapi_extra=READS, response_model=GraphItemsAnswer, responses=READABLE)
def query_graph_items(query: GraphItemsQuery, viewer: CurrentViewer) -> Response:
    """The nodes and scopes of a graph that tensors of a step belong to."""
    return _answer(viewer, query, lambda opened, joined: JsonResponse(items_answer(opened, joined, query)))


@router.post("/debugger/graph/tensors", openapi_extra=READS, response_model=GraphTensorsAnswer, responses=READABLE)
def query_graph_tensors(query: GraphTensorsQuery, viewer: CurrentViewer) -> Response:
    """The tensors of a node or scope of a graph in a step, with their figures."""
    return _answer(viewer, query, lambda opened, joined: JsonResponse(tensors_answer(opened, joined, query)))


def _answer(viewer: Viewer, query: OfGraph, look: Callable[[OpenSource, GraphTensors], Response]) -> Response:
    def joined(opened: OpenSource) -> Response:
        graph = graphs_of(viewer, query.run).graphs.get(query.graph)
        if graph is None:
            what = Reason("graph_not_found", run=query.run, graph=query.graph)
            return failure(404, what, "GET /api/graphs lists the graphs of a run")
        return look(opened, viewer.shared(GraphJoins).get(opened, query.graph, graph))

    return answer_of(viewer, query, joined)
