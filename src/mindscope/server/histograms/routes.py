# SPDX-License-Identifier: Apache-2.0
"""Histograms over steps, merged for the rows of a view."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.histograms.cache import HistogramCache
from mindscope.server.histograms.query import pack_histograms
from mindscope.server.histograms.schema import HistogramsQuery
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer

router = APIRouter()


@router.post(
    "/histograms",
    openapi_extra=READS,
    response_class=ColumnsResponse,
    responses=COLUMNS,
)
def query_histograms(query: HistogramsQuery, viewer: CurrentViewer) -> ColumnsResponse:
    """Histograms over steps, merged without loss of counts. An unknown run or tag has an error in its place."""
    return ColumnsResponse(pack_histograms(viewer.catalog, query, viewer.shared(HistogramCache)))
