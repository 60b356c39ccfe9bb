# SPDX-License-Identifier: Apache-2.0
"""Videos of a run."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.immutable import IMMUTABLE, READABLE, Id, immutable, value_not_found
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.video.query import describe_video, find_video
from mindscope.server.video.schema import VideoAnswer

VIDEO_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/gif": {"schema": {"type": "string", "format": "binary"}}}},
    **READABLE,
}

router = APIRouter()


class VideoResponse(Response):
    """An animated GIF."""

    media_type = "image/gif"


@router.get("/video", response_model=VideoAnswer, responses=READABLE)
def get_video(run: str, tag: str, id: Id, viewer: CurrentViewer) -> Response:
    """What the video is that ``/api/values`` calls ``id``: its size, and the durations of its frames."""
    video = find_video(viewer.catalog, run, tag, id)
    return value_not_found("video", run, tag, id) if video is None else immutable(JsonResponse(describe_video(video)))


@router.get("/video/data", response_class=VideoResponse, response_model=None, responses=VIDEO_RESPONSES)
def get_video_data(run: str, tag: str, id: Id, viewer: CurrentViewer) -> Response:
    """The bytes of the GIF in the log; for a truncated GIF, the existing part."""
    video = find_video(viewer.catalog, run, tag, id)
    if video is None:
        return value_not_found("video", run, tag, id)
    return VideoResponse(video.encoded, headers=IMMUTABLE)
