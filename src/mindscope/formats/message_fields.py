# SPDX-License-Identifier: Apache-2.0
"""Finds the fields of an encoded message that is too long to be read as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

ReadAt = Callable[[int, int], bytes]
"""Reads encoded bytes: offset, maximal length."""

_VARINT_BYTES = 10


class FieldPosition(NamedTuple):
    """The position of a field in the encoded bytes."""

    number: int
    key: int
    """Byte offset of its key."""
    start: int
    """Byte offset of its content."""
    end: int


def fields_of(read: ReadAt, start: int, end: int) -> Iterator[FieldPosition]:
    """Yield the fields of a message, without their content; ends early at bytes that break the encoding."""
    at = start
    while at < end:
        head = read(at, 2 * _VARINT_BYTES)
        key, used = _varint(head, 0)
        content = at + used
        width = {0: 0, 1: 8, 5: 4}.get(key & 7)
        if key & 7 == 2:
            width, used = _varint(head, used)
            content = at + used
        elif key & 7 == 0:
            _, after = _varint(head, used)
            width = after - used
        if width is None or used == 0 or content + width > end:
            return
        yield FieldPosition(key >> 3, at, content, content + width)
        at = content + width


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the varint at a byte of ``data``, and the byte after it, which is 0 if the varint is incomplete."""
    value = 0
    for shift, byte in enumerate(data[at : at + _VARINT_BYTES]):
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return value, at + shift + 1
    return 0, 0
