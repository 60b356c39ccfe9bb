# SPDX-License-Identifier: Apache-2.0
"""Reads records of the framing that W&B and SwanLab share: LevelDB's log with a head of seven bytes.

Blocks of 32 KiB count from byte 0, the head is in the first one. A record is in one or several pieces, none of which
crosses the end of a block: CRC-32 of type and data, length, type. A block ends in padding if a piece has no room.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from mindscope.errors import FormatError
from mindscope.reasons import Reason

BLOCK = 1 << 15
HEAD = struct.Struct("<4sHB")
_PIECE = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4


class Record(NamedTuple):
    """The payload of a record, and the bytes of the file that it takes."""

    payload: bytes
    start: int
    stop: int


class DamagedPiece(NamedTuple):
    """Bytes of a file without an intact record."""

    start: int
    stop: int


def records(data: bytes, position: int, *, is_end: bool) -> Iterator[Record | DamagedPiece]:
    """Yield the records in ``data``, which begins at byte ``position`` of the file, and what is damaged.

    A record that is cut at the end is left for the next call. After damage, the next block begins anew.

    Args:
        data: whole pieces, from the beginning of a record on.
        position: the byte of the file where ``data`` begins.
        is_end: whether the file ends here.
    """
    at, end = position, position + len(data)
    start, parts = at, list[bytes]()
    while True:
        room = BLOCK - at % BLOCK
        if room < _PIECE.size:
            at += room
            room = BLOCK
        if not parts:
            start = at
        if at + _PIECE.size > end:
            return
        checksum, length, kind = _PIECE.unpack_from(data, at - position)
        stop = at + _PIECE.size + length
        is_sound = _PIECE.size + length <= room and _FULL <= kind <= _LAST and (kind in (_FULL, _FIRST)) == (not parts)
        if is_sound and stop > end:
            return
        body = data[at - position + _PIECE.size : stop - position] if is_sound else b""
        if not is_sound or zlib.crc32(body, zlib.crc32(bytes((kind,)))) != checksum:
            skipped = at - at % BLOCK + BLOCK
            if skipped > end and not is_end:
                return
            yield DamagedPiece(start, min(skipped, end))
            at, parts = skipped, []
            if at >= end:
                return
            continue
        parts.append(body)
        at = stop
        if kind in (_FULL, _LAST):
            yield Record(b"".join(parts), start, stop)
            parts = []


def payload_of(data: bytes, offset: int) -> bytes:
    """Return the payload of the record that ``data`` holds, which begins at byte ``offset`` of its file.

    Raises FormatError if it is another one now.
    """
    for record in records(data, offset, is_end=True):
        if isinstance(record, Record):
            return record.payload
        break
    raise FormatError(Reason("value_malformed", kind="record", why="its bytes are other ones than before"))
