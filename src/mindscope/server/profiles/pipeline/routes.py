# SPDX-License-Identifier: Apache-2.0
"""The data pipeline of a profile."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer
from mindscope.server.profiles.access import READABLE, open_parts
from mindscope.server.profiles.pipeline.query import pack_pipeline

router = APIRouter()


@router.get("/profiles/pipeline", response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def get_pipeline(run: str, profile: str, viewer: CurrentViewer) -> Response:
    """Operations, queues and batches of a data pipeline, or why they are missing. The header is a PipelineHeader."""
    opened = open_parts(viewer, run, profile)
    if isinstance(opened, Response):
        return opened
    return ColumnsResponse(pack_pipeline(opened.profile, opened.version))
