# SPDX-License-Identifier: Apache-2.0
"""Histograms over steps, reduced for the rows of a view."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.histograms.cache import HistogramCache
from mindscope.server.histograms.query import pack_histograms
from mindscope.server.histograms.schema import HistogramsQuery
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer

router = APIRouter()


@router.post(
    "/histograms",
    response_class=ColumnsResponse,
    responses=COLUMNS,
)
def query_histograms(query: HistogramsQuery, viewer: CurrentViewer) -> ColumnsResponse:
    """Histograms of many steps in few rows, no count lost; unknown runs and tags have an error in their place."""
    return ColumnsResponse(pack_histograms(viewer.catalog, query, viewer.shared(HistogramCache)))
