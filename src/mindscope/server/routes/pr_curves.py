# SPDX-License-Identifier: Apache-2.0
"""Precision-recall curves of many series."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.columns import MEDIA_TYPE
from mindscope.server.columns_response import ColumnsResponse
from mindscope.server.context import TheViewer
from mindscope.server.pr_curves import pack_pr_curves
from mindscope.server.pr_schema import PrCurvesQuery

router = APIRouter()


@router.post(
    "/pr_curves",
    response_class=ColumnsResponse,
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}},
)
def query_pr_curves(query: PrCurvesQuery, viewer: TheViewer) -> ColumnsResponse:
    """The PR curves of many series, at a step or at all of them; the header is PrCurvesHeader.

    Unknown runs and tags have an error in their place.
    """
    return ColumnsResponse(pack_pr_curves(viewer.catalog, query))
