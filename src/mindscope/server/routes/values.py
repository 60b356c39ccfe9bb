# SPDX-License-Identifier: Apache-2.0
"""Single values of a log: the list of a tag's values, texts and sounds."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from mindscope.reasons import Reason
from mindscope.server.answers import JsonAnswer
from mindscope.server.context import TheViewer
from mindscope.server.failures import NOT_FOUND, failure
from mindscope.server.routes.images import FOREVER
from mindscope.server.schema import FailureAnswer
from mindscope.server.sounds import SOUNDS, describe_sound, find_sound
from mindscope.server.value_messages import SoundAnswer, TextAnswer, ValuesAnswer
from mindscope.server.values import find_value, list_values, read_text
from mindscope.types import Kind

MAX_CLIP = 2**31 - 1

Id = Annotated[str, Query(max_length=80)]
Clip = Annotated[int, Query(ge=0, le=MAX_CLIP, description="Which sound of the value, counted from 0.")]
KEPT = {"cache-control": FOREVER}
READABLE: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    404: {"model": FailureAnswer, "description": "No such run, tag or value."},
    500: {"model": FailureAnswer, "description": "The bytes can't be read any more, or are no such value."},
}
SOUND_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {each: {"schema": {"type": "string", "format": "binary"}} for each in SOUNDS}},
    **READABLE,
    415: {"model": FailureAnswer, "description": "The bytes are no WAV, FLAC, Ogg or MP3."},
}

router = APIRouter()


class ListedKind(str, Enum):
    """Kinds whose values are asked for one by one."""

    TENSOR = "tensor"
    TEXT = "text"
    AUDIO = "audio"


class SoundResponse(Response):
    """A sound; its media type is told by its bytes."""

    media_type = "audio/wav"


@router.get("/values", response_model=ValuesAnswer, responses=NOT_FOUND)
def get_values(run: str, kind: ListedKind, tag: str, viewer: TheViewer) -> JsonAnswer:
    """All steps of a tag of a run, none left out."""
    return JsonAnswer(list_values(viewer.catalog, run, Kind(kind.value), tag))


@router.get("/text", response_model=TextAnswer, responses=READABLE)
def get_text(run: str, tag: str, id: Id, viewer: TheViewer) -> Response:
    """The texts that ``/api/values`` calls ``id``."""
    texts = find_value(viewer.catalog, run, Kind.TEXT, tag, id)
    return no_value("text", run, tag, id) if texts is None else kept(JsonAnswer(read_text(texts)))


@router.get("/sound", response_model=SoundAnswer, responses=READABLE)
def get_sound(run: str, tag: str, id: Id, viewer: TheViewer, clip: Clip = 0) -> Response:
    """What a clip of the value is that ``/api/values`` calls ``id``, and how many clips the value has."""
    sound = find_sound(viewer.catalog, run, tag, id, clip)
    return no_clip(run, tag, id, clip) if sound is None else kept(JsonAnswer(describe_sound(sound)))


@router.get("/audio", response_class=SoundResponse, response_model=None, responses=SOUND_ANSWERS)
def get_audio(run: str, tag: str, id: Id, viewer: TheViewer, clip: Clip = 0) -> Response | JSONResponse:
    """The clip itself, as it stands in the log; of one that breaks off, what there is."""
    sound = find_sound(viewer.catalog, run, tag, id, clip)
    if sound is None:
        return no_clip(run, tag, id, clip)
    if sound.media_type is None and sound.damage is not None:
        return failure(415, sound.damage, "only WAV, FLAC, Ogg and MP3 are handed out: record one of them")
    return Response(sound.encoded, media_type=sound.media_type, headers=KEPT)


def no_value(kind: str, run: str, tag: str, id: str) -> JSONResponse:
    """The refusal for an id that the log doesn't have, or has no more."""
    what = Reason("value_not_found", kind=kind, run=run, tag=tag, id=id)
    return failure(404, what, "GET /api/values lists the ids of a tag")


def no_clip(run: str, tag: str, id: str, clip: int) -> JSONResponse:
    """The refusal for a clip that is not in the log: every value has a first one."""
    if clip == 0:
        return no_value("audio", run, tag, id)
    what = Reason("clip_not_found", run=run, tag=tag, id=id, clip=clip)
    return failure(404, what, "GET /api/sound says how many clips a value has")


def kept(answer: Response) -> Response:
    """What is behind an id never changes: the browser may keep it."""
    answer.headers.update(KEPT)
    return answer
