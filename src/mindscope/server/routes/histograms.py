# SPDX-License-Identifier: Apache-2.0
"""Histograms over steps, reduced for the rows of a view."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.columns import MEDIA_TYPE
from mindscope.server.columns_response import ColumnsResponse
from mindscope.server.context import TheViewer
from mindscope.server.histogram_schema import HistogramsQuery
from mindscope.server.histograms import pack_histograms

router = APIRouter()


@router.post(
    "/histograms",
    response_class=ColumnsResponse,
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}},
)
def query_histograms(query: HistogramsQuery, viewer: TheViewer) -> ColumnsResponse:
    """Histograms of many steps in few rows, no count lost; unknown runs and tags have an error in their place."""
    return ColumnsResponse(pack_histograms(viewer.catalog, query, viewer.merged))
