# SPDX-License-Identifier: Apache-2.0
"""Images: one or several encoded pictures for each step."""

from __future__ import annotations

from collections.abc import Iterator

from mindscope.formats.image_formats import image_format
from mindscope.formats.kinds.descriptor import KindDescriptor, NamedBytes, mindspore_value, position, tensorboard_value
from mindscope.formats.tensorboard_tensors import decode_strings
from mindscope.types import Image, Kind, Message


def _from_tensorboard(value: Message) -> tuple[Image, ...]:
    if "image" in value:
        image = value["image"]
        size = image.get("height", 0), image.get("width", 0), image.get("colorspace", 0)
        return (Image(*size, image["encoded_image_string"]),)
    width, height, *pictures = decode_strings(value["tensor"])
    return tuple(Image(int(height), int(width), 0, picture) for picture in pictures)


def _from_mindspore(value: Message) -> tuple[Image, ...]:
    image = value["image"]
    return (Image(image["height"], image["width"], image["colorspace"], image["encoded_image"]),)


def _to_tensorboard(tag: str, images: tuple[Image, ...]) -> Message:
    (image,) = images  # MindSpore's format has one for each value
    size = {"height": image.height, "width": image.width, "colorspace": image.channels}
    return {"tag": tag, "image": {**size, "encoded_image_string": image.encoded}}


def _to_files(images: tuple[Image, ...]) -> Iterator[NamedBytes]:
    for number, image in enumerate(images, start=1):
        yield f"{position(number, len(images))}{_suffix(image.encoded)}", image.encoded


def _suffix(encoded: bytes) -> str:
    format = image_format(encoded)
    return ".bin" if format is None else format.suffix


IMAGE = KindDescriptor(
    Kind.IMAGE,
    tensorboard=tensorboard_value(Kind.IMAGE, _from_tensorboard, 4),
    mindspore=mindspore_value(Kind.IMAGE, _from_mindspore, 4),
    plugins=("images",),
    has_progress=True,
    export_directory="images",
    to_files=_to_files,
    to_tensorboard=_to_tensorboard,
)
