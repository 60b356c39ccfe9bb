# SPDX-License-Identifier: Apache-2.0
"""Detects the format of an encoded image and its damages, without decoding it."""

from __future__ import annotations

import zlib

from mindscope.formats.image_formats import image_format
from mindscope.reasons import Reason, Value

PNG_START = b"\x89PNG\r\n\x1a\n"
JPEG_END = b"\xff\xd9"
GIF_END = b"\x3b"


def media_type(encoded: bytes) -> str | None:
    """Return the type of an image that each browser shows; else None."""
    format = image_format(encoded)
    return None if format is None else format.media_type


def image_damage(encoded: bytes, location: dict[str, Value]) -> Reason | None:
    """Return the damage of an image; None if it is intact. A browser draws a part of a damaged image without a warning.

    Each reason names the ``location``: ``run``, ``tag``, ``step``, ``file`` and ``offset``, the byte of the file at
    which the image begins.
    """
    kind = media_type(encoded)
    if not encoded:
        return Reason("image_empty", **location)
    if kind is None:
        return Reason("not_an_image", start=encoded[:8].hex(" "), **location)
    if kind == "image/png":
        return _png_damage(encoded, location)
    return None if _has_end(kind, encoded) else Reason("image_truncated", size=len(encoded), **location)


def _png_damage(encoded: bytes, location: dict[str, Value]) -> Reason | None:
    """Check the chunks of a PNG: length (4 bytes), type (4), content, and CRC of type and content (4); the last is
    IEND.
    """
    at = len(PNG_START)
    while at + 12 <= len(encoded):
        end = at + 12 + int.from_bytes(encoded[at : at + 4], "big")
        if end > len(encoded):
            break
        got, want = zlib.crc32(encoded[at + 4 : end - 4]), int.from_bytes(encoded[end - 4 : end], "big")
        if got != want:
            part = encoded[at + 4 : at + 8].decode("latin-1")
            found: dict[str, Value] = {"part": part, "got": f"{got:#010x}", "want": f"{want:#010x}"}
            return Reason("image_checksum", **found, **{**location, "offset": int(location["offset"]) + at})
        if encoded[at + 4 : at + 8] == b"IEND":
            return None
        at = end
    return Reason("image_truncated", size=len(encoded), **location)


def _has_end(kind: str, encoded: bytes) -> bool:
    if kind == "image/webp":
        return len(encoded) >= 8 + int.from_bytes(encoded[4:8], "little")
    if kind == "image/gif":
        return encoded.rstrip(b"\0").endswith(GIF_END)
    if kind == "image/bmp":
        return len(encoded) >= int.from_bytes(encoded[2:6], "little")
    if kind == "image/avif":
        return _has_whole_boxes(encoded)
    return JPEG_END in encoded  # programs write thumbnails before it and comments after it


def _has_whole_boxes(encoded: bytes) -> bool:
    """Return whether the boxes of an AVIF end where the bytes end.

    A box has a length (4 bytes, or 8 after the type for 1) and a type (4).
    """
    at = 0
    while at + 8 <= len(encoded):
        size = int.from_bytes(encoded[at : at + 4], "big")
        if size == 1:
            size = int.from_bytes(encoded[at + 8 : at + 16], "big")
        if size == 0:  # the last box reaches to the end
            return True
        at += max(size, 8)
    return at <= len(encoded)
