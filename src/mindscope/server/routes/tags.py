# SPDX-License-Identifier: Apache-2.0
"""Which tags runs hold."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.answers import JsonAnswer
from mindscope.server.context import TheViewer
from mindscope.server.run_schema import TagsAnswer, TagsQuery
from mindscope.server.summaries import summarize_tags

router = APIRouter()


@router.post("/tags", response_model=TagsAnswer)
def query_tags(query: TagsQuery, viewer: TheViewer) -> JsonAnswer:
    """The tags of one kind in the given runs."""
    return JsonAnswer(summarize_tags(viewer.catalog, query))
