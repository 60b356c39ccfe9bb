# SPDX-License-Identifier: Apache-2.0
"""Reads the new data of one event file."""

from __future__ import annotations

import logging
import os
from dataclasses import astuple, replace
from io import FileIO

from mindscope.formats.frames import FrameReader
from mindscope.formats.scan import Scanned
from mindscope.formats.time_range import TimeRange
from mindscope.ingest.file_identity import ContentFingerprint, FileStat
from mindscope.ingest.file_segment import BUFFER_BYTES, FileSegment
from mindscope.ingest.parallel_read import read_parallel
from mindscope.ingest.read_buffers import ReadBufferPool
from mindscope.reasons import Reason, damage_reason, os_reason, unforeseen_reason
from mindscope.store import FileFacts, RunStore
from mindscope.store.cache_codec import Json, damage_from_json, damage_to_json
from mindscope.store.chunk import ChunkDamagedError
from mindscope.types import Damage, DamageKind, Kind, Undecodable

log = logging.getLogger(__name__)

BUDGET_BYTES = 64 << 20
"""Bytes to read from one file before other files get a turn."""


def new_buffer_pool() -> ReadBufferPool:
    """Buffer pool for ``FileTailer.read``; share one between all files."""
    return ReadBufferPool(BUFFER_BYTES)


