# SPDX-License-Identifier: Apache-2.0
"""Embeds encoded messages in others without decoding them."""

from __future__ import annotations


def bytes_field(number: int, encoded: bytes) -> bytes:
    """Return ``encoded`` as the message, text or bytes field ``number`` of an outer message."""
    return field_head(number, len(encoded)) + encoded


def field_head(number: int, size: int) -> bytes:
    """Return the bytes before the ``size`` bytes of a message, text or bytes field ``number``."""
    return _varint(number << 3 | 2) + _varint(size)


def text_field(number: int, text: str) -> bytes:
    """Return ``text`` as field ``number``; invalid UTF-8 becomes backslash escapes."""
    return bytes_field(number, text.encode("utf-8", "backslashreplace"))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
