# SPDX-License-Identifier: Apache-2.0
"""Single values of a log: which there are of a tag, and texts and sounds one at a time."""

from __future__ import annotations

import io
import math
import wave
from typing import Any

from mindscope.ingest import Catalog
from mindscope.server.references import find_references
from mindscope.server.value_ids import row_of, value_ids
from mindscope.server.value_messages import SoundAnswer, TextAnswer, ValuesAnswer
from mindscope.types import Audio, Kind

SOUND_STARTS = (
    (b"RIFF", "audio/wav"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
)


def list_values(catalog: Catalog, run: str, kind: Kind, tag: str) -> ValuesAnswer:
    """Every value of a tag of a kind other than scalar. Raises RunNotFoundError, TagNotFoundError."""
    found = find_references(catalog, run, kind, tag)
    return ValuesAnswer(
        run=run,
        tag=tag,
        kind=kind,
        version=found.version,
        step=found.places.step.tolist(),
        wall_time=[_finite(time) for time in found.places.wall_time.tolist()],
        id=value_ids(found.places),
    )


def find_value(catalog: Catalog, run: str, kind: Kind, tag: str, id: str) -> Any:
    """The decoded value that the list calls ``id``; None when the log has no such value.

    Raises RunNotFoundError, TagNotFoundError, FormatError when the value can't be read.
    """
    found = find_references(catalog, run, kind, tag)
    for places in (found.places, found.written()):
        row = row_of(places, id)
        if row is not None:
            return found.read(places, row)
    return None


def read_text(texts: tuple[str, ...]) -> TextAnswer:
    """Texts as they were recorded; what is no Unicode is written with backslashes."""
    return TextAnswer(texts=[text.encode("utf-8", "backslashreplace").decode() for text in texts])


def describe_sound(audio: Audio) -> SoundAnswer:
    """What the log says of a sound; what it doesn't, the head of a WAV says."""
    rate, channels, frames = _wave_facts(audio.encoded)
    rate, channels = audio.sample_rate or rate, audio.channels or channels
    frames = frames or audio.frames
    return SoundAnswer(
        media_type=sound_type(audio.encoded),
        sample_rate=_finite(rate) or None,
        channels=channels or None,
        frames=frames or None,
        duration_s=_finite(frames / rate) if rate > 0 and frames else None,
        size_bytes=len(audio.encoded),
    )


def sound_type(encoded: bytes) -> str | None:
    """What the bytes are, of the formats that browsers play; None else."""
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
