# SPDX-License-Identifier: Apache-2.0
"""Groups of runs."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.groups.cache import GroupCache
from mindscope.server.groups.query import pack_groups
from mindscope.server.groups.schema import GroupsQuery
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer

router = APIRouter()


@router.post("/groups", openapi_extra=READS, response_class=ColumnsResponse, responses=COLUMNS)
def query_groups(query: GroupsQuery, viewer: CurrentViewer) -> ColumnsResponse:
    """Mean and its error, median, extremes, deviation, quartiles and count of groups of runs; header: GroupsHeader."""
    return ColumnsResponse(pack_groups(viewer.catalog, query, viewer.shared(GroupCache)))
