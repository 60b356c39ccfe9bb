# SPDX-License-Identifier: Apache-2.0
"""The steps of a profile: the step trace."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.profiles.access import READABLE, open_parts
from mindscope.server.profiles.steps.query import pack_steps, step_communication
from mindscope.server.profiles.steps.schema import StepCommunicationAnswer

router = APIRouter()

Step = Annotated[int, Query(ge=-(2**53), le=2**53)]


@router.get("/profiles/steps", response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def get_steps(run: str, profile: str, viewer: CurrentViewer) -> Response:
    """Phases and parts of all steps, or why they are missing. The header is a StepsHeader."""
    opened = open_parts(viewer, run, profile)
    if isinstance(opened, Response):
        return opened
    return ColumnsResponse(pack_steps(opened.profile, opened.version, opened.zero))


@router.get("/profiles/steps/communication", response_model=StepCommunicationAnswer, responses=READABLE)
def get_step_communication(run: str, profile: str, number: Step, viewer: CurrentViewer) -> Response:
    """The operations between ranks of one step, by stream."""
    opened = open_parts(viewer, run, profile)
    if isinstance(opened, Response):
        return opened
    return JsonResponse(step_communication(opened.profile, number, opened.zero))
