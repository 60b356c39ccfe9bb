# SPDX-License-Identifier: Apache-2.0
"""Reads a section of one event file in chunks and scans it into rows."""

from __future__ import annotations

import collections
from io import FileIO

from mindscope.formats import dialects
from mindscope.formats.frames import FRAME_HEADER, LONG_RECORD_BYTES, UNKNOWN_END, FrameReader
from mindscope.formats.scan import EventScanner, Scanned
from mindscope.ingest.file_identity import ContentFingerprint
from mindscope.ingest.long_records import read_long_record
from mindscope.ingest.read_buffers import ReadBuffers
from mindscope.types import DialectName, Kind

CHUNK_BYTES = 512 << 10
"""Chunk size, unless a single record is larger: small enough to stay in a core's cache until it is scanned."""
FEW_RECORDS = 4
"""Large records are read several at a time, because an incomplete last record is read twice."""
BUFFER_BYTES = 8 << 20
"""Buffer for larger records; unused pages take no memory."""
FIRST_RECORD_BYTES = 4096
"""Search this many bytes for the first record before searching the whole chunk: the first record is short."""


class FileSegment:
    """Reads a section of an open file at the reader's position, on one thread; updates reader, fingerprint, kinds."""

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
        """Prepare to read; if ``dialect`` is None, the first intact record defines it. ``kinds``: see ``EventScanner``.

        ``size_bytes`` is the size of the file; without it, no record counts as longer than the file.
        """
        self.reader = reader
        self.fingerprint = fingerprint
        self.kinds = kinds
        self.dialect = dialect
        self.rewinds = False  # set by the first record of the file, if this segment holds it
        self.read_bytes = 0
        self._file = file
        self._size_bytes = size_bytes
        self._buffers = buffers
        self._large = memoryview(b"")  # for records beyond the shared buffer
        self._scanner: EventScanner | None = None  # None until there is something to scan

    def read(self, stop: int, end: int) -> None:
        """Read until the reader reaches ``stop``, but nothing from byte ``end`` on."""
        self.reader.rewind(self._size_bytes)
        while self.reader.ahead < stop and self._read_on(end):
            pass

    def _read_on(self, end: int) -> bool:
        """Read a chunk, or a long record; returns whether there may be more to read."""
        reader, chunk = self.reader, memoryview(b"")
        before, position = reader.ahead, reader.position
        if reader.needed > LONG_RECORD_BYTES and not reader.is_resyncing:
            self._scan_long(end)
        elif chunk := self._next_chunk(end):
            self._scan(chunk)
        self._update_fingerprint(chunk, before, position)
        return reader.ahead != before or 0 < len(chunk) < reader.needed  # False guards against an endless loop

    def _update_fingerprint(self, chunk: memoryview, before: int, position: int) -> None:
        """Move the fingerprint to the reader. The reader was at ``position``, and the chunk begins at ``before``."""
        for start, stop, is_damaged in self.reader.sections_since(position):
            if before == position and stop - position <= len(chunk):
                self.fingerprint.advance(chunk[start - position : stop - position], is_damaged)
            else:  # the reader found a record in bytes that it had searched before, or it was a long one
                self.fingerprint.move(self._file, stop, is_damaged)

    def continue_from(self, other: FileSegment) -> None:
        """Take over the state of ``other``, which began where this one stopped; ``other`` keeps its rows."""
        self.reader.continue_from(other.reader)
        self.fingerprint.continue_from(other.fingerprint)
        self.kinds.update(other.kinds)
        self.read_bytes += other.read_bytes
        self._scanner = None  # it may remember a tag's kind as unknown

    def pop_scanned(self) -> Scanned:
        """Return the rows since the last call."""
        return self._scanner.take() if self._scanner else Scanned()

    def _next_chunk(self, end: int) -> memoryview:
        """Return the bytes from the position on; empty if the next record is not complete before ``end``."""
        buffer = self._buffers.data
        rest, needed = end - self.reader.ahead, max(self.reader.needed, 1)
        if rest < needed:
            return buffer[:0]
        if needed > len(buffer):
            buffer = self._large_buffer(needed)
        size = min(rest, max(FEW_RECORDS * needed, CHUNK_BYTES))
        chunk = buffer[: _read_into(self._file, self.reader.ahead, buffer[:size])]
        self.read_bytes += len(chunk)
        return chunk if len(chunk) >= needed else chunk[:0]  # the file was truncated; the next read handles it

    def _large_buffer(self, needed: int) -> memoryview:
        """Return a buffer that is kept for the next record: fresh memory costs more time than the read."""
        if needed > len(self._large):
            self._large = memoryview(b"")  # never two at once
            self._large = memoryview(bytearray(needed))
        return self._large[:needed]

    def _scan_long(self, end: int) -> None:
        size = self.reader.needed
        if size > end - self.reader.ahead:
            return  # it is not complete before ``end``
        record = read_long_record(self._file, self.reader.ahead, size, self._buffers.data)
        if record is None:
            return  # the file was truncated; the next read handles it
        self.read_bytes += size
        if record.stored == record.computed:
            self._scan(record.outline)
        else:
            self.reader.note_wrong_payload(record.stored, record.computed, record.ending, record.ending_size)

    def _scan(self, chunk: memoryview) -> None:
        if self._scanner is None:
            if self.dialect is None:
                self._read_first_record(chunk)
            if self.dialect is None:
                # no whole record, but there may be damage
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
    """Fill ``buffer`` from ``position``; returns the number of bytes read."""
    file.seek(position)
    count = 0
    while count < len(buffer) and (got := file.readinto(buffer[count:])):
        count += got
    return count
