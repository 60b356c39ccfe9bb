# SPDX-License-Identifier: Apache-2.0
"""Reads records that are too long for memory: their checksum piece by piece, and of their bytes those of messages."""

from __future__ import annotations

from collections.abc import Iterator
from io import FileIO
from itertools import islice
from typing import NamedTuple

import numpy as np

from mindscope.formats.frames import FRAME_HEADER, FRAME_OVERHEAD, crc32c, frame_footer
from mindscope.formats.message_fields import ReadAt, fields_of

HEAD_BYTES = 1 << 16
"""Read this many bytes of each field: the kind of a value is in them."""
ENDING_BYTES = 1 << 20
"""Read this many bytes at the end of a damaged record: other records may end with it."""
MAX_FIELDS = 1 << 20
MAX_KEPT_BYTES = 128 << 20
"""Limit of the bytes that are kept; the message of a record with more can't be decoded."""
_DEEPEST = 2
"""The fields of an event are 0, the values in its summary 1, and the fields of these values 2."""


class LongRecord(NamedTuple):
    """A record without the bytes of its large values."""

    outline: memoryview
    """Bytes of the length of the record: parts that are not kept are zeros, which take no memory.

    Its checksum is that of these bytes.
    """
    ending: memoryview
    """The last bytes of the record, and those of the next header if there is one."""
    ending_size: int
    """Number of bytes of ``ending`` that belong to the record."""
    stored: bytes
    """The checksum of the payload that the file holds."""
    computed: bytes
    """The checksum of the payload that was read."""


def read_long_record(file: FileIO, position: int, size: int, buffer: memoryview) -> LongRecord | None:
    """Return the record of ``size`` bytes at ``position``; None if the file ends before it. Overwrites ``buffer``."""

    def read(offset: int, count: int) -> bytes:
        file.seek(position + offset)
        return file.read(count)

    footer = size - FRAME_OVERHEAD + FRAME_HEADER
    checksum = _checksum(file, position + FRAME_HEADER, position + footer, buffer)
    tail = max(FRAME_HEADER, size - ENDING_BYTES)
    stored, ending = read(footer, size - footer), read(tail, size - tail + FRAME_HEADER)
    if checksum is None or len(ending) < size - tail:
        return None
    outline = np.zeros(size, np.uint8).data
    kept_bytes = 0
    for start, stop in [(0, FRAME_HEADER), *islice(_structure(read, FRAME_HEADER, footer), MAX_FIELDS)]:
        kept_bytes += stop - start
        if kept_bytes > MAX_KEPT_BYTES:
            break
        piece = read(start, stop - start)
        outline[start : start + len(piece)] = piece
    outline[footer:] = frame_footer(crc32c(outline[FRAME_HEADER:footer]))
    return LongRecord(outline, memoryview(ending), size - tail, stored, frame_footer(checksum))


def _checksum(file: FileIO, start: int, stop: int, buffer: memoryview) -> int | None:
    """Return the CRC-32C of bytes of a file; None if it ends before them. Overwrites ``buffer``."""
    checksum = 0
    file.seek(start)
    while start < stop:
        count = file.readinto(buffer[: stop - start])
        if not count:
            return None
        checksum = crc32c(buffer[:count], before=checksum)
        start += count
    return checksum


def _structure(read: ReadAt, start: int, stop: int, depth: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the bytes, from and to, in which the fields of a message begin."""
    for field in fields_of(read, start, stop):
        yield field.key, min(field.end, field.start + HEAD_BYTES)
        if depth < _DEEPEST and field.end - field.start > HEAD_BYTES:
            yield from _structure(read, field.start, field.end, depth + 1)
