# SPDX-License-Identifier: Apache-2.0
"""Statistics of scalar series."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.http.access import READS
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.statistics.query import compute_statistics
from mindscope.server.statistics.schema import StatisticsAnswer, StatisticsQuery

router = APIRouter()


@router.post("/statistics", openapi_extra=READS, response_model=StatisticsAnswer)
def query_statistics(query: StatisticsQuery, viewer: CurrentViewer) -> JsonResponse:
    """First, last, minimum, maximum and mean value of tags in runs, over all points."""
    return JsonResponse(compute_statistics(viewer.catalog, query))
