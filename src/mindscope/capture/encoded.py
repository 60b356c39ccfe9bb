# SPDX-License-Identifier: Apache-2.0
"""Encoded values and records in several buffers: a large array is written from where it is, without another copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.protobuf_fields import field_head
from mindscope.formats.frames import crc32c, frame_footer, frame_header

LARGE_BYTES = 4 << 20
"""Size from which an event holds only one value, in buffers of its own."""

Buffer = bytes | memoryview
Encoded = bytes | tuple[Buffer, ...]
"""``Summary.value`` fields, or any part of a message: bytes, or buffers that are written one after the other."""


def size_of(encoded: Encoded) -> int:
    """Return the size in bytes."""
    return len(encoded) if isinstance(encoded, bytes) else sum(map(len, encoded))


def as_buffers(encoded: Encoded) -> tuple[Buffer, ...]:
    """Return the buffers in their order."""
    return (encoded,) if isinstance(encoded, bytes) else encoded


def as_bytes(encoded: Encoded) -> bytes:
    """Return all of it in one piece, which is a copy for buffers."""
    return encoded if isinstance(encoded, bytes) else b"".join(encoded)


def joined(*parts: Encoded) -> Encoded:
    """Return ``parts``, one after the other: in one piece unless they are large."""
    buffers = tuple(buffer for part in parts for buffer in as_buffers(part))
    return b"".join(buffers) if size_of(buffers) < LARGE_BYTES else buffers


def array_bytes(array: NDArray[np.generic]) -> memoryview:
    """Return the memory of a C-ordered array; little-endian on all platforms of the compiled modules."""
    flat: Any = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return memoryview(flat)


def nested(number: int, *parts: Encoded) -> tuple[Buffer, ...]:
    """Return ``parts``, one after the other, as the message or bytes field ``number`` of an outer message."""
    return (field_head(number, sum(map(size_of, parts))), *(buffer for part in parts for buffer in as_buffers(part)))


@dataclass(frozen=True, slots=True)
class LargeRecord:
    """The record of an event with one large value. ``len`` is its size in the file."""

    buffers: tuple[Buffer, ...]

    def __len__(self) -> int:
        return size_of(self.buffers)


def large_record(*payload: Encoded) -> LargeRecord:
    """Return the record of a payload in parts."""
    buffers = tuple(buffer for part in payload for buffer in as_buffers(part))
    checksum = 0
    for buffer in buffers:
        checksum = crc32c(buffer, before=checksum)
    return LargeRecord((frame_header(size_of(buffers)), *buffers, frame_footer(checksum)))