class FileTailer:
    """Reads one event file into a store, each time from its last position.

    An incomplete record at the end is not an error. If the file became shorter, or the bytes before the position
    changed, it notes damage and reads the file again from the start. If the file can't be opened, it notes that and
    retries at the next read.
    """

    def __init__(self, facts: FileFacts, store: RunStore, kinds: dict[str, Kind], saved: Json = None) -> None:
        """``facts`` name the file; ``saved`` is the result of ``to_json`` from when ``store`` was saved."""
        self.scanned_bytes = 0  # total bytes that this object read from the file
        self.has_more = False  # the last read used up its budget
        self._was_read = False  # this object has read the file at least once
        self._kinds = kinds  # shared by the files of a run: TensorBoard names a tag's kind in its first event only
        self._store = store
        self._facts = facts
        self._last_stat: FileStat | None = None  # None: open the file regardless of stat
        self._permanent_damages: tuple[Damage, ...] = ()  # damage that stays after a restart
        self.replaced: Reason | None = None
        """Why the last read found other bytes than before, else None. See ``restart_replaced``."""
        self._start()
        if saved is None:
            self.ordinal = store.add_file(self._facts)
        else:
            self.ordinal = int(saved["ordinal"])
            self._restore(saved)

    def restart(self) -> None:
        """Read the file from its beginning next time. The caller must have removed its values from the store."""
        self._last_stat = None
        self._permanent_damages = ()
        self.has_more = False
        self._start()

    def restart_replaced(self) -> None:
        """Like ``restart``; also marks the file as replaced permanently."""
        reason = self.replaced or Reason("file_exchanged")
        self.restart()
        self._permanent_damages = (Damage(self._facts.name, 0, DamageKind.SHRUNK, reason, 0),)

    def to_json(self) -> Json:
        """The reading progress. The store must be saved together with it."""
        return {
            "ordinal": self.ordinal,
            "path": self._facts.path,
            "seen": None if self._last_stat is None or self.has_more else astuple(self._last_stat),
            "position": self._reader.position,
            "head": self._fingerprint.head.hex(),
            "anchor": self._fingerprint.tail.hex(),
            "damages": [damage_to_json(damage) for damage in self._reader.damages],
            "undecodable": [damage_to_json(damage) for damage in self._undecodable],
            "lasting": [damage_to_json(damage) for damage in self._permanent_damages],
        }

    def _restore(self, saved: Json) -> None:
        self._facts = self._store.file(self.ordinal)
        self._last_stat = None if saved["seen"] is None else FileStat(*saved["seen"])
        damages = [damage_from_json(damage) for damage in saved["damages"]]
        self._reader = FrameReader(self._facts.name, saved["position"], damages)
        self._fingerprint = ContentFingerprint(bytes.fromhex(saved["head"]), bytes.fromhex(saved["anchor"]))
        self._undecodable = [damage_from_json(damage) for damage in saved["undecodable"]]
        self._permanent_damages = tuple(damage_from_json(damage) for damage in saved["lasting"])

    def read(self, buffer_pool: ReadBufferPool, budget_bytes: int = BUDGET_BYTES) -> bool:
        """Read new data; returns whether the store changed. Reads nothing of a file that was ``replaced``."""
        version, self.replaced = self._store.version, None
        has_more, self.has_more = self.has_more, False  # a failing file must not be retried at once
        try:
            stat = FileStat.of(os.stat(self._facts.path))  # noqa: PTH116 (ten thousand times)
            if stat != self._last_stat or has_more:
                self._last_stat = stat  # after an error, retry only when the file changes
                with FileIO(self._facts.path) as file:
                    self._last_stat = self._read_open(file, buffer_pool, budget_bytes)
        except FileNotFoundError:
            self._last_stat = None  # deleted since it was found; the next discovery removes it
        except OSError as error:
            self._last_stat = None  # retry at the next read
            self._mark_unreadable(Reason("file_not_readable", **os_reason(error)))
        except ChunkDamagedError:
            raise  # an error of the cache, not of this file
        except Exception as error:
            log.exception("%s could not be read further than byte %d", self._facts.path, self._reader.position)
            self._mark_unreadable(unforeseen_reason(error))
        return self._store.version != version

    def _start(self) -> None:
        self._reader = FrameReader(self._facts.name)
        self._fingerprint = ContentFingerprint()
        self._undecodable: list[Damage] = []
        self._facts = FileFacts(self._facts.name, self._facts.path, self._facts.creation_number)

    def _read_open(self, file: FileIO, buffer_pool: ReadBufferPool, budget_bytes: int) -> FileStat | None:
        stat = FileStat.of(os.fstat(file.fileno()))
        if reason := self._reason_to_restart(file, stat.size_bytes):
            self.replaced = reason
            return None
        stop = self._reader.ahead + budget_bytes
        with buffer_pool.borrow(stat.size_bytes) as buffers:
            dialect, size = self._facts.dialect, stat.size_bytes
            segment = FileSegment(file, buffers, self._reader, self._fingerprint, self._kinds, dialect, size)
            try:
                for scanned in read_parallel(segment, file, buffer_pool, stop, stat.size_bytes):
                    self._append(scanned, segment, stat)
            except Exception:
                self._append(segment.pop_scanned(), segment, stat)  # the reader is already past these rows
                raise
        self.scanned_bytes += segment.read_bytes
        self.has_more = stop <= self._reader.ahead < stat.size_bytes
        return stat

    def _append(self, scanned: Scanned, segment: FileSegment, stat: FileStat) -> None:
        known = self._facts
        time_range = TimeRange.union(
            [TimeRange(known.first_wall_time, known.last_wall_time, known.last_step), scanned.time_range]
        )
        self._undecodable += [self._undecodable_at(place) for place in scanned.undecodable]
        facts = replace(
            known,
            dialect=segment.dialect,
            rewinds=known.rewinds or segment.rewinds,
            size_bytes=stat.size_bytes,
            mode=stat.mode,
            modified_at=stat.modified_ns / 1e9,
            read_bytes=self._reader.position,
            records=known.records + scanned.records,
            first_wall_time=time_range.first_wall_time,
            last_wall_time=time_range.last_wall_time,
            last_step=time_range.last_step,
            has_grown=known.has_grown or (self._was_read and stat.size_bytes > known.size_bytes),
        )
        self._facts = replace(facts, damages=(*self._damages(), *self._cut_record(facts)))
        self._was_read = True
        if scanned.scalars or scanned.references:
            self._store.append(self.ordinal, scanned, self._facts)
        else:
            self._store.update_file(self.ordinal, self._facts)

    def _damages(self) -> tuple[Damage, ...]:
        met = sorted([*self._undecodable, *self._reader.damages], key=lambda damage: damage.offset)
        return (*self._permanent_damages, *met)

    def _cut_record(self, facts: FileFacts) -> tuple[Damage, ...]:
        """The incomplete record at the end of a file that its writer closed: the rest will never arrive."""
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

    def _mark_unreadable(self, detail: Reason) -> None:
        damage = Damage(self._facts.name, self._reader.position, DamageKind.UNREADABLE, detail)
        self._facts = replace(self._facts, damages=(*self._damages(), damage))
        self._store.update_file(self.ordinal, self._facts)

    def _reason_to_restart(self, file: FileIO, size_bytes: int) -> Reason | None:
        position = self._reader.position
        if size_bytes < position:
            return Reason("file_shrunk", size=size_bytes, before=position)
        if not self._fingerprint.match(file, position):
            return Reason("file_exchanged")
        return None
