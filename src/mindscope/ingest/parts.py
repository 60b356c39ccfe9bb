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
from mindscope.ingest.identity import Marks
from mindscope.ingest.rooms import ReadRooms
from mindscope.ingest.stretch import Stretch
from mindscope.types import DialectName, Kind

LEAST_BYTES = 16 << 20
"""That a part has: fewer are read almost as soon as a thread has begun."""
LOOKED_BYTES = 64 << 10
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

    def read(self, name: str, dialect: DialectName | None, whole: FileIO, rooms: ReadRooms) -> _Found | None:
        """None when the file can't be read, or is another one by now."""
        try:
            with FileIO(whole.name) as file, rooms.lend(self.end - self.start) as room:
                if not os.path.sameopenfile(file.fileno(), whole.fileno()):
                    return None
                reader, kinds = FrameReader(name, self.start), dict(self.kinds)
                stretch = Stretch(file, room, reader, Marks(), kinds, dialect, self.size_bytes)
                stretch.read(self.stop, self.end)
                return _Found(stretch, stretch.take())
        except OSError:
            return None

    def follows(self, stretch: Stretch) -> bool:
        """Whether nothing that ``stretch`` has read could change what is found here."""
        reader = stretch.reader
        return reader.position == self.start and not reader.is_resyncing and stretch.kinds == self.kinds


class _Found(NamedTuple):
    stretch: Stretch
    scanned: Scanned


def read_in_parts(stretch: Stretch, file: FileIO, rooms: ReadRooms, stop: int, end: int) -> Iterator[Scanned]:
    """Read as ``stretch.read(stop, end)`` does, helped by other threads while processors are idle.

    Yields what was found, in the order of the file, each time with ``stretch`` behind it.
    """
    reader = stretch.reader
    if rooms.idle and not reader.is_resyncing and min(stop, end) - reader.position >= 2 * LEAST_BYTES:
        stretch.read(reader.position + 1, end)  # tells the dialect, and the kinds of most tags
        parts = _parts(stretch, file, rooms.idle, stop, end)
        if parts:
            yield from _read_ahead(stretch, parts, file, rooms)
    stretch.read(stop, end)
    yield stretch.take()


def _parts(stretch: Stretch, file: FileIO, most: int, stop: int, end: int) -> list[_Part]:
    """At most so many of about equal length; what stands before them is as long."""
    position, last = stretch.reader.position, min(stop, end)
    count = min(most + 1, (last - position) // LEAST_BYTES)
    places = [position + (last - position) * number // count for number in range(1, count)]
    starts = [start for place in places if (start := _find_start(file, place)) is not None]
    kinds = dict(stretch.kinds)
    stops = [(start, start) for start in starts[1:]]
    return [_Part(start, *span, end, kinds) for start, span in zip(starts, [*stops, (stop, end)], strict=False)]


def _find_start(file: FileIO, place: int) -> int | None:
    file.seek(place)
    found = find_record(file.read(LOOKED_BYTES))
    return None if found is None else place + found


def _read_ahead(stretch: Stretch, parts: list[_Part], file: FileIO, rooms: ReadRooms) -> Iterator[Scanned]:
    """What stands before the first part and then in each, up to one that does not count."""
    with ThreadPoolExecutor(len(parts), "mindscope-part") as pool:
        readings = [pool.submit(part.read, stretch.reader.file, stretch.dialect, file, rooms) for part in parts]
        for part, reading in zip(parts, readings, strict=True):
            stretch.read(part.start, part.start)
            yield stretch.take()
            found = reading.result() if part.follows(stretch) else None
            if found is None:
                return
            stretch.go_on(found.stretch)
            yield found.scanned
