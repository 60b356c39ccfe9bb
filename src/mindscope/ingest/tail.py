# SPDX-License-Identifier: Apache-2.0
"""One event file: read what grew since the last time."""

from __future__ import annotations

import collections
import os
from dataclasses import astuple, dataclass, replace
from io import FileIO

from mindscope.formats import dialects
from mindscope.formats.extent import Extent
from mindscope.formats.frames import FrameReader
from mindscope.formats.scan import EventScanner, Scanned, ScanRoom
from mindscope.ingest.discover import EventFile
from mindscope.ingest.rooms import ReadRoom, ReadRooms
from mindscope.reasons import Reason, os_reason
from mindscope.store import FileFacts, RunStore
from mindscope.store.saved import Json, damage_from_json, damage_to_json
from mindscope.types import Damage, DamageKind, Kind, Undecodable

CHUNK_BYTES = 512 << 10
"""Read at once, unless a single record is larger: little enough to stay in a core's own cache until it is scanned."""
FEW_RECORDS = 4
"""Large records are read several at a time: the last one, which is cut, is read again."""
BUFFER_BYTES = 8 << 20
"""Room for larger records; what is never used of it takes no memory."""
FIRST_RECORD_BYTES = 4096
"""Looked through for the first record before all that was read is: the first one is short."""
BUDGET_BYTES = 64 << 20
"""Read in one go before other files get their turn."""
ANCHOR_BYTES = 64
"""Kept from the head and from before the position: if they changed, the file was written anew, not appended to."""


def read_rooms() -> ReadRooms:
    """Rooms for ``FileTail.read``, to be shared by all files that are read one after the other or at once."""
    return ReadRooms(BUFFER_BYTES)


@dataclass(frozen=True, slots=True)
class _Identity:
    """What a look at the file says without opening it; equal to the last one means nothing happened."""

    device: int
    inode: int
    size_bytes: int
    modified_ns: int
    mode: int

    @classmethod
    def of(cls, stat: os.stat_result) -> _Identity:
        return cls(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_mode & 0o7777)


