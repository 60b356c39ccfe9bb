# SPDX-License-Identifier: Apache-2.0
"""Reads records that are too long for memory: their checksum piece by piece, and of their bytes the first and last."""

from __future__ import annotations

from io import FileIO
from typing import NamedTuple

import numpy as np

from mindscope.formats.frames import FRAME_HEADER, crc32c, frame_footer

ENDS_BYTES = 1 << 20
"""Read this many bytes at each end: the messages around a long value begin and end there."""


class LongRecord(NamedTuple):
    """A record without the bytes in its middle."""

    outline: memoryview
    """As long as the record. Its middle is zeros, which take no memory; its checksum is that of these bytes."""
    ending: memoryview
    """The last bytes of the record, and those of the next header if there is one."""
    ending_size: int
    """How many bytes of ``ending`` are of the record."""
    stored: bytes
    """The checksum of the payload that the file holds."""
    computed: bytes
    """The checksum of the payload that was read."""


def read_long_record(file: FileIO, position: int, size: int, buffer: memoryview) -> LongRecord | None:
    """Return the record of ``size`` bytes at ``position``; None if the file ends before it. Overwrites ``buffer``."""
    outline = np.zeros(size, np.uint8).data
    footer = size - len(frame_footer(0))
    head, tail = FRAME_HEADER + ENDS_BYTES, max(footer - ENDS_BYTES, 0)
    checksum, at = 0, 0
    file.seek(position)
    while at < size:
        count = file.readinto(buffer[: size - at])
        if not count:
            return None
        piece, stop = buffer[:count], at + count
        checksum = crc32c(piece[max(FRAME_HEADER - at, 0) : max(footer - at, 0)], before=checksum)
        for start, end in ((at, min(stop, head)), (max(at, tail), stop)):
            if start < end:
                outline[start:end] = piece[start - at : end - at]
        at = stop
    stored = bytes(outline[footer:])
    ending = memoryview(bytes(outline[tail:]) + file.read(FRAME_HEADER))
    outline[footer:] = frame_footer(crc32c(outline[FRAME_HEADER:footer]))
    return LongRecord(outline, ending, size - tail, stored, frame_footer(checksum))
