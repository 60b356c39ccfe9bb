# SPDX-License-Identifier: Apache-2.0
"""One event file: read what grew since the last time."""

from __future__ import annotations

import os
from dataclasses import astuple, replace
from io import FileIO

from mindscope.formats.extent import Extent
from mindscope.formats.frames import FrameReader
from mindscope.formats.scan import Scanned
from mindscope.ingest.discover import EventFile
from mindscope.ingest.identity import Identity, Marks
from mindscope.ingest.parts import read_in_parts
from mindscope.ingest.rooms import ReadRooms
from mindscope.ingest.stretch import BUFFER_BYTES, Stretch
from mindscope.reasons import Reason, damage_reason, os_reason
from mindscope.store import FileFacts, RunStore
from mindscope.store.saved import Json, damage_from_json, damage_to_json
from mindscope.types import Damage, DamageKind, DialectName, Kind, Undecodable

BUDGET_BYTES = 64 << 20
"""Read in one go before other files get their turn."""


def read_rooms() -> ReadRooms:
    """Rooms for ``FileTail.read``, to be shared by all files that are read one after the other or at once."""
    return ReadRooms(BUFFER_BYTES)


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
        self._seen: Identity | None = None  # None: look into the file whatever a stat says
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
            "head": self._marks.head.hex(),
            "anchor": self._marks.tail.hex(),
            "damages": [damage_to_json(damage) for damage in self._reader.damages],
            "undecodable": [damage_to_json(damage) for damage in self._undecodable],
            "lasting": [damage_to_json(damage) for damage in self._lasting],
        }

    def _restore(self, saved: Json) -> None:
        self._facts = self._store.file(self.ordinal)
        self._seen = None if saved["seen"] is None else Identity(*saved["seen"])
        damages = [damage_from_json(damage) for damage in saved["damages"]]
        self._reader = FrameReader(self._facts.name, saved["position"], damages)
        self._marks = Marks(bytes.fromhex(saved["head"]), bytes.fromhex(saved["anchor"]))
        self._undecodable = [damage_from_json(damage) for damage in saved["undecodable"]]
        self._lasting = tuple(damage_from_json(damage) for damage in saved["lasting"])

    def read(self, rooms: ReadRooms, budget_bytes: int = BUDGET_BYTES) -> bool:
        """Read what grew; says whether the store changed."""
        version = self._store.version
        has_more, self.has_more = self.has_more, False  # a file that fails must not be asked for more at once
        try:
            seen = Identity.of(os.stat(self._facts.path))  # noqa: PTH116 (ten thousand times)
            if seen != self._seen or has_more:
                with FileIO(self._facts.path) as file:
                    self._seen = self._read_open(file, rooms, budget_bytes)
        except FileNotFoundError:
            self._seen = None  # gone since it was found; the next discovery removes it
        except OSError as error:
            self._note_unreadable(error)
        return self._store.version != version

    def _start(self) -> None:
        self._reader = FrameReader(self._facts.name)
        self._marks = Marks()
        self._undecodable: list[Damage] = []
        self._facts = FileFacts(self._facts.name, self._facts.path, self._facts.creation_number)

    def _read_open(self, file: FileIO, rooms: ReadRooms, budget_bytes: int) -> Identity:
        seen = Identity.of(os.fstat(file.fileno()))
        if reason := self._reason_to_restart(file, seen.size_bytes):
            self._restart(reason)
        stop = self._reader.position + budget_bytes
        with rooms.lend(seen.size_bytes) as room:
            stretch = Stretch(file, room, self._reader, self._marks, self._kinds, self._facts.dialect)
            try:
                for scanned in read_in_parts(stretch, file, rooms, stop, seen.size_bytes):
                    self._take(scanned, stretch.dialect, seen)
            except OSError:
                self._take(stretch.take(), stretch.dialect, seen)  # the reader is behind what was found so far
                raise
        self.scanned_bytes += stretch.read_bytes
        self.has_more = self._reader.position >= stop and self._reader.position < seen.size_bytes
        return seen

    def _take(self, scanned: Scanned, dialect: DialectName | None, seen: Identity) -> None:
        known = self._facts
        extent = Extent.union([Extent(known.first_wall_time, known.last_wall_time, known.last_step), scanned.extent])
        self._undecodable += [self._undecodable_at(place) for place in scanned.undecodable]
        self._facts = replace(
            known,
            dialect=dialect,
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
        return Damage(self._facts.name, place.offset, DamageKind.MESSAGE, damage_reason(place.error), end)

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
        if not self._marks.are_in(file, position):
            return Reason("file_exchanged")
        return None

    def _restart(self, reason: Reason) -> None:
        self._lasting = (Damage(self._facts.name, 0, DamageKind.SHRUNK, reason, 0),)
        self._store.forget_values(self.ordinal)
        self._start()
