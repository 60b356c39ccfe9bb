# SPDX-License-Identifier: Apache-2.0
"""Whether a file is still the one that was read: by a look at it from outside, and by bytes of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from io import FileIO

FINGERPRINT_BYTES = 64


@dataclass(frozen=True, slots=True)
class FileStat:
    """What a look at the file says without opening it; equal to the last one means nothing happened."""

    device: int
    inode: int
    size_bytes: int
    modified_ns: int
    mode: int

    @classmethod
    def of(cls, stat: os.stat_result) -> FileStat:
        return cls(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_mode & 0o7777)


class ContentFingerprint:
    """The first bytes of what was read and the last ones: if they changed, the file was written anew."""

    def __init__(self, head: bytes = b"", tail: bytes = b"") -> None:
        self.head = head
        self.tail = tail

    def advance(self, read: memoryview) -> None:
        """Go on behind ``read``, which stands behind all that was passed over before."""
        self.head += bytes(read[: max(FINGERPRINT_BYTES - len(self.head), 0)])
        self.tail = (self.tail + bytes(read[-FINGERPRINT_BYTES:]))[-FINGERPRINT_BYTES:]

    def move(self, file: FileIO, position: int) -> None:
        """Go on at ``position``, of a file in which what is before it was not all passed over. Moves in the file."""
        file.seek(0)
        self.head = file.read(min(FINGERPRINT_BYTES, position))
        file.seek(max(position - FINGERPRINT_BYTES, 0))
        self.tail = file.read(min(FINGERPRINT_BYTES, position))

    def continue_from(self, other: ContentFingerprint) -> None:
        """Pass over what ``other`` has passed over."""
        self.head = (self.head + other.head)[:FINGERPRINT_BYTES]
        self.tail = (self.tail + other.tail)[-FINGERPRINT_BYTES:]

    def match(self, file: FileIO, position: int) -> bool:
        """Whether they still stand where they stood when all before ``position`` was read. Moves in the file."""
        for start, want in ((0, self.head), (position - len(self.tail), self.tail)):
            file.seek(start)
            if file.read(len(want)) != want:
                return False
        return True
