# SPDX-License-Identifier: Apache-2.0
"""Detects replaced files: by stat, and by the first and last bytes read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from io import FileIO

FINGERPRINT_BYTES = 64


@dataclass(frozen=True, slots=True)
class FileStat:
    """Result of a stat call; equality with the previous one means that the file did not change."""

    device: int
    inode: int
    size_bytes: int
    modified_ns: int
    mode: int

    @classmethod
    def of(cls, stat: os.stat_result) -> FileStat:
        return cls(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_mode & 0o7777)


class ContentFingerprint:
    """The first and the last bytes of the part that was read: if they change, the file was rewritten."""

    def __init__(self, head: bytes = b"", tail: bytes = b"") -> None:
        self.head = head
        self.tail = tail

    def advance(self, read: memoryview) -> None:
        """Add ``read``, which directly follows the bytes added before."""
        self.head += bytes(read[: max(FINGERPRINT_BYTES - len(self.head), 0)])
        self.tail = (self.tail + bytes(read[-FINGERPRINT_BYTES:]))[-FINGERPRINT_BYTES:]

    def move(self, file: FileIO, position: int) -> None:
        """Read the fingerprint for ``position`` from the file, if not all bytes before it were added. Seeks."""
        file.seek(0)
        self.head = file.read(min(FINGERPRINT_BYTES, position))
        file.seek(max(position - FINGERPRINT_BYTES, 0))
        self.tail = file.read(min(FINGERPRINT_BYTES, position))

    def continue_from(self, other: ContentFingerprint) -> None:
        """Add the bytes that ``other`` covers."""
        self.head = (self.head + other.head)[:FINGERPRINT_BYTES]
        self.tail = (self.tail + other.tail)[-FINGERPRINT_BYTES:]

    def match(self, file: FileIO, position: int) -> bool:
        """Whether the file still has these bytes, when all before ``position`` was read. Seeks in the file."""
        for start, want in ((0, self.head), (position - len(self.tail), self.tail)):
            file.seek(start)
            if file.read(len(want)) != want:
                return False
        return True
