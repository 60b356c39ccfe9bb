# SPDX-License-Identifier: Apache-2.0
"""Routes of a video: its description from the blocks of the GIF, and its bytes."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.analysis.stored_values import StoredValue, find_value
from mindscope.formats.kinds.video import gif_outline
from mindscope.reasons import Reason
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.immutable import IMMUTABLE, READABLE, Id, immutable, value_not_found
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import Answer, ReasonEntry
from mindscope.types import Kind

VIDEO_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/gif": {"schema": {"type": "string", "format": "binary"}}}},
    **READABLE,
}

router = APIRouter()


class VideoAnswer(Answer):
    """The facts of a video in the blocks of its GIF; no pixel is decoded.

    ``durations_ms`` has an entry for each whole frame, 0 where the file says none. The bytes begin at byte ``offset``
    of ``file``. ``damage`` says why only the first frames, or none, can be shown.
    """

    width: int
    height: int
    durations_ms: list[int]
    size_bytes: int
    step: int
    file: str
    offset: int
    damage: ReasonEntry | None


class VideoResponse(Response):
    """An animated GIF."""

    media_type = "image/gif"


@router.get("/video", response_model=VideoAnswer, responses=READABLE)
def get_video(run: str, tag: str, id: Id, viewer: CurrentViewer) -> Response:
    """Return the size of the video that ``/api/values`` calls ``id``, and the durations of its frames."""
    value = find_value(viewer.catalog.run(run), Kind.VIDEO, tag, id)
    return value_not_found("video", run, tag, id) if value is None else immutable(JsonResponse(_describe(value)))


@router.get("/video/data", response_class=VideoResponse, response_model=None, responses=VIDEO_RESPONSES)
def get_video_data(run: str, tag: str, id: Id, viewer: CurrentViewer) -> Response:
    """The bytes of the GIF in the log; for a truncated GIF, the existing part."""
    value = find_value(viewer.catalog.run(run), Kind.VIDEO, tag, id)
    if value is None:
        return value_not_found("video", run, tag, id)
    return VideoResponse(value.decoded.encoded, headers=IMMUTABLE)


def _describe(value: StoredValue) -> VideoAnswer:
    encoded: bytes = value.decoded.encoded
    location, outline = value.location(encoded), gif_outline(encoded)
    damage = None if outline.is_whole else Reason("image_truncated", size=len(encoded), **location)
    return VideoAnswer(
        width=outline.width,
        height=outline.height,
        durations_ms=list(outline.durations_ms),
        size_bytes=len(encoded),
        step=int(location["step"]),
        file=str(location["file"]),
        offset=int(location["offset"]),
        damage=None if damage is None else ReasonEntry.of(damage),
    )
