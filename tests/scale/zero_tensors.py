# SPDX-License-Identifier: Apache-2.0
"""Records of any size that cost no disk and no memory: tensors of zeros, whose bytes are holes of the file."""

from __future__ import annotations

import struct
from pathlib import Path

from mindscope.formats.frames import crc32c, frame

FLOAT32 = 11
MASK = 0xA282EAD8
ZEROS = bytes(1 << 20)


def append_zero_tensor(path: Path, step: int, count: int, tag: str = "weights") -> int:
    """Append the MindSpore record of a float32 tensor of ``count`` zeros; returns its length in bytes."""
    zeros = 4 * count
    head = b"\x08" + _varint(count) + b"\x10" + _varint(FLOAT32) + b"\x1a" + _varint(zeros)
    for number, before in ((8, b"\x0a" + _varint(len(tag)) + tag.encode()), (1, b"")):
        head = before + bytes([number << 3 | 2]) + _varint(len(head) + zeros) + head
    head = (
        b"\x09" + struct.pack("<d", float(step)) + b"\x10" + _varint(step) + b"\x2a" + _varint(len(head) + zeros) + head
    )
    length = len(head) + zeros
    with path.open("ab") as file:
        file.write(_header(length) + head)
        file.truncate(file.tell() + zeros)
    with path.open("ab") as file:
        file.write(_checksum(head, length))
    return length + 16


def _header(length: int) -> bytes:
    eight_bytes = struct.pack("<Q", length)
    return eight_bytes + _masked(crc32c(eight_bytes))


def _checksum(head: bytes, length: int) -> bytes:
    """Of the head and its zeros, which are taken from one block again and again."""
    crc, zeros = crc32c(head), length - len(head)
    for start in range(0, zeros, len(ZEROS)):
        crc = crc32c(ZEROS[: zeros - start], before=crc)
    return _masked(crc)


def _masked(crc: int) -> bytes:
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + MASK) & 0xFFFFFFFF)


def _varint(number: int) -> bytes:
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*digits, number])


assert frame(b"abc") == _header(3) + b"abc" + _checksum(b"abc", 3)
