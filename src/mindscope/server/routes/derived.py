# SPDX-License-Identifier: Apache-2.0
"""Lines of expressions over tags, and groups of runs."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from mindscope.server.columns import MEDIA_TYPE
from mindscope.server.columns_response import ColumnsResponse
from mindscope.server.context import TheViewer
from mindscope.server.derived import pack_derived
from mindscope.server.derived_schema import DerivedQuery
from mindscope.server.group_schema import GroupsQuery
from mindscope.server.groups import pack_groups

ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}
}

router = APIRouter()


@router.post("/derived", response_class=ColumnsResponse, responses=ANSWERS)
def query_derived(query: DerivedQuery, viewer: TheViewer) -> ColumnsResponse:
    """Lines of expressions over the tags of a run, over any axis or tag; the header is DerivedHeader.

    An unknown run, or an expression that can't be evaluated, has an error in its place.
    """
    return ColumnsResponse(pack_derived(viewer.catalog, query))


@router.post("/groups", response_class=ColumnsResponse, responses=ANSWERS)
def query_groups(query: GroupsQuery, viewer: TheViewer) -> ColumnsResponse:
    """Mean, median, extremes, deviation, quartiles and count of groups of runs; the header is GroupsHeader."""
    return ColumnsResponse(pack_groups(viewer.catalog, query, viewer.spreads))
