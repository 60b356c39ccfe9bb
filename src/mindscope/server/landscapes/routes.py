# SPDX-License-Identifier: Apache-2.0
"""Routes of loss landscapes."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.analysis.stored_values import find_value
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.immutable import READABLE, Id, immutable, value_not_found
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.landscapes.query import LandscapeCache, list_landscapes, pack_landscape
from mindscope.server.landscapes.schema import LandscapesAnswer, LandscapesQuery
from mindscope.types import Kind

router = APIRouter()


@router.post("/landscapes", openapi_extra=READS, response_model=LandscapesAnswer)
def query_landscapes(query: LandscapesQuery, viewer: CurrentViewer) -> JsonResponse:
    """The newest landscape of each tag of the runs: size, interval, method, and progress while it is computed."""
    return JsonResponse(list_landscapes(viewer.catalog, query.runs, viewer.shared(LandscapeCache)))


@router.get("/landscapes/data", response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def get_landscape(run: str, tag: str, id: Id, viewer: CurrentViewer) -> Response:
    """The losses, the path and the facts of the landscape that ``/api/landscapes`` calls ``id``.

    The header is LandscapeHeader.
    """
    value = find_value(viewer.catalog.run(run), Kind.LANDSCAPE, tag, id)
    if value is None:
        return value_not_found("landscape", run, tag, id)
    return immutable(ColumnsResponse(pack_landscape(run, tag, id, value)))
