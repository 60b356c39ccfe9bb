# SPDX-License-Identifier: Apache-2.0
"""The formats of encoded images, told by their first bytes: one table for the page, the export and Python."""

from __future__ import annotations

import re
from typing import NamedTuple


class ImageFormat(NamedTuple):
    """``media_type`` is None for formats that browsers don't show; ``start`` matches the first 12 bytes of a file."""

    suffix: str
    media_type: str | None
    start: re.Pattern[bytes]


def _format(suffix: str, media_type: str | None, start: bytes) -> ImageFormat:
    return ImageFormat(suffix, media_type, re.compile(start, re.DOTALL))


IMAGE_FORMATS = (
    _format(".png", "image/png", rb"\x89PNG"),
    _format(".jpg", "image/jpeg", rb"\xff\xd8\xff"),
    _format(".gif", "image/gif", rb"GIF8[79]a"),
    _format(".webp", "image/webp", rb"RIFF....WEBP"),
    _format(".bmp", "image/bmp", rb"BM....\0\0\0\0"),
    _format(".avif", "image/avif", rb"....ftypavi[fs]"),
    _format(".tiff", None, rb"II\*\0|MM\0\*"),
)
MEDIA_TYPES = tuple(each.media_type for each in IMAGE_FORMATS if each.media_type is not None)
"""Media types that each browser shows, and that can't contain scripts."""


def image_format(encoded: bytes) -> ImageFormat | None:
    """Return the format of the bytes; None if they are no image."""
    head = encoded[:12]
    return next((each for each in IMAGE_FORMATS if each.start.match(head)), None)
