# SPDX-License-Identifier: Apache-2.0
"""All ranks of a training, compared."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer
from mindscope.server.profiles.ranks.query import query_ranks
from mindscope.server.profiles.ranks.schema import RanksQuery

router = APIRouter()


@router.post("/profiles/ranks", openapi_extra=READS, response_class=ColumnsResponse, responses=COLUMNS)
def post_ranks(query: RanksQuery, viewer: CurrentViewer) -> Response:
    """All ranks of a training, or how many of their profiles are read. The header is a RanksHeader."""
    return ColumnsResponse(query_ranks(viewer, query.runs))
