# SPDX-License-Identifier: Apache-2.0
"""Images, tensors, texts and sounds as one file each, histograms as one file a tag."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any

import numpy as np

from mindscope.formats.portable_array import portable_array
from mindscope.reading.export_output import Output
from mindscope.reading.values import Values
from mindscope.types import Audio, Image, Kind, Tensor

NamedBytes = tuple[str, bytes]
"""What follows the step in a file's name, and the content."""

_PICTURE_SUFFIXES = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg", b"GIF8": ".gif", b"RIFF": ".webp", b"BM": ".bmp"}
_SOUND_SUFFIXES = {"audio/wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/flac": ".flac"}


def write_values(values: Values[Any], directory: PurePath, output: Output) -> None:
    """Write each value as ``STEP.suffix``, or ``STEP_1.suffix``, ``STEP_2.suffix`` where a step holds several.

    A step that comes again, as overwritten values do, is marked ``STEP~2``.
    """
    content = CONTENTS[values.kind]
    seen: dict[int, int] = {}
    for sample in values:
        seen[sample.step] = seen.get(sample.step, 0) + 1
        again = f"~{seen[sample.step]}" if seen[sample.step] > 1 else ""
        parts: list[NamedBytes] = []
        with output.noting_failures(f"{values.kind} {values.tag!r} at step {sample.step}"):
            parts = list(content(sample.value))
        for ending, data in parts:
            output.write(directory / f"{sample.step}{again}{ending}", data)


def _pictures(images: tuple[Image, ...]) -> Iterator[NamedBytes]:
    for number, image in enumerate(images, start=1):
        yield f"{_position(number, len(images))}{_picture_suffix(image.encoded)}", image.encoded


def _picture_suffix(encoded: bytes) -> str:
    return next((suffix for start, suffix in _PICTURE_SUFFIXES.items() if encoded.startswith(start)), ".bin")


def _texts(texts: tuple[str, ...]) -> Iterator[NamedBytes]:
    for number, text in enumerate(texts, start=1):
        yield f"{_position(number, len(texts))}.txt", text.encode("utf-8", "backslashreplace")


def _sound(audio: Audio) -> Iterator[NamedBytes]:
    for number, clip in enumerate(audio.clips, start=1):
        yield f"{_position(number, len(audio.clips))}{_SOUND_SUFFIXES.get(audio.content_type, '.bin')}", clip


def _array(tensor: Tensor) -> Iterator[NamedBytes]:
    buffer = io.BytesIO()
    np.save(buffer, portable_array(tensor.value), allow_pickle=False)
    yield ".npy", buffer.getvalue()


def _position(number: int, count: int) -> str:
    return f"_{number}" if count > 1 else ""


CONTENTS: dict[Kind, Callable[[Any], Iterator[NamedBytes]]] = {
    Kind.IMAGE: _pictures,
    Kind.TENSOR: _array,
    Kind.TEXT: _texts,
    Kind.AUDIO: _sound,
}
"""How the value of a kind becomes files."""
