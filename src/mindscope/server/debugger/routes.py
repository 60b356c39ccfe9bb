# SPDX-License-Identifier: Apache-2.0
"""Debugging data: sources, rows of a step, one row, histories, heat maps, the first bad number."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.errors import DebugDataError, FormatError, RunNotFoundError
from mindscope.reasons import Reason, reason_of
from mindscope.server.debugger.first_bad_schema import DebugFirstBadAnswer
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
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import NOT_FOUND, failure
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import FailureAnswer

if TYPE_CHECKING:
    from mindscope.server.debugger.scans import Scans
    from mindscope.server.debugger.sources import OpenSource, OpenSources

router = APIRouter()

READABLE: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    404: {"model": FailureAnswer, "description": "No such run, source, step, row or tensor."},
    409: {"model": FailureAnswer, "description": "The data can't be read."},
}


@router.post("/debugger/sources", response_model=DebugSourcesAnswer)
def query_debug_sources(query: DebugSourcesQuery, viewer: CurrentViewer) -> JsonResponse:
    """The debugging data of runs: what a Debugger recorded, and dumps of other tools in their directories."""
    from mindscope.server.debugger.listing import list_sources  # readers would delay the first response

    return JsonResponse(list_sources(viewer.catalog, _sources(viewer), query.runs))


@router.post("/debugger/steps", response_model=DebugStepsAnswer, responses=READABLE)
def query_debug_steps(query: OfSource, viewer: CurrentViewer) -> Response:
    """The recorded steps of a rank."""
    from mindscope.server.debugger.query import steps_answer

    return _answer(viewer, query, lambda opened: JsonResponse(steps_answer(opened, query)))


@router.post("/debugger/rows", response_class=ColumnsResponse, responses={**COLUMNS, **READABLE})
def query_debug_rows(query: DebugRowsQuery, viewer: CurrentViewer) -> Response:
    """The tensors of a step with their figures, filtered and ordered; one page. The header is DebugRowsHeader."""
    from mindscope.server.debugger.query import pack_rows

    return _answer(viewer, query, lambda opened: ColumnsResponse(pack_rows(opened, query)))


@router.post("/debugger/row", response_model=DebugRowAnswer, responses=READABLE)
def query_debug_row(query: DebugRowQuery, viewer: CurrentViewer) -> Response:
    """One tensor of a step with its stack, and the other tensors of its operator."""
    from mindscope.server.debugger.query import row_answer

    return _answer(viewer, query, lambda opened: JsonResponse(row_answer(opened, query)))


@router.post("/debugger/history", response_class=ColumnsResponse, responses={**COLUMNS, **READABLE})
def query_debug_history(query: DebugHistoryQuery, viewer: CurrentViewer) -> Response:
    """A figure of some tensors over all steps; a long recording takes several requests.

    The header is DebugHistoryHeader.
    """
    from mindscope.server.debugger.query import pack_history

    return _answer(viewer, query, lambda opened: ColumnsResponse(pack_history(opened, query, _scans(viewer))))


@router.post("/debugger/heat", response_class=ColumnsResponse, responses={**COLUMNS, **READABLE})
def query_debug_heat(query: DebugHeatQuery, viewer: CurrentViewer) -> Response:
    """A figure of many tensors over all steps as a heat map, in which every NaN and infinity is visible.

    A long recording takes several requests. The header is DebugHeatHeader.
    """
    from mindscope.server.debugger.query import pack_heat

    return _answer(viewer, query, lambda opened: ColumnsResponse(pack_heat(opened, query, _scans(viewer))))


@router.post("/debugger/first_bad", response_model=DebugFirstBadAnswer, responses=READABLE)
def query_debug_first_bad(query: OfAllRanks, viewer: CurrentViewer) -> Response:
    """The first operator in time whose inputs are finite and outputs not, if that damages the training.

    A long recording takes several requests.
    """
    from mindscope.server.debugger.first_bad import FirstBadSearches

    return _answer(viewer, query, lambda opened: JsonResponse(viewer.shared(FirstBadSearches).answer(opened)))


def _sources(viewer: Viewer) -> OpenSources:
    from mindscope.server.debugger.sources import OpenSources

    return viewer.shared(OpenSources)


def _scans(viewer: Viewer) -> Scans:
    from mindscope.server.debugger.scans import Scans

    return viewer.shared(Scans)


def _answer(viewer: Viewer, query: OfAllRanks, look: Callable[[OpenSource], Response]) -> Response:
    """The result of ``look`` for a source, or a response with 404 or 409."""
    from mindscope.server.debugger.sources import SourceNotFoundError

    try:
        return look(_sources(viewer).get(viewer.catalog, query.run, query.source))
    except SourceNotFoundError as error:
        return failure(404, reason_of(error), "POST /api/debugger/sources lists the debugging data of runs")
    except RunNotFoundError:
        raise  # an OSError, which has its own answer
    except DebugDataError as error:
        return failure(404, Reason("debug_data_not_found", detail=str(error)), "POST /api/debugger/steps lists steps")
    except (FormatError, OSError) as error:
        return failure(409, Reason("unreadable", detail=str(error)), "other steps may be readable")
