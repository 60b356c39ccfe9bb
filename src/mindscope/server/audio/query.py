# SPDX-License-Identifier: Apache-2.0
"""Encoded audio of a run: its place, its format and its damages, without decoding it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mindscope.analysis.stored_values import find_values
from mindscope.ingest import Catalog
from mindscope.reasons import Reason, Value
from mindscope.server.audio.header import read_audio_header
from mindscope.server.audio.schema import AudioAnswer
from mindscope.server.http.schema import ReasonEntry
from mindscope.types import Audio, Kind

SOUND_STARTS = (
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
)
MEDIA_TYPES = ("audio/wav", *dict.fromkeys(media_type for _, media_type in SOUND_STARTS))
LONGEST_WAVE_BYTES = 0x7FFFFF00
"""A WAV that declares more was written to a pipe, when its length was unknown."""


@dataclass(frozen=True, slots=True)
class FoundAudio:
    """A clip of a value; ``place`` has run, tag, step, file, and offset, the byte in the file."""

    audio: Audio
    clip: int
    place: dict[str, Value]

    @property
    def encoded(self) -> bytes:
        return self.audio.clips[self.clip]

    @property
    def media_type(self) -> str | None:
        return audio_type(self.encoded)

    @property
    def damage(self) -> Reason | None:
        """Why a browser can't play the clip, or only its start; None without a damage."""
        encoded = self.encoded
        if not encoded:
            return Reason("audio_empty", **self.place)
        if self.media_type is None:
            return Reason("not_audio", start=encoded[:8].hex(" "), **self.place)
        want = 8 + int.from_bytes(encoded[4:8], "little")  # of a WAV
        if self.media_type == "audio/wav" and len(encoded) < want < LONGEST_WAVE_BYTES:
            return Reason("audio_truncated", size=len(encoded), want=want, **self.place)
        return None


def find_audio(catalog: Catalog, run: str, tag: str, id: str, clip: int) -> FoundAudio | None:
    """A clip of a value, counted from 0; None if the log has no such value, or the value no such clip.

    Raises RunNotFoundError, TagNotFoundError, FormatError if the value can't be read.
    """
    found = find_values(catalog.run(run), Kind.AUDIO, tag)
    located = found.locate(id)
    if located is None:
        return None
    value = found.stored(*located)
    audio: Audio = value.decoded
    if clip >= len(audio.clips):
        return None
    return FoundAudio(audio, clip, value.place(audio.clips[clip]))


def describe_audio(sound: FoundAudio) -> AudioAnswer:
    """The description of a clip: from the log, which describes the first clip, else from the header of the clip."""
    audio, damage, header = sound.audio, sound.damage, read_audio_header(sound.encoded)
    rate, channels = audio.sample_rate or header.sample_rate, audio.channels or header.channels
    frames = header.frames or (audio.frames if sound.clip == 0 else 0)
    return AudioAnswer(
        media_type=sound.media_type,
        sample_rate=_finite(rate) or None,
        channels=channels or None,
        frames=frames or None,
        duration_s=_finite(frames / rate) if rate > 0 and frames else None,
        size_bytes=len(sound.encoded),
        clips=len(audio.clips),
        step=int(sound.place["step"]),
        file=str(sound.place["file"]),
        offset=int(sound.place["offset"]),
        damage=None if damage is None else ReasonEntry.of(damage),
    )


def audio_type(encoded: bytes) -> str | None:
    """The format of the bytes, if browsers play it; else None."""
    if encoded[:4] == b"RIFF" and encoded[8:12] == b"WAVE":
        return "audio/wav"
    return next((media_type for start, media_type in SOUND_STARTS if encoded.startswith(start)), None)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
