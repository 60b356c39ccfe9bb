# SPDX-License-Identifier: Apache-2.0
"""Routes of a clip of an audio value: its description, and its bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from mindscope.analysis.stored_values import find_value
from mindscope.formats.audio_header import AUDIO_TYPES, AudioHeader, audio_type, read_audio_header
from mindscope.reasons import Reason, Value
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import failure
from mindscope.server.http.immutable import IMMUTABLE, READABLE, Id, immutable, value_not_found
from mindscope.server.http.json_numbers import finite
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import Answer, FailureAnswer, ReasonEntry
from mindscope.store import RunStore
from mindscope.types import Audio, Kind

MAX_CLIP = 2**31 - 1
LONGEST_WAVE_BYTES = 0x7FFFFF00
"""A WAV that declares more was written to a pipe, when its length was unknown."""

Clip = Annotated[int, Query(ge=0, le=MAX_CLIP, description="Which sound of the value, counted from 0.")]
AUDIO_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {each: {"schema": {"type": "string", "format": "binary"}} for each in AUDIO_TYPES}},
    **READABLE,
    415: {"model": FailureAnswer, "description": "The bytes are no WAV, FLAC, Ogg or MP3."},
}

router = APIRouter()


class AudioAnswer(Answer):
    """The description of a clip; a field is null if neither the log nor its header has it.

    ``sample_rate`` is in Hz.

    The value has ``clips`` clips. The bytes of this one begin at byte ``offset`` of ``file``. ``damage`` says why a
    browser can't play it, or only its start.
    """

    media_type: str | None
    sample_rate: float | None
    channels: int | None
    frames: int | None
    duration_s: float | None
    size_bytes: int
    clips: int
    step: int
    file: str
    offset: int
    damage: ReasonEntry | None


class AudioResponse(Response):
    """The response with a clip; its media type comes from its bytes."""

    media_type = "audio/wav"


@router.get("/audio", response_model=AudioAnswer, responses=READABLE)
def get_audio(run: str, tag: str, id: Id, viewer: CurrentViewer, clip: Clip = 0) -> Response:
    """The description of a clip of the value that ``/api/values`` calls ``id``, and the number of its clips."""
    found = find_clip(viewer.catalog.run(run), tag, id, clip)
    return _clip_not_found(run, tag, id, clip) if found is None else immutable(JsonResponse(_describe(found)))


@router.get("/audio/data", response_class=AudioResponse, response_model=None, responses=AUDIO_RESPONSES)
def get_audio_data(run: str, tag: str, id: Id, viewer: CurrentViewer, clip: Clip = 0) -> Response | JSONResponse:
    """The bytes of a clip in the log; of a truncated clip, the bytes that exist."""
    found = find_clip(viewer.catalog.run(run), tag, id, clip)
    if found is None:
        return _clip_not_found(run, tag, id, clip)
    if found.media_type is None and found.damage is not None:
        return failure(415, found.damage, "only WAV, FLAC, Ogg and MP3 are handed out: record one of them")
    return Response(found.encoded, media_type=found.media_type, headers=IMMUTABLE)


@dataclass(frozen=True, slots=True)
class FoundClip:
    """A clip of a value; ``location`` has run, tag, step, file, and offset, the byte in the file."""

    audio: Audio
    clip: int
    location: dict[str, Value]

    @property
    def encoded(self) -> bytes:
        return self.audio.clips[self.clip]

    @property
    def media_type(self) -> str | None:
        return audio_type(self.encoded)

    @property
    def damage(self) -> Reason | None:
        """Reason why a browser can't play the clip, or only its start; None without a damage."""
        encoded = self.encoded
        if not encoded:
            return Reason("audio_empty", **self.location)
        if self.media_type is None:
            return Reason("not_audio", start=encoded[:8].hex(" "), **self.location)
        want = 8 + int.from_bytes(encoded[4:8], "little")  # of a WAV
        if self.media_type == "audio/wav" and len(encoded) < want < LONGEST_WAVE_BYTES:
            return Reason("audio_truncated", size=len(encoded), want=want, **self.location)
        return None


def find_clip(store: RunStore, tag: str, id: str, clip: int) -> FoundClip | None:
    """Return a clip of a value, counted from 0; None if the log has no such value, or the value no such clip.

    Raises TagNotFoundError, FormatError if the value can't be read.
    """
    value = find_value(store, Kind.AUDIO, tag, id)
    if value is None or clip >= len(value.decoded.clips):
        return None
    return FoundClip(value.decoded, clip, value.location(value.decoded.clips[clip]))


def _describe(found: FoundClip) -> AudioAnswer:
    """Return the description of a clip: of the first one as it was decoded, of others by their header."""
    audio, damage = found.audio, found.damage
    header = read_audio_header(found.encoded) if found.clip else AudioHeader(frames=audio.frames)
    rate, channels = header.sample_rate or audio.sample_rate, header.channels or audio.channels
    frames = header.frames
    return AudioAnswer(
        media_type=found.media_type,
        sample_rate=finite(rate) or None,
        channels=channels or None,
        frames=frames or None,
        duration_s=finite(frames / rate) if rate > 0 and frames else None,
        size_bytes=len(found.encoded),
        clips=len(audio.clips),
        step=int(found.location["step"]),
        file=str(found.location["file"]),
        offset=int(found.location["offset"]),
        damage=None if damage is None else ReasonEntry.of(damage),
    )


def _clip_not_found(run: str, tag: str, id: str, clip: int) -> JSONResponse:
    """404 for a clip that is not in the log. Each value has a first clip."""
    if clip == 0:
        return value_not_found("audio", run, tag, id)
    what = Reason("clip_not_found", run=run, tag=tag, id=id, clip=clip)
    return failure(404, what, "GET /api/audio says how many clips a value has")
