# SPDX-License-Identifier: Apache-2.0
"""Norms of many series of one run at a few steps."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.immutable import READABLE
from mindscope.server.norms.query import pack_norms
from mindscope.server.norms.schema import NormsQuery

router = APIRouter()


@router.post("/norms", openapi_extra=READS, response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def query_norms(query: NormsQuery, viewer: CurrentViewer) -> ColumnsResponse:
    """Norms and largest absolute values of series at steps; the header is NormsHeader.

    An unknown tag has no values.
    """
    return ColumnsResponse(pack_norms(viewer.catalog, query))
