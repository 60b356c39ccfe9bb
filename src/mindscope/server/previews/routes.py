# SPDX-License-Identifier: Apache-2.0
"""Previews of graphs, data pipelines and landscapes."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.graph_readers import graph_readers
from mindscope.server.http.immutable import READABLE
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.previews.cache import PreviewCache
from mindscope.server.previews.query import with_landscape
from mindscope.server.previews.schema import Previews

router = APIRouter()


@router.get("/previews", response_model=Previews, responses=READABLE)
def get_previews(run: str, viewer: CurrentViewer, landscape: str | None = None) -> JsonResponse:
    """Previews of the newest graph and data pipeline of a run, and of its newest or the given loss landscape."""
    previews = viewer.shared(PreviewCache, lambda: PreviewCache(graph_readers(viewer))).get(viewer.catalog.run(run))
    if landscape is None:
        return JsonResponse(previews)

    return JsonResponse(with_landscape(previews, viewer.catalog, landscape))
