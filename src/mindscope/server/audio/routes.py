# SPDX-License-Identifier: Apache-2.0
"""Audio of a run."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from mindscope.reasons import Reason
from mindscope.server.audio.query import MEDIA_TYPES, describe_audio, find_audio
from mindscope.server.audio.schema import AudioAnswer
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import failure
from mindscope.server.http.immutable import IMMUTABLE, READABLE, Id, immutable, value_not_found
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import FailureAnswer

MAX_CLIP = 2**31 - 1
Clip = Annotated[int, Query(ge=0, le=MAX_CLIP, description="Which sound of the value, counted from 0.")]
AUDIO_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {each: {"schema": {"type": "string", "format": "binary"}} for each in MEDIA_TYPES}},
    **READABLE,
    415: {"model": FailureAnswer, "description": "The bytes are no WAV, FLAC, Ogg or MP3."},
}

router = APIRouter()


class AudioResponse(Response):
    """A clip; its media type comes from its bytes."""

    media_type = "audio/wav"


@router.get("/audio", response_model=AudioAnswer, responses=READABLE)
def get_audio(run: str, tag: str, id: Id, viewer: CurrentViewer, clip: Clip = 0) -> Response:
    """The description of a clip of the value that ``/api/values`` calls ``id``, and the number of its clips."""
    sound = find_audio(viewer.catalog, run, tag, id, clip)
    return _clip_not_found(run, tag, id, clip) if sound is None else immutable(JsonResponse(describe_audio(sound)))


@router.get("/audio/data", response_class=AudioResponse, response_model=None, responses=AUDIO_RESPONSES)
def get_audio_data(run: str, tag: str, id: Id, viewer: CurrentViewer, clip: Clip = 0) -> Response | JSONResponse:
    """The bytes of a clip in the log; of a truncated clip, the bytes that exist."""
    sound = find_audio(viewer.catalog, run, tag, id, clip)
    if sound is None:
        return _clip_not_found(run, tag, id, clip)
    if sound.media_type is None and sound.damage is not None:
        return failure(415, sound.damage, "only WAV, FLAC, Ogg and MP3 are handed out: record one of them")
    return Response(sound.encoded, media_type=sound.media_type, headers=IMMUTABLE)


def _clip_not_found(run: str, tag: str, id: str, clip: int) -> JSONResponse:
    """404 for a clip that is not in the log. Each value has a first clip."""
    if clip == 0:
        return value_not_found("audio", run, tag, id)
    what = Reason("clip_not_found", run=run, tag=tag, id=id, clip=clip)
    return failure(404, what, "GET /api/audio says how many clips a value has")
