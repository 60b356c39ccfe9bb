# SPDX-License-Identifier: Apache-2.0
"""Scalar series, reduced for the pixels of a view."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.columns import MEDIA_TYPE, pack
from mindscope.server.columns_response import ColumnsResponse
from mindscope.server.context import TheViewer
from mindscope.server.curve_schema import CurvesQuery
from mindscope.server.curves import compute_curves

router = APIRouter()


@router.post(
    "/curves",
    response_class=ColumnsResponse,
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}},
)
def query_curves(query: CurvesQuery, viewer: TheViewer) -> ColumnsResponse:
    """The rows that a view of that many pixels needs; unknown runs and tags have an error in their place."""
    return ColumnsResponse(pack(compute_curves(viewer.catalog, query, viewer.drawn)))
