# SPDX-License-Identifier: Apache-2.0
"""Tables that only one format has."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.profiles.access import READABLE, open_parts
from mindscope.server.profiles.further.query import further_answer
from mindscope.server.profiles.further.schema import FurtherAnswer

router = APIRouter()

Table = Annotated[str, Query(max_length=300, description="Its name; the first one without it.")]


@router.get("/profiles/further", response_model=FurtherAnswer, responses=READABLE)
def get_further(run: str, profile: str, viewer: CurrentViewer, table: Table = "") -> Response:
    """Tables of a profile that only its format has, such as samples of the hardware, and the rows of one."""
    opened = open_parts(viewer, run, profile)
    if isinstance(opened, Response):
        return opened
    return JsonResponse(further_answer(opened.profile, opened.version, table))
