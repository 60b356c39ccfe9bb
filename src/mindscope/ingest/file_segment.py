# SPDX-License-Identifier: Apache-2.0
"""A stretch of one event file, read by portions and scanned into rows."""

from __future__ import annotations

import collections
from io import FileIO

from mindscope.formats import dialects
from mindscope.formats.frames import FRAME_HEADER, UNKNOWN_END, FrameReader
from mindscope.formats.scan import EventScanner, Scanned
from mindscope.ingest.file_identity import ContentFingerprint
from mindscope.ingest.read_buffers import ReadBuffers
from mindscope.types import DialectName, Kind

CHUNK_BYTES = 512 << 10
"""Read at once, unless a single record is larger: little enough to stay in a core's own cache until it is scanned."""
FEW_RECORDS = 4
"""Large records are read several at a time: the last one, which is cut, is read again."""
BUFFER_BYTES = 8 << 20
"""Room for larger records; what is never used of it takes no memory."""
FIRST_RECORD_BYTES = 4096
"""Looked through for the first record before all that was read is: the first one is short."""


class FileSegment:
    """What one thread reads of an open file, from where ``reader`` stands; reader, marks and kinds move with it."""

    def __init__(
        self,
        file: FileIO,
        buffers: ReadBuffers,
        reader: FrameReader,
        fingerprint: ContentFingerprint,
        kinds: dict[str, Kind],
        dialect: DialectName | None = None,
        size_bytes: int = UNKNOWN_END,
    ) -> None:
        """Without a ``dialect`` the first intact record tells it. ``kinds``: see ``EventScanner``.

        ``size_bytes`` is where the file ends; where that is not given, no record is said to reach beyond it.
        """
        self.reader = reader
        self.fingerprint = fingerprint
        self.kinds = kinds
        self.dialect = dialect
        self.rewinds = False  # as the first record says, if this stretch holds it
        self.read_bytes = 0
        self._file = file
        self._size_bytes = size_bytes
        self._buffers = buffers
        self._scanner: EventScanner | None = None  # None until there is something to scan

    def read(self, stop: int, end: int) -> None:
        """Read until the reader is at ``stop`` or behind it, but nothing from byte ``end`` on."""
        self.reader.rewind(self._size_bytes)
        while self.reader.ahead < stop and (chunk := self._next_chunk(end)):
            before, position = self.reader.ahead, self.reader.position
            self._scan(chunk)
            self._update_fingerprint(chunk, before, position)
            if self.reader.ahead == before and self.reader.needed <= len(chunk):
                break  # never met; a reader that asks for nothing more must not be asked for ever

    def _update_fingerprint(self, chunk: memoryview, before: int, position: int) -> None:
        """Have the marks where the reader is. It was at ``position``, and the chunk begins at ``before``."""
        if before == position:
            self.fingerprint.advance(chunk[: self.reader.position - position])
        elif self.reader.position != position:  # it found a record in what it had searched through
            self.fingerprint.move(self._file, self.reader.position)

    def continue_from(self, other: FileSegment) -> None:
        """Be where ``other`` is, which began where this one stopped; what it found it keeps."""
        self.reader.continue_from(other.reader)
        self.fingerprint.continue_from(other.fingerprint)
        self.kinds.update(other.kinds)
        self.read_bytes += other.read_bytes
        self._scanner = None  # it may remember that nothing had told the kind of a tag

    def pop_scanned(self) -> Scanned:
        """What was found since the last call."""
        return self._scanner.take() if self._scanner else Scanned()

    def _next_chunk(self, end: int) -> memoryview:
        """The bytes from the position on; empty when the next record does not stand whole before ``end``."""
        buffer = self._buffers.data
        rest, needed = end - self.reader.ahead, max(self.reader.needed, 1)
        if rest < needed:
            return buffer[:0]
        if needed > len(buffer):
            buffer = memoryview(bytearray(needed))
        size = min(rest, max(FEW_RECORDS * needed, CHUNK_BYTES))
        chunk = buffer[: _read_into(self._file, self.reader.ahead, buffer[:size])]
        self.read_bytes += len(chunk)
        return chunk if len(chunk) >= needed else chunk[:0]  # cut meanwhile: seen at the next read

    def _scan(self, chunk: memoryview) -> None:
        if self._scanner is None:
            if self.dialect is None:
                self._read_first_record(chunk)
            if self.dialect is None:
                # no whole record in it, but damage perhaps
                collections.deque(self.reader.records(chunk, self._size_bytes), maxlen=0)
                return
            self._scanner = EventScanner(self.dialect, self.kinds, self._buffers.scan)
        self._scanner.scan(self.reader, chunk, self._size_bytes)

    def _read_first_record(self, chunk: memoryview) -> None:
        name = self.reader.file
        heads = ((chunk[:FIRST_RECORD_BYTES], UNKNOWN_END), (chunk, self._size_bytes))
        readings = (FrameReader(name, self.reader.ahead).records(head, end) for head, end in heads)
        first = next((record for reading in readings for record in reading), None)
        if first is not None:
            offset, payload = first
            self.dialect = dialects.detect(name, payload)
            self.rewinds = offset == FRAME_HEADER and dialects.rewinds(self.dialect, payload)


def _read_into(file: FileIO, position: int, buffer: memoryview) -> int:
    """Fill ``buffer`` with what stands at ``position``; returns how many bytes there were."""
    file.seek(position)
    count = 0
    while count < len(buffer) and (got := file.readinto(buffer[count:])):
        count += got
    return count
