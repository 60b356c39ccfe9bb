# SPDX-License-Identifier: Apache-2.0
"""Videos: an animated GIF for each step, as PyTorch's ``add_video`` writes it into the field of images."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mindscope.formats import wire
from mindscope.formats.kinds.descriptor import KindDescriptor, NamedBytes, mindspore_value, tensorboard_value
from mindscope.types import Kind, Message, Video

_IMAGE_FIELD = 4  # of Summary.Value, in both dialects
_ENCODED_FIELD = 4  # of Summary.Image, in both dialects
_EXTENSION, _FRAME, _END = 0x21, 0x2C, 0x3B
_GRAPHIC_CONTROL, _APPLICATION = 0xF9, 0xFF
_LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")


@dataclass(frozen=True, slots=True)
class GifOutline:
    """The frames and the loop of a GIF, read without decoding a pixel. ``is_whole`` is False where the bytes break off.

    ``durations_ms`` has an entry for each frame that is there to its end; 0 where a frame has no duration.
    """

    width: int
    height: int
    durations_ms: tuple[int, ...]
    is_whole: bool


def is_gif(encoded: bytes | memoryview) -> bool:
    return encoded[:6] in (b"GIF87a", b"GIF89a")


def gif_outline(encoded: bytes | memoryview) -> GifOutline:
    """Return the outline of bytes that ``is_gif`` accepts. Source: GIF89a specification."""
    width, height = int.from_bytes(encoded[6:8], "little"), int.from_bytes(encoded[8:10], "little")
    durations: list[int] = []
    duration = 0
    for mark, start, _ in _blocks(encoded):
        if mark == _EXTENSION and encoded[start + 1] == _GRAPHIC_CONTROL:
            duration = 10 * int.from_bytes(encoded[start + 4 : start + 6], "little")
        elif mark == _FRAME:
            durations.append(duration)
            duration = 0
        elif mark == _END:
            return GifOutline(width, height, tuple(durations), True)
    return GifOutline(width, height, tuple(durations), False)


def _blocks(encoded: bytes | memoryview) -> Iterator[tuple[int, int, int]]:
    """Yield the blocks of a GIF that are there to their end: their mark, where they start and where they end."""
    at = 13 + _color_table_bytes(encoded[10]) if len(encoded) > 13 else len(encoded)
    while at < len(encoded):
        mark, start = encoded[at], at
        if mark == _EXTENSION:
            at = _end_of_data(encoded, at + 2)
        elif mark == _FRAME and at + 10 < len(encoded):
            at = _end_of_data(encoded, at + 10 + _color_table_bytes(encoded[at + 9]) + 1)
        elif mark == _END:
            at += 1
        else:
            return
        if at > len(encoded):
            return
        yield mark, start, at
        if mark == _END:
            return


def _color_table_bytes(flags: int) -> int:
    return 3 << (flags & 0x7) + 1 if flags & 0x80 else 0


def _end_of_data(encoded: bytes | memoryview, at: int) -> int:
    """Return the end of the sub-blocks from ``at`` on; it is beyond the bytes where these break off."""
    while at < len(encoded):
        size = encoded[at]
        at += 1 + size
        if size == 0:
            return at
    return len(encoded) + 1


def is_animated(encoded: bytes | memoryview) -> bool:
    """Return whether a GIF has a second frame, or says how often it repeats.

    Programs write the latter into animations only.
    """
    if not is_gif(encoded):
        return False
    frames = 0
    for mark, start, _ in _blocks(encoded):
        if mark == _EXTENSION and encoded[start + 1] == _APPLICATION and encoded[start + 3 : start + 14] in _LOOPS:
            return True
        frames += mark == _FRAME
        if frames > 1:
            return True
    return False


def _recognizes(encoded: bytes | memoryview) -> bool:
    """Return whether the image of an encoded Summary.Value is an animation."""
    for number, value, start, end in wire.split(encoded, 0, len(encoded)):
        if number == _IMAGE_FIELD and value is None:
            for part, _, part_start, part_end in wire.split(encoded, start, end):
                if part == _ENCODED_FIELD and is_animated(encoded[part_start:part_end]):
                    return True
    return False


def _from_tensorboard(value: Message) -> Video:
    image = value["image"]
    return Video(image.get("height", 0), image.get("width", 0), image["encoded_image_string"])


def _from_mindspore(value: Message) -> Video:
    image = value["image"]
    return Video(image["height"], image["width"], image["encoded_image"])


def _to_tensorboard(tag: str, video: Video) -> Message:
    size = {"height": video.height, "width": video.width, "colorspace": 3}
    return {"tag": tag, "image": {**size, "encoded_image_string": video.encoded}}


def _to_files(video: Video) -> Iterator[NamedBytes]:
    yield ".gif", video.encoded


VIDEO = KindDescriptor(
    Kind.VIDEO,
    tensorboard=tensorboard_value(Kind.VIDEO, _from_tensorboard),
    mindspore=mindspore_value(Kind.VIDEO, _from_mindspore),
    has_progress=True,
    refines=Kind.IMAGE,
    recognizes=_recognizes,
    export_directory="videos",
    to_files=_to_files,
    to_tensorboard=_to_tensorboard,
)
