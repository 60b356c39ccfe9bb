# SPDX-License-Identifier: Apache-2.0
"""What the dashboard shows of graphs, data pipelines and landscapes."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.answers import JsonAnswer
from mindscope.server.context import TheViewer
from mindscope.server.failures import NOT_FOUND
from mindscope.server.outline_schema import Outlines

router = APIRouter()


@router.get("/outlines", response_model=Outlines, responses=NOT_FOUND)
def get_outlines(run: str, viewer: TheViewer) -> JsonAnswer:
    """Small pictures of a run's newest graph, data pipeline and loss landscape."""
    return JsonAnswer(viewer.outlines.get(viewer.catalog.run(run)))
