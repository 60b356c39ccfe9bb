# SPDX-License-Identifier: Apache-2.0
"""Layouts of charts that runs recorded for TensorBoard's page of custom scalars."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.http.access import READS
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.layouts.query import answer_layouts
from mindscope.server.layouts.schema import LayoutsAnswer, LayoutsQuery

router = APIRouter()


@router.post("/layouts", openapi_extra=READS, response_model=LayoutsAnswer)
def query_layouts(query: LayoutsQuery, viewer: CurrentViewer) -> JsonResponse:
    """The layouts of all runs as one, with the scalar tags of the given runs in each chart."""
    return JsonResponse(answer_layouts(viewer.catalog, query))
