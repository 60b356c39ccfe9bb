# SPDX-License-Identifier: Apache-2.0
"""Precision-recall curves of many series."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer
from mindscope.server.pr_curves.query import pack_pr_curves
from mindscope.server.pr_curves.schema import PrCurvesQuery

router = APIRouter()


@router.post(
    "/pr_curves",
    openapi_extra=READS,
    response_class=ColumnsResponse,
    responses=COLUMNS,
)
def query_pr_curves(query: PrCurvesQuery, viewer: CurrentViewer) -> ColumnsResponse:
    """The PR curves of series, at a step or at all steps; the header is PrCurvesHeader.

    An unknown run or tag has an error in its place.
    """
    return ColumnsResponse(pack_pr_curves(viewer.catalog, query))
