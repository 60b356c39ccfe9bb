# SPDX-License-Identifier: Apache-2.0
"""A long stretch of one file, read by several threads at once to the same end as by one.

Where a record begins is known only once all before it are read. So a part begins where something looks like a record,
and it counts only if the reading of what stands before it ends right there and learns no kind of a tag: then nothing
before it could have changed what the part holds. What does not count is read again by the one thread.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import FileIO
from typing import NamedTuple

from mindscope.formats.frames import FrameReader, find_record
from mindscope.formats.scan import Scanned
from mindscope.ingest.file_identity import ContentFingerprint
from mindscope.ingest.file_segment import FileSegment
from mindscope.ingest.read_buffers import ReadBufferPool
from mindscope.types import DialectName, Kind

MIN_PART_BYTES = 16 << 20
"""That a part has: fewer are read almost as soon as a thread has begun."""
SEARCH_BYTES = 64 << 10
"""Looked through for a record to begin at; longer ones take little work beside that of the file system."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What a thread reads from ``start`` until it is at ``stop`` or behind it, as if the file ended at ``end``."""

    start: int
    stop: int
    end: int
    size_bytes: int
    """Where the file ends."""
    kinds: dict[str, Kind]
    """That were known when it was begun."""

    def read(
        self, name: str, dialect: DialectName | None, whole: FileIO, buffer_pool: ReadBufferPool
    ) -> _PartResult | None:
        """None when the file can't be read, or is another one by now."""
        try:
            with FileIO(whole.name) as file, buffer_pool.borrow(self.end - self.start) as buffers:
                if not os.path.sameopenfile(file.fileno(), whole.fileno()):
                    return None
                reader, kinds = FrameReader(name, self.start), dict(self.kinds)
                segment = FileSegment(file, buffers, reader, ContentFingerprint(), kinds, dialect, self.size_bytes)
                segment.read(self.stop, self.end)
                return _PartResult(segment, segment.pop_scanned())
        except OSError:
            return None

    def follows(self, segment: FileSegment) -> bool:
        """Whether nothing that ``segment`` has read could change what is found here."""
        reader = segment.reader
        return reader.position == self.start and not reader.is_resyncing and segment.kinds == self.kinds


class _PartResult(NamedTuple):
    segment: FileSegment
    scanned: Scanned


def read_parallel(
    segment: FileSegment, file: FileIO, buffer_pool: ReadBufferPool, stop: int, end: int
) -> Iterator[Scanned]:
    """Read as ``segment.read(stop, end)`` does, helped by other threads while processors are idle.

    Yields what was found, in the order of the file, each time with ``segment`` behind it.
    """
    reader = segment.reader
    if (
        buffer_pool.idle_processors
        and not reader.is_resyncing
        and min(stop, end) - reader.position >= 2 * MIN_PART_BYTES
    ):
        segment.read(reader.position + 1, end)  # tells the dialect, and the kinds of most tags
        parts = _parts(segment, file, buffer_pool.idle_processors, stop, end)
        if parts:
            yield from _read_ahead(segment, parts, file, buffer_pool)
    segment.read(stop, end)
    yield segment.pop_scanned()


def _parts(segment: FileSegment, file: FileIO, most: int, stop: int, end: int) -> list[_Part]:
    """At most so many of about equal length; what stands before them is as long."""
    position, last = segment.reader.position, min(stop, end)
    count = min(most + 1, (last - position) // MIN_PART_BYTES)
    places = [position + (last - position) * number // count for number in range(1, count)]
    starts = [start for place in places if (start := _find_start(file, place)) is not None]
    kinds = dict(segment.kinds)
    stops = [(start, start) for start in starts[1:]]
    return [_Part(start, *span, end, kinds) for start, span in zip(starts, [*stops, (stop, end)], strict=False)]


def _find_start(file: FileIO, place: int) -> int | None:
    file.seek(place)
    found = find_record(file.read(SEARCH_BYTES))
    return None if found is None else place + found


def _read_ahead(
    segment: FileSegment, parts: list[_Part], file: FileIO, buffer_pool: ReadBufferPool
) -> Iterator[Scanned]:
    """What stands before the first part and then in each, up to one that does not count."""
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
