# SPDX-License-Identifier: Apache-2.0
"""Texts of a run."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.immutable import READABLE, Id, immutable, value_not_found
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.texts.query import find_value, read_text
from mindscope.server.texts.schema import TextAnswer
from mindscope.types import Kind

router = APIRouter()


@router.get("/text", response_model=TextAnswer, responses=READABLE)
def get_text(run: str, tag: str, id: Id, viewer: CurrentViewer) -> Response:
    """The texts that ``/api/values`` calls ``id``."""
    texts = find_value(viewer.catalog, run, Kind.TEXT, tag, id)
    return value_not_found("text", run, tag, id) if texts is None else immutable(JsonResponse(read_text(texts)))
