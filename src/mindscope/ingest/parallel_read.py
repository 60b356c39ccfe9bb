# SPDX-License-Identifier: Apache-2.0
"""Reads a long section of one file with several threads; the result equals that of one thread.

The begin of a record is certain only after all records before it are read. So a part begins at bytes that look like a
record. Its result is valid only if reading the section before it ends exactly there and finds no new kind of a tag:
then nothing before it could change its content. One thread reads invalid parts again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import FileIO
from typing import NamedTuple

from mindscope.archive.mounts import open_again
from mindscope.formats.frames import FrameReader, find_record
from mindscope.formats.scan import Scanned
from mindscope.ingest.file_identity import ContentFingerprint
from mindscope.ingest.file_segment import FileSegment
from mindscope.ingest.read_buffers import ReadBufferPool
from mindscope.types import DialectName, Kind

MIN_PART_BYTES = 16 << 20
"""Minimal size of a part: a thread reads fewer bytes almost as fast as it starts."""
SEARCH_BYTES = 64 << 10
"""Search range for the first record of a part; it is cheap compared with the file system's work."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A section for one thread: it reads from ``start`` until it reaches ``stop``, as if the file ended at ``end``."""

    start: int
    stop: int
    end: int
    size_bytes: int
    """Size of the file."""
    kinds: dict[str, Kind]
    """Kinds of tags that were known when the part was made."""

    def read(
        self, name: str, dialect: DialectName | None, whole: FileIO, buffer_pool: ReadBufferPool
    ) -> _PartResult | None:
        """Return the result of the part, or None if the file can't be read or was replaced."""
        try:
            with open_again(whole) as file, buffer_pool.borrow(self.end - self.start) as buffers:
                if not os.path.sameopenfile(file.fileno(), whole.fileno()):
                    return None
                reader, kinds = FrameReader(name, self.start), dict(self.kinds)
                fingerprint = ContentFingerprint(self.start)
                segment = FileSegment(file, buffers, reader, fingerprint, kinds, dialect, self.size_bytes)
                segment.read(self.stop, self.end)
                return _PartResult(segment, segment.pop_scanned())
        except OSError:
            return None

    def follows(self, segment: FileSegment) -> bool:
        """Return whether nothing that ``segment`` read could change the result of this part."""
        reader = segment.reader
        return reader.position == self.start and not reader.is_resyncing and segment.kinds == self.kinds


class _PartResult(NamedTuple):
    segment: FileSegment
    scanned: Scanned


def read_parallel(
    segment: FileSegment, file: FileIO, buffer_pool: ReadBufferPool, stop: int, end: int
) -> Iterator[Scanned]:
    """Read like ``segment.read(stop, end)``, with more threads if processors are idle.

    Yields rows in file order; each time, ``segment`` is positioned after them.
    """
    reader = segment.reader
    if (
        buffer_pool.idle_processors
        and not reader.is_resyncing
        and min(stop, end) - reader.position >= 2 * MIN_PART_BYTES
    ):
        segment.read(reader.position + 1, end)  # defines the dialect, and the kinds of most tags
        parts = _parts(segment, file, buffer_pool.idle_processors, stop, end)
        if parts:
            yield from _read_ahead(segment, parts, file, buffer_pool)
    segment.read(stop, end)
    yield segment.pop_scanned()


def _parts(segment: FileSegment, file: FileIO, most: int, stop: int, end: int) -> list[_Part]:
    """Divide a file into at most ``most`` parts of about equal length; the section before them has the same length."""
    position, last = segment.reader.position, min(stop, end)
    count = min(most + 1, (last - position) // MIN_PART_BYTES)
    offsets = [position + (last - position) * number // count for number in range(1, count)]
    starts = [start for offset in offsets if (start := _find_start(file, offset)) is not None]
    kinds = dict(segment.kinds)
    stops = [(start, start) for start in starts[1:]]
    return [_Part(start, *span, end, kinds) for start, span in zip(starts, [*stops, (stop, end)], strict=False)]


def _find_start(file: FileIO, offset: int) -> int | None:
    file.seek(offset)
    record = find_record(file.read(SEARCH_BYTES))
    return None if record is None else offset + record


def _read_ahead(
    segment: FileSegment, parts: list[_Part], file: FileIO, buffer_pool: ReadBufferPool
) -> Iterator[Scanned]:
    """Yields the rows before the first part, then those of each part, up to the first invalid one."""
    with ThreadPoolExecutor(len(parts), "mindscope-part") as pool:
        readings = [pool.submit(part.read, segment.reader.file, segment.dialect, file, buffer_pool) for part in parts]
        for part, reading in zip(parts, readings, strict=True):
            segment.read(part.start, part.start)
            yield segment.pop_scanned()
            found = reading.result() if part.follows(segment) else None
            if found is None:
                return
            segment.continue_from(found.segment)
            yield found.scanned
