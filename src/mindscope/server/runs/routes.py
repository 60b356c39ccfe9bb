# SPDX-License-Identifier: Apache-2.0
"""The run list."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import RawJsonResponse
from mindscope.server.runs.query import RunList
from mindscope.server.runs.schema import RunsAnswer

router = APIRouter()


@router.get("/runs", response_model=RunsAnswer)
def get_runs(viewer: CurrentViewer, since: Annotated[str | None, Query(max_length=64)] = None) -> RawJsonResponse:
    """All runs below the base directory; with ``since``, the cursor of a response, the changes since that response."""
    return RawJsonResponse(viewer.shared(RunList, lambda: RunList(viewer.catalog)).answer(since))
