# SPDX-License-Identifier: Apache-2.0
"""Audio: one or several encoded clips for each step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mindscope.formats.audio_header import audio_type, read_audio_header
from mindscope.formats.kinds.descriptor import KindDescriptor, NamedBytes, position, tensorboard_value
from mindscope.formats.tensorboard_tensors import decode_strings, dimensions
from mindscope.types import Audio, Kind, Message

_SUFFIXES = {"audio/wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/flac": ".flac"}


def _from_tensorboard(value: Message) -> Audio:
    if "audio" in value:
        audio = value["audio"]
        declared = Audio(
            audio.get("sample_rate", 0.0),
            audio.get("num_channels", 0),
            audio.get("length_frames", 0),
            audio["encoded_audio_string"],
            audio.get("content_type", ""),
        )
        return _with_header(declared)
    clips = decode_strings(value["tensor"])[:: _strings_per_row(value["tensor"])]
    return _with_header(Audio(0.0, 0, 0, clips[0], "audio/wav", tuple(clips[1:])))


def audio_to_tensorboard(tag: str, audio: Audio) -> Message:
    """Return the Summary.Value of one clip."""
    message = {
        "sample_rate": audio.sample_rate,
        "num_channels": audio.channels,
        "length_frames": audio.frames,
        "encoded_audio_string": audio.encoded,
        "content_type": audio.content_type,
    }
    return {"tag": tag, "audio": message}


def _with_header(audio: Audio) -> Audio:
    """Return ``audio`` with what the log does not declare, and with the length and the type that its bytes have."""
    header = read_audio_header(audio.encoded)
    return replace(
        audio,
        sample_rate=audio.sample_rate or header.sample_rate,
        channels=audio.channels or header.channels,
        frames=header.frames or audio.frames,
        content_type=audio_type(audio.encoded) or audio.content_type,
    )


def _strings_per_row(tensor: Message) -> int:
    """Return the length of a row of a two-dimensional tensor, such as a clip with its label; 1 for other tensors."""
    dims = dimensions(tensor)
    return max(1, dims[1]) if len(dims) == 2 else 1


def _to_files(audio: Audio) -> Iterator[NamedBytes]:
    for number, clip in enumerate(audio.clips, start=1):
        yield f"{position(number, len(audio.clips))}{_SUFFIXES.get(audio.content_type, '.bin')}", clip


AUDIO = KindDescriptor(
    Kind.AUDIO,
    tensorboard=tensorboard_value(Kind.AUDIO, _from_tensorboard, 6),
    plugins=("audio",),
    has_progress=True,
    export_directory="audio",
    to_files=_to_files,
)
