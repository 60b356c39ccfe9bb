# SPDX-License-Identifier: Apache-2.0
"""Tags of runs."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.http.access import READS
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import RawJsonResponse
from mindscope.server.tags.cache import TagCache
from mindscope.server.tags.schema import TagsAnswer, TagsQuery

router = APIRouter()


@router.post("/tags", openapi_extra=READS, response_model=TagsAnswer)
def query_tags(query: TagsQuery, viewer: CurrentViewer) -> RawJsonResponse:
    """The tags of one kind in the given runs."""
    return RawJsonResponse(viewer.shared(TagCache, lambda: TagCache(viewer.catalog)).answer(query))
