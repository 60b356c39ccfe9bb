# SPDX-License-Identifier: Apache-2.0
"""What the dashboard shows of graphs, data pipelines and landscapes."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import NOT_FOUND
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.previews.cache import PreviewCache
from mindscope.server.previews.schema import Previews

router = APIRouter()


@router.get("/previews", response_model=Previews, responses=NOT_FOUND)
def get_previews(run: str, viewer: CurrentViewer) -> JsonResponse:
    """Small pictures of a run's newest graph, data pipeline and loss landscape."""
    return JsonResponse(viewer.shared(PreviewCache).get(viewer.catalog.run(run)))
