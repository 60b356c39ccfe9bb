# SPDX-License-Identifier: Apache-2.0
"""Histograms of a tag over its steps."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from mindscope.server.columns import MEDIA_TYPE
from mindscope.server.context import TheViewer
from mindscope.server.failures import NOT_FOUND
from mindscope.server.histograms import pack_histograms
from mindscope.server.routes.curves import ColumnsResponse

MAX_STEPS = 1_000_000

router = APIRouter()


@router.get(
    "/histograms",
    response_class=ColumnsResponse,
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}, **NOT_FOUND},
)
def get_histograms(
    run: str, tag: str, viewer: TheViewer, steps: Annotated[int, Query(ge=2, le=MAX_STEPS)] = 100
) -> ColumnsResponse:
    """Whole histograms of at most ``steps`` steps, and which other steps there are; the header is HistogramsHeader."""
    return ColumnsResponse(pack_histograms(viewer.catalog, run, tag, steps))
