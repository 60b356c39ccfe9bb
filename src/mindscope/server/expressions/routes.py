# SPDX-License-Identifier: Apache-2.0
"""Lines of expressions over tags."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.expressions.query import pack_expressions
from mindscope.server.expressions.schema import ExpressionsQuery
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer

router = APIRouter()


@router.post("/expressions", openapi_extra=READS, response_class=ColumnsResponse, responses=COLUMNS)
def query_expressions(query: ExpressionsQuery, viewer: CurrentViewer) -> ColumnsResponse:
    """Lines of expressions over the tags of a run, over any axis or tag; the header is ExpressionsHeader.

    An unknown run, or an expression that can't be evaluated, has an error in its place.
    """
    return ColumnsResponse(pack_expressions(viewer.catalog, query))
