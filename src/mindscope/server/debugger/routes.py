# SPDX-License-Identifier: Apache-2.0
"""Debugging data: sources, rows of a step, one row, histories, heat maps, first bad number, watchpoints."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.server.debugger.access import READABLE, answer_of, readable, sources_of
from mindscope.server.debugger.failures import failure_answer, list_failures
from mindscope.server.debugger.failures_schema import DebugFailureAnswer, DebugFailureQuery, DebugFailuresAnswer
from mindscope.server.debugger.first_bad import FirstBadSearches
from mindscope.server.debugger.first_bad_schema import DebugFirstBadAnswer
from mindscope.server.debugger.listing import list_sources
from mindscope.server.debugger.query import pack_heat, pack_history, pack_rows, row_answer, steps_answer
from mindscope.server.debugger.scans import Scans
from mindscope.server.debugger.schema import (
    DebugHeatQuery,
    DebugHistoryQuery,
    DebugRowAnswer,
    DebugRowQuery,
    DebugRowsQuery,
    DebugSourcesAnswer,
    DebugSourcesQuery,
    DebugStepsAnswer,
    OfAllRanks,
    OfSource,
)
from mindscope.server.debugger.sources import OpenSource, is_growing
from mindscope.server.debugger.watchpoints import WatchpointSearches, conditions_answer
from mindscope.server.debugger.watchpoints_schema import DebugConditionsAnswer, DebugWatchAnswer, DebugWatchQuery
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.json_response import JsonResponse

router = APIRouter()


@router.post("/debugger/sources", openapi_extra=READS, response_model=DebugSourcesAnswer)
def query_debug_sources(query: DebugSourcesQuery, viewer: CurrentViewer) -> JsonResponse:
    """The debugging data of runs: what a Debugger recorded, and dumps of other tools in their directories."""
    return JsonResponse(list_sources(viewer.catalog, sources_of(viewer), query.runs))


@router.post("/debugger/failures", openapi_extra=READS, response_model=DebugFailuresAnswer)
def query_debug_failures(query: DebugSourcesQuery, viewer: CurrentViewer) -> JsonResponse:
    """List the data that recorders wrote when trainings failed: running data, and the last collectives of ranks."""
    return JsonResponse(list_failures(viewer.catalog, query.runs))


@router.post("/debugger/failure", openapi_extra=READS, response_model=DebugFailureAnswer, responses=READABLE)
def query_debug_failure(query: DebugFailureQuery, viewer: CurrentViewer) -> Response:
    """The running data of a rank: error, place in the program, last tensors, order of execution, memory, files."""
    return readable(lambda: JsonResponse(failure_answer(viewer.catalog, query.run, query.source)))


@router.post("/debugger/steps", openapi_extra=READS, response_model=DebugStepsAnswer, responses=READABLE)
def query_debug_steps(query: OfSource, viewer: CurrentViewer) -> Response:
    """The recorded steps of a rank."""
    return answer_of(viewer, query, lambda opened: JsonResponse(steps_answer(opened, query)))


@router.post("/debugger/rows", openapi_extra=READS, response_class=ColumnsResponse, responses={**COLUMNS, **READABLE})
def query_debug_rows(query: DebugRowsQuery, viewer: CurrentViewer) -> Response:
    """The tensors of a step with their figures, filtered and ordered; one page. The header is DebugRowsHeader."""
    return answer_of(viewer, query, lambda opened: ColumnsResponse(pack_rows(opened, query)))


@router.post("/debugger/row", openapi_extra=READS, response_model=DebugRowAnswer, responses=READABLE)
def query_debug_row(query: DebugRowQuery, viewer: CurrentViewer) -> Response:
    """Return a tensor of a step with its stack, and the other tensors of its operator."""
    return answer_of(viewer, query, lambda opened: JsonResponse(row_answer(opened, query)))


@router.post(
    "/debugger/history", openapi_extra=READS, response_class=ColumnsResponse, responses={**COLUMNS, **READABLE}
)
def query_debug_history(query: DebugHistoryQuery, viewer: CurrentViewer) -> Response:
    """A figure of some tensors over all steps; a long recording takes several requests.

    The header is DebugHistoryHeader.
    """
    return answer_of(viewer, query, lambda opened: ColumnsResponse(pack_history(opened, query, _scans(viewer))))


@router.post("/debugger/heat", openapi_extra=READS, response_class=ColumnsResponse, responses={**COLUMNS, **READABLE})
def query_debug_heat(query: DebugHeatQuery, viewer: CurrentViewer) -> Response:
    """A figure of many tensors over all steps as a heat map, in which every NaN and infinity is visible.

    A long recording takes several requests. The header is DebugHeatHeader.
    """
    return answer_of(viewer, query, lambda opened: ColumnsResponse(pack_heat(opened, query, _scans(viewer))))


@router.post("/debugger/first_bad", openapi_extra=READS, response_model=DebugFirstBadAnswer, responses=READABLE)
def query_debug_first_bad(query: OfAllRanks, viewer: CurrentViewer) -> Response:
    """The first operator in time whose inputs are finite and outputs not, if that damages the training.

    A long recording takes several requests.
    """
    return answer_of(viewer, query, lambda opened: JsonResponse(viewer.shared(FirstBadSearches).answer(opened)))


@router.get("/debugger/conditions", response_model=DebugConditionsAnswer)
def get_debug_conditions() -> JsonResponse:
    """The conditions of watchpoints with their parameters, and the recommended watchpoints."""
    return JsonResponse(conditions_answer())


@router.post("/debugger/watchpoints", openapi_extra=READS, response_model=DebugWatchAnswer, responses=READABLE)
def query_debug_watchpoints(query: DebugWatchQuery, viewer: CurrentViewer) -> Response:
    """The hits of watchpoints over all steps and ranks, and what could not be evaluated.

    A long recording takes several requests.
    """

    def look(opened: OpenSource) -> Response:
        growing = is_growing(viewer.catalog, query.run, query.source)
        return JsonResponse(viewer.shared(WatchpointSearches).answer(opened, query, is_growing=growing))

    return answer_of(viewer, query, look)


def _scans(viewer: Viewer) -> Scans:
    return viewer.shared(Scans)
