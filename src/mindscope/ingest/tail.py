# SPDX-License-Identifier: Apache-2.0
"""One event file: read what grew since the last time."""

from __future__ import annotations

import logging
import os
from dataclasses import astuple, replace
from io import FileIO

from mindscope.formats.extent import Extent
from mindscope.formats.frames import FrameReader
from mindscope.formats.scan import Scanned
from mindscope.ingest.identity import Identity, Marks
from mindscope.ingest.parts import read_in_parts
from mindscope.ingest.rooms import ReadRooms
from mindscope.ingest.stretch import BUFFER_BYTES, Stretch
from mindscope.reasons import Reason, damage_reason, os_reason, unforeseen_reason
from mindscope.store import FileFacts, RunStore
from mindscope.store.chunk import ChunkDamagedError
from mindscope.store.saved import Json, damage_from_json, damage_to_json
from mindscope.types import Damage, DamageKind, Kind, Undecodable

log = logging.getLogger(__name__)

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

    def __init__(self, facts: FileFacts, store: RunStore, kinds: dict[str, Kind], saved: Json = None) -> None:
        """``facts`` name the file; ``saved`` is what ``to_json`` gave for it when ``store`` was saved."""
        self.scanned_bytes = 0  # read from the file by this object, all in all
        self.has_more = False  # the budget of the last read was used up
        self._is_known = False  # this object has looked into the file
        self._kinds = kinds  # shared by the files of a run: TensorBoard names a tag's kind in its first event only
        self._store = store
        self._facts = facts
        self._seen: Identity | None = None  # None: look into the file whatever a stat says
        self._lasting: tuple[Damage, ...] = ()  # damage that a reading anew does not clear
        self.replaced: Reason | None = None
        """Why the last read found other bytes than those of its values; None where it did not. See ``start_over``."""
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

    def start_over(self) -> None:
        """As ``start_anew``, and the file is noted as replaced for good."""
        reason = self.replaced or Reason("file_exchanged")
        self.start_anew()
        self._lasting = (Damage(self._facts.name, 0, DamageKind.SHRUNK, reason, 0),)

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
        """Read what grew; says whether the store changed. Of a file that was ``replaced`` nothing is read."""
        version, self.replaced = self._store.version, None
        has_more, self.has_more = self.has_more, False  # a file that fails must not be asked for more at once
        try:
            seen = Identity.of(os.stat(self._facts.path))  # noqa: PTH116 (ten thousand times)
            if seen != self._seen or has_more:
                self._seen = seen  # a file on which reading fails is tried again when it changes
                with FileIO(self._facts.path) as file:
                    self._seen = self._read_open(file, rooms, budget_bytes)
        except FileNotFoundError:
            self._seen = None  # gone since it was found; the next discovery removes it
        except OSError as error:
            self._seen = None  # tried again at the next look
            self._note_unreadable(Reason("file_not_readable", **os_reason(error)))
        except ChunkDamagedError:
            raise  # of the cache, not of this file
        except Exception as error:
            log.exception("%s could not be read further than byte %d", self._facts.path, self._reader.position)
            self._note_unreadable(unforeseen_reason(error))
        return self._store.version != version

    def _start(self) -> None:
        self._reader = FrameReader(self._facts.name)
        self._marks = Marks()
        self._undecodable: list[Damage] = []
        self._facts = FileFacts(self._facts.name, self._facts.path, self._facts.creation_number)

    def _read_open(self, file: FileIO, rooms: ReadRooms, budget_bytes: int) -> Identity | None:
        seen = Identity.of(os.fstat(file.fileno()))
        if reason := self._reason_to_restart(file, seen.size_bytes):
            self.replaced = reason
            return None
        stop = self._reader.ahead + budget_bytes
        with rooms.lend(seen.size_bytes) as room:
            dialect, size = self._facts.dialect, seen.size_bytes
            stretch = Stretch(file, room, self._reader, self._marks, self._kinds, dialect, size)
            try:
                for scanned in read_in_parts(stretch, file, rooms, stop, seen.size_bytes):
                    self._take(scanned, stretch, seen)
            except Exception:
                self._take(stretch.take(), stretch, seen)  # the reader is behind what was found so far
                raise
        self.scanned_bytes += stretch.read_bytes
        self.has_more = stop <= self._reader.ahead < seen.size_bytes
        return seen

    def _take(self, scanned: Scanned, stretch: Stretch, seen: Identity) -> None:
        known = self._facts
        extent = Extent.union([Extent(known.first_wall_time, known.last_wall_time, known.last_step), scanned.extent])
        self._undecodable += [self._undecodable_at(place) for place in scanned.undecodable]
        facts = replace(
            known,
            dialect=stretch.dialect,
            rewinds=known.rewinds or stretch.rewinds,
            size_bytes=seen.size_bytes,
            mode=seen.mode,
            modified_at=seen.modified_ns / 1e9,
            read_bytes=self._reader.position,
            records=known.records + scanned.records,
            first_wall_time=extent.first_wall_time,
            last_wall_time=extent.last_wall_time,
            last_step=extent.last_step,
            has_grown=known.has_grown or (self._is_known and seen.size_bytes > known.size_bytes),
        )
        self._facts = replace(facts, damages=(*self._damages(), *self._cut_record(facts)))
        self._is_known = True
        if scanned.scalars or scanned.references:
            self._store.append(self.ordinal, scanned, self._facts)
        else:
            self._store.update_file(self.ordinal, self._facts)

    def _damages(self) -> tuple[Damage, ...]:
        met = sorted([*self._undecodable, *self._reader.damages], key=lambda damage: damage.offset)
        return (*self._lasting, *met)

    def _cut_record(self, facts: FileFacts) -> tuple[Damage, ...]:
        """The half-written record at the end of a file that its writer has closed: its rest never comes."""
        reader = self._reader
        rest = facts.size_bytes - reader.position
        is_at_end = reader.ahead + reader.needed > facts.size_bytes
        is_lost = bool(reader.damages) and reader.damages[-1].resumed_at is None
        if not facts.is_closed or not is_at_end or is_lost or rest == 0:
            return ()
        return (Damage(facts.name, reader.position, DamageKind.TRUNCATED, Reason("record_cut", got=rest)),)

    def _undecodable_at(self, place: Undecodable) -> Damage:
        end = place.offset + place.length
        return Damage(self._facts.name, place.offset, DamageKind.MESSAGE, damage_reason(place.error), end)

    def _note_unreadable(self, detail: Reason) -> None:
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
