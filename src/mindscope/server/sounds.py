# SPDX-License-Identifier: Apache-2.0
"""Encoded sounds of a run: where they are, what they are, and whether they are whole. Nothing is decoded."""

from __future__ import annotations

import io
import math
import wave
from dataclasses import dataclass

from mindscope.ingest import Catalog
from mindscope.reasons import Reason, Value
from mindscope.server.references import find_references
from mindscope.server.schema import ReasonEntry
from mindscope.server.value_messages import SoundAnswer
from mindscope.types import Audio, Kind

SOUND_STARTS = (
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
)
SOUNDS = ("audio/wav", *dict.fromkeys(media_type for _, media_type in SOUND_STARTS))
LONGEST_WAVE_BYTES = 0x7FFFFF00
"""A WAV that says that it is longer was written to a pipe, before its length was known."""


@dataclass(frozen=True, slots=True)
class FoundSound:
    """``place`` says where its bytes are: run, tag, step, file and the byte in it, offset."""

    audio: Audio
    place: dict[str, Value]

    @property
    def media_type(self) -> str | None:
        return sound_type(self.audio.encoded)

    @property
    def damage(self) -> Reason | None:
        """Why nothing of it, or only its begin, can be played; None when its bytes say no such thing."""
        encoded = self.audio.encoded
        if not encoded:
            return Reason("sound_empty", **self.place)
        if self.media_type is None:
            return Reason("not_a_sound", start=encoded[:8].hex(" "), **self.place)
        want = 8 + int.from_bytes(encoded[4:8], "little")  # of a WAV
        if self.media_type == "audio/wav" and len(encoded) < want < LONGEST_WAVE_BYTES:
            return Reason("sound_cut", size=len(encoded), want=want, **self.place)
        return None


def find_sound(catalog: Catalog, run: str, tag: str, id: str) -> FoundSound | None:
    """A sound of a run; None when the log has no such value.

    Raises RunNotFoundError, TagNotFoundError, FormatError when the value can't be read.
    """
    found = find_references(catalog, run, Kind.AUDIO, tag)
    located = found.locate(id)
    if located is None:
        return None
    value = found.stored(*located)
    audio: Audio = value.decoded
    return FoundSound(audio, value.place(audio.encoded))


def describe_sound(sound: FoundSound) -> SoundAnswer:
    """What the log says of a sound; what it doesn't, the head of a WAV says."""
    audio, damage = sound.audio, sound.damage
    rate, channels, frames = _wave_facts(audio.encoded)
    rate, channels = audio.sample_rate or rate, audio.channels or channels
    frames = frames or audio.frames
    return SoundAnswer(
        media_type=sound.media_type,
        sample_rate=_finite(rate) or None,
        channels=channels or None,
        frames=frames or None,
        duration_s=_finite(frames / rate) if rate > 0 and frames else None,
        size_bytes=len(audio.encoded),
        step=int(sound.place["step"]),
        file=str(sound.place["file"]),
        offset=int(sound.place["offset"]),
        damage=None if damage is None else ReasonEntry.of(damage),
    )


def sound_type(encoded: bytes) -> str | None:
    """What the bytes are, of the formats that browsers play; None else."""
    if encoded[:4] == b"RIFF" and encoded[8:12] == b"WAVE":
        return "audio/wav"
    return next((media_type for start, media_type in SOUND_STARTS if encoded.startswith(start)), None)


def _wave_facts(encoded: bytes) -> tuple[float, int, int]:
    """Rate, channels and frames; zeros for what is no WAV of plain samples."""
    try:
        with wave.open(io.BytesIO(encoded)) as file:
            return float(file.getframerate()), file.getnchannels(), file.getnframes()
    except (wave.Error, EOFError):
        return 0.0, 0, 0


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