class FileTail:
    """Reads one event file into a store, each time from where it stopped.

    A file that ends within a record is complete so far. One that became shorter, or whose bytes before the position
    are others now, is noted as damage and read anew. One that can't be opened is noted, and tried again next time.
    """

    def __init__(self, file: EventFile, store: RunStore, kinds: dict[str, Kind], saved: Json = None) -> None:
        """``saved`` is what ``to_json`` gave for this file when ``store`` was saved."""
        self.scanned_bytes = 0  # read from the file by this object, all in all
        self.has_more = False  # the budget of the last read was used up
        self._is_known = False  # this object has looked into the file
        self._kinds = kinds  # shared by the files of a run: TensorBoard names a tag's kind in its first event only
        self._store = store
        self._facts = FileFacts(file.name, file.path, file.creation_number)
        self._seen: _Identity | None = None  # None: look into the file whatever a stat says
        self._lasting: tuple[Damage, ...] = ()  # damage that a reading anew does not clear
        self._start()
        if saved is None:
            self.ordinal = store.add_file(self._facts)
        else:
            self.ordinal = int(saved["ordinal"])
            self._restore(saved)

    def start_anew(self) -> None:
        """Read the file from its beginning the next time. Its values must have been taken from the store."""
        self._seen = None
        self._lasting = ()
        self.has_more = False
        self._start()

    def to_json(self) -> Json:
        """How far the file was read. All of its values must be in the store that is saved with it."""
        return {
            "ordinal": self.ordinal,
            "path": self._facts.path,
            "seen": None if self._seen is None or self.has_more else astuple(self._seen),
            "position": self._reader.position,
            "head": self._head.hex(),
            "anchor": self._anchor.hex(),
            "damages": [damage_to_json(damage) for damage in self._reader.damages],
            "undecodable": [damage_to_json(damage) for damage in self._undecodable],
            "lasting": [damage_to_json(damage) for damage in self._lasting],
        }

    def _restore(self, saved: Json) -> None:
        self._facts = self._store.file(self.ordinal)
        self._seen = None if saved["seen"] is None else _Identity(*saved["seen"])
        damages = [damage_from_json(damage) for damage in saved["damages"]]
        self._reader = FrameReader(self._facts.name, saved["position"], damages)
        self._head, self._anchor = bytes.fromhex(saved["head"]), bytes.fromhex(saved["anchor"])
        self._undecodable = [damage_from_json(damage) for damage in saved["undecodable"]]
        self._lasting = tuple(damage_from_json(damage) for damage in saved["lasting"])

    def read(self, rooms: ReadRooms, budget_bytes: int = BUDGET_BYTES) -> bool:
        """Read what grew; says whether the store changed."""
        version = self._store.version
        has_more, self.has_more = self.has_more, False  # a file that fails must not be asked for more at once
        try:
            seen = _Identity.of(os.stat(self._facts.path))  # noqa: PTH116 (ten thousand times)
            if seen != self._seen or has_more:
                with FileIO(self._facts.path) as file, rooms.lend(seen.size_bytes) as room:
                    self._seen = self._read_open(file, room, budget_bytes)
        except FileNotFoundError:
            self._seen = None  # gone since it was found; the next discovery removes it
        except OSError as error:
            self._note_unreadable(error)
        return self._store.version != version

    def _start(self) -> None:
        self._reader = FrameReader(self._facts.name)
        self._head = self._anchor = b""
        self._undecodable: list[Damage] = []
        self._facts = FileFacts(self._facts.name, self._facts.path, self._facts.creation_number)

    def _read_open(self, file: FileIO, room: ReadRoom, budget_bytes: int) -> _Identity:
        seen = _Identity.of(os.fstat(file.fileno()))
        if reason := self._reason_to_restart(file, seen.size_bytes):
            self._restart(reason)
        stop = self._reader.position + budget_bytes
        scanner: EventScanner | None = None
        while chunk := self._next_chunk(file, room.buffer, seen.size_bytes) if self._reader.position < stop else b"":
            before = self._reader.position
            scanner = scanner or self._make_scanner(chunk, room.scan)
            if scanner is None:
                collections.deque(self._reader.records(chunk), maxlen=0)  # no whole record in it, but damage perhaps
            else:
                scanner.scan(self._reader, chunk)
            self._move_anchor(chunk, self._reader.position - before)
            if self._reader.position == before and self._reader.needed <= len(chunk):
                break  # never met; a reader that asks for nothing more must not be asked for ever
        self.has_more = self._reader.position >= stop and self._reader.position < seen.size_bytes
        self._take(scanner.take() if scanner else Scanned(), seen)
        return seen

    def _next_chunk(self, file: FileIO, buffer: memoryview, size_bytes: int) -> memoryview:
        """The bytes from the position on; empty when the file does not hold the next record whole."""
        rest, needed = size_bytes - self._reader.position, max(self._reader.needed, 1)
        if rest < needed:
            return buffer[:0]
        if needed > len(buffer):
            buffer = memoryview(bytearray(needed))
        size = min(rest, max(FEW_RECORDS * needed, CHUNK_BYTES))
        chunk = buffer[: _read_into(file, self._reader.position, buffer[:size])]
        self.scanned_bytes += len(chunk)
        return chunk if len(chunk) >= needed else chunk[:0]  # cut meanwhile: seen at the next read

    def _make_scanner(self, chunk: memoryview, room: ScanRoom) -> EventScanner | None:
        """The first intact record tells the dialect; None while there is none."""
        if self._facts.dialect is not None:
            return EventScanner(self._facts.dialect, self._kinds, room)
        name = self._facts.name
        heads = (chunk[:FIRST_RECORD_BYTES], chunk)
        first = next((record for head in heads for record in FrameReader(name).records(head)), None)
        if first is None:
            return None
        dialect = dialects.detect(name, first[1])
        self._facts = replace(self._facts, dialect=dialect)
        return EventScanner(dialect, self._kinds, room)

    def _take(self, scanned: Scanned, seen: _Identity) -> None:
        known = self._facts
        extent = Extent.union([Extent(known.first_wall_time, known.last_wall_time, known.last_step), scanned.extent])
        self._undecodable += [self._undecodable_at(place) for place in scanned.undecodable]
        self._facts = replace(
            known,
            size_bytes=seen.size_bytes,
            mode=seen.mode,
            modified_at=seen.modified_ns / 1e9,
            read_bytes=self._reader.position,
            records=known.records + scanned.records,
            first_wall_time=extent.first_wall_time,
            last_wall_time=extent.last_wall_time,
            last_step=extent.last_step,
            damages=self._damages(),
            has_grown=known.has_grown or (self._is_known and seen.size_bytes > known.size_bytes),
        )
        self._is_known = True
        if scanned.scalars or scanned.references:
            self._store.append(self.ordinal, scanned, self._facts)
        else:
            self._store.update_file(self.ordinal, self._facts)

    def _damages(self) -> tuple[Damage, ...]:
        met = sorted([*self._undecodable, *self._reader.damages], key=lambda damage: damage.offset)
        return (*self._lasting, *met)

    def _undecodable_at(self, place: Undecodable) -> Damage:
        end = place.offset + place.length
        detail = Reason("damaged_message", detail=str(place.error))
        return Damage(self._facts.name, place.offset, DamageKind.MESSAGE, detail, end)

    def _note_unreadable(self, error: OSError) -> None:
        self._seen = None
        detail = Reason("file_not_readable", **os_reason(error))
        damage = Damage(self._facts.name, self._reader.position, DamageKind.UNREADABLE, detail)
        self._facts = replace(self._facts, damages=(*self._damages(), damage))
        self._store.update_file(self.ordinal, self._facts)

    def _reason_to_restart(self, file: FileIO, size_bytes: int) -> Reason | None:
        position = self._reader.position
        if size_bytes < position:
            return Reason("file_shrunk", size=size_bytes, before=position)
        for start, want in ((0, self._head), (position - len(self._anchor), self._anchor)):
            file.seek(start)
            if file.read(len(want)) != want:
                return Reason("file_exchanged")
        return None

    def _restart(self, reason: Reason) -> None:
        self._lasting = (Damage(self._facts.name, 0, DamageKind.SHRUNK, reason, 0),)
        self._store.forget_values(self.ordinal)
        self._start()

    def _move_anchor(self, chunk: memoryview, consumed: int) -> None:
        self._head += bytes(chunk[: min(consumed, ANCHOR_BYTES - len(self._head))])
        self._anchor = (self._anchor + bytes(chunk[max(consumed - ANCHOR_BYTES, 0) : consumed]))[-ANCHOR_BYTES:]


def _read_into(file: FileIO, position: int, buffer: memoryview) -> int:
    """Fill ``buffer`` with what stands at ``position``; returns how many bytes there were."""
    file.seek(position)
    count = 0
    while count < len(buffer) and (got := file.readinto(buffer[count:])):
        count += got
    return count
