# SPDX-License-Identifier: Apache-2.0
"""Detects files that were rewritten: by stat, and by a sampled digest of the bytes that were read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import FileIO
from typing import NamedTuple

import numpy as np

from mindscope.formats.frames import crc32c

FINGERPRINT_BYTES = 64
LINE_BYTES = 64
"""Sample the first word of each line of this many bytes: no run of 72 other bytes stays unseen."""
WORD_BYTES = 8
SPAN_BYTES = 1 << 20
"""Bytes that share one digest. Those of a long file are longer, so that it has at most some thousand."""
SPANS = 1 << 8
READ_BYTES = 1 << 19
"""Read this many bytes at once to check a digest: they stay in a core's cache."""


@dataclass(frozen=True, slots=True)
class FileStat:
    """Result of a stat call; equality with the previous one means that the file did not change.

    ``changed_ns`` (ctime) also differs after a write that restored size and modification time. Device numbers of
    network file systems change with each mount, so they are no part of the identity.
    """

    inode: int
    size_bytes: int
    modified_ns: int
    changed_ns: int
    mode: int

    @classmethod
    def of(cls, stat: os.stat_result) -> FileStat:
        return cls(stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_mode & 0o7777)


class Span(NamedTuple):
    """Bytes ``start`` to ``stop`` of a file, which are damage or intact.

    ``digest`` is the CRC-32C of the sampled words that lie wholly within it; of all bytes if it is damage: a single
    byte may mend a record.
    """

    start: int
    stop: int
    digest: int
    is_damaged: bool = False


class ContentFingerprint:
    """The first and last bytes of a file as they were read, and sampled digests of consecutive spans.

    The first and the last bytes are compared at each read, which is cheap; of the spans, those that may have changed.
    """

    def __init__(self, start: int = 0, head: bytes = b"", tail: bytes = b"", spans: Iterable[Span] = ()) -> None:
        """``start``: byte of the file where the reading begins."""
        self.head = head
        self.tail = tail
        self.spans = list(spans)
        self._start = start

    @property
    def position(self) -> int:
        """The byte after the last one that was added."""
        return self.spans[-1].stop if self.spans else self._start

    def advance(self, read: memoryview, is_damaged: bool = False) -> None:
        """Add ``read``, which directly follows the bytes added before."""
        self.head += bytes(read[: max(FINGERPRINT_BYTES - len(self.head), 0)])
        while read:
            span = self._open_span(is_damaged)
            part = read[: _longest(span.start) - (span.stop - span.start)]
            self.spans[-1] = _extended(span, self.tail, part)
            self.tail = (self.tail + bytes(part[-FINGERPRINT_BYTES:]))[-FINGERPRINT_BYTES:]
            read = read[len(part) :]

    def move(self, file: FileIO, position: int, is_damaged: bool = False) -> None:
        """Add the bytes up to ``position`` from the file. Seeks."""
        for chunk in _chunks(file, self.position, position):
            self.advance(chunk, is_damaged)

    def continue_from(self, other: ContentFingerprint) -> None:
        """Add the bytes that ``other`` covers."""
        self.head = (self.head + other.head)[:FINGERPRINT_BYTES]
        self.tail = (self.tail + other.tail)[-FINGERPRINT_BYTES:]
        self.spans += other.spans

    def cut(self, file: FileIO, position: int) -> None:
        """Forget the bytes from ``position`` on; a span must begin there. Seeks."""
        self.spans = [span for span in self.spans if span.stop <= position]
        self.head = self.head[:position]
        file.seek(max(position - FINGERPRINT_BYTES, 0))
        self.tail = file.read(min(FINGERPRINT_BYTES, position))

    def differing_ends(self, file: FileIO) -> list[int]:
        """Return the positions of those of the first and the last bytes that are other ones in the file now. Seeks."""
        ends = ((0, self.head), (self.position - len(self.tail), self.tail))
        return [position for start, want in ends for position in _differences(file, start, want)]

    def changed(self, file: FileIO, spans: Iterable[Span]) -> list[Span]:
        """Return the ``spans`` that have another digest now. Reads them; seeks in the file."""
        return [span for span in spans if _digest(file, span) != span.digest]

    def _open_span(self, is_damaged: bool) -> Span:
        """Return the span that the next byte belongs to; it is the last one."""
        last = self.spans[-1] if self.spans else None
        if last is None or last.is_damaged != is_damaged or last.stop - last.start >= _longest(last.start):
            self.spans.append(Span(self.position, self.position, 0, is_damaged))
        return self.spans[-1]


def _differences(file: FileIO, start: int, want: bytes) -> list[int]:
    """Return the positions of bytes from ``start`` on that are not ``want``, or beyond the end of the file. Seeks."""
    file.seek(start)
    got = file.read(len(want))
    return [start + number for number, byte in enumerate(want) if got[number : number + 1] != bytes((byte,))]


def _longest(start: int) -> int:
    """Return the limit of bytes of a span that begins at ``start``."""
    return max(SPAN_BYTES, start // SPANS)


def _extended(span: Span, before: bytes, read: memoryview) -> Span:
    """Return ``span`` with the bytes ``read`` after it.

    ``before`` are those before ``read``, at least its last word.
    """
    digest, stop = span.digest, span.stop + len(read)
    if span.is_damaged:
        return Span(span.start, stop, crc32c(read, before=digest), True)
    begun = span.stop % LINE_BYTES
    if 0 < begun < WORD_BYTES and span.stop - begun >= span.start:  # the last word was not complete
        word = before[-begun:] + bytes(read[: WORD_BYTES - begun])
        if len(word) == WORD_BYTES:
            digest = crc32c(word, before=digest)
    at = -span.stop % LINE_BYTES
    count = max(len(read) - at - WORD_BYTES + LINE_BYTES, 0) // LINE_BYTES
    if count:
        words = np.ndarray((count,), np.uint64, read, at, (LINE_BYTES,))
        digest = crc32c(words.tobytes(), before=digest)
    return Span(span.start, stop, digest)


def _digest(file: FileIO, span: Span) -> int | None:
    """Return the digest that ``span`` has now; None if the file ends before it."""
    now, before = span._replace(stop=span.start, digest=0), b""
    for chunk in _chunks(file, span.start, span.stop):
        now, before = _extended(now, before, chunk), (before + bytes(chunk[-WORD_BYTES:]))[-WORD_BYTES:]
    return now.digest if now.stop == span.stop else None


def _chunks(file: FileIO, start: int, stop: int) -> Iterator[memoryview]:
    """Yield the bytes of a file in chunks; fewer if it ends before ``stop``."""
    buffer = memoryview(bytearray(min(READ_BYTES, stop - start)))
    file.seek(start)
    while start < stop and (count := file.readinto(buffer[: stop - start])):
        yield buffer[:count]
        start += count
