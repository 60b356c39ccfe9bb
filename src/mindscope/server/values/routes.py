# SPDX-License-Identifier: Apache-2.0
"""The list of a tag's values."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import NOT_FOUND
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.values.query import list_values
from mindscope.server.values.schema import ValuesAnswer
from mindscope.types import Kind

router = APIRouter()


@router.get("/values", response_model=ValuesAnswer, responses=NOT_FOUND)
def get_values(run: str, kind: Kind, tag: str, viewer: CurrentViewer) -> JsonResponse:
    """All steps of a tag of a run. For scalars, use ``/api/curves``."""
    return JsonResponse(list_values(viewer.catalog, run, kind, tag))
