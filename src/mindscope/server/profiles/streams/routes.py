# SPDX-License-Identifier: Apache-2.0
"""Streams of the devices of a profile."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.profiles.access import READABLE, open_parts
from mindscope.server.profiles.streams.query import streams_answer
from mindscope.server.profiles.streams.schema import StreamsAnswer

router = APIRouter()

KernelWait = Annotated[int, Query(ge=0, le=1000, description="Microseconds; shorter gaps are kernel waits.")]


@router.get("/profiles/streams", response_model=StreamsAnswer, responses=READABLE)
def get_streams(run: str, profile: str, viewer: CurrentViewer, kernel_wait_us: KernelWait = 30) -> Response:
    """Describe how busy the streams of devices are, for what they wait, and how their kernels are launched."""
    opened = open_parts(viewer, run, profile)
    if isinstance(opened, Response):
        return opened
    return JsonResponse(streams_answer(opened.profile, opened.version, kernel_wait_us))
