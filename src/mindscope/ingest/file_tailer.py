# SPDX-License-Identifier: Apache-2.0
"""Reads the new data of one event file."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable
from dataclasses import astuple, replace
from io import FileIO

from mindscope.archive.mounts import open_file
from mindscope.archive.range_file import RangeFile
from mindscope.formats.frames import FrameReader
from mindscope.formats.scan import Purge, Scanned
from mindscope.formats.time_range import TimeRange
from mindscope.ingest.file_identity import ContentFingerprint, FileStat, Span
from mindscope.ingest.file_segment import BUFFER_BYTES, FileSegment
from mindscope.ingest.parallel_read import read_parallel
from mindscope.ingest.read_buffers import ReadBufferPool
from mindscope.ingest.rewriting import SpanChoice, changed_spans, has_grown
from mindscope.ingest.tailer import BUDGET_BYTES
from mindscope.reasons import Reason, damage_reason, os_reason, unforeseen_reason
from mindscope.store import FileFacts, RunStore
from mindscope.store.cache_codec import Json, damage_from_json, damage_to_json
from mindscope.store.chunk import ChunkDamagedError
from mindscope.types import Damage, DamageKind, Kind, Undecodable

log = logging.getLogger(__name__)

CLOCK_TICK_NS = 20_000_000
"""A file that changed this recently may change again without another time in its stat."""


def new_buffer_pool() -> ReadBufferPool:
    """Return buffer pool for ``FileTailer.read``; share one between all files."""
    return ReadBufferPool(BUFFER_BYTES)


class FileTailer:
    """Reads one event file into a store, each time from its last position.

    An incomplete record at the end is not an error. If the file became shorter, or the bytes before the position
    changed, it notes damage and reads the file again from the start. If only damaged bytes changed, for example because
    a download filled them, it reads again without a note. If the file can't be opened, it notes that and retries at the
    next read.
    """

    def __init__(self, facts: FileFacts, store: RunStore, kinds: dict[str, Kind], saved: Json = None) -> None:
        """``facts`` name the file; ``saved`` is the result of ``to_json`` from when ``store`` was saved."""
        self.scanned_bytes = 0  # total bytes that this object read from the file
        self.has_more = False  # the last read used up its budget
        self._was_read = False  # this object has read the file at least once
        self._kinds = kinds  # shared by the files of a run: TensorBoard names a tag's kind in its first event only
        self._store = store
        self._facts = facts
        self._last_stat: FileStat | None = None  # None: open the file regardless of stat, and compare all that was read
        self._is_due = False  # open the file at the next read, although its stat is the same
        self._permanent_damages: tuple[Damage, ...] = ()  # damage that stays after a restart
        self._span_choice = SpanChoice()
        self._replaced: Reason | None = None  # why the last read found other intact bytes than before
        self.needs_restart = False
        """Whether the last read found other bytes than before. See ``restart_rewritten``."""
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

    def restart_rewritten(self) -> None:
        """Restart as ``restart``, and mark the file as replaced permanently if intact bytes of it changed."""
        reason, damages = self._replaced, self._permanent_damages
        self.restart()
        replaced = () if reason is None else (Damage(self._facts.name, 0, DamageKind.SHRUNK, reason, 0),)
        self._permanent_damages = replaced or damages

    def to_json(self) -> Json:
        """Return the reading progress. The store must be saved together with it."""
        return {
            "ordinal": self.ordinal,
            "path": self._facts.path,
            "seen": None if self._last_stat is None else astuple(self._last_stat),
            "due": self._is_open_due,
            "position": self._reader.position,
            "head": self._fingerprint.head.hex(),
            "anchor": self._fingerprint.tail.hex(),
            "spans": [[span.stop, span.digest, span.is_damaged] for span in self._fingerprint.spans],
            "damages": [damage_to_json(damage) for damage in self._reader.damages],
            "undecodable": [damage_to_json(damage) for damage in self._undecodable],
            "lasting": [damage_to_json(damage) for damage in self._permanent_damages],
        }

    def _restore(self, saved: Json) -> None:
        self._facts = self._store.file(self.ordinal)
        self._last_stat = None if saved["seen"] is None else FileStat(*saved["seen"])
        damages = [damage_from_json(damage) for damage in saved["damages"]]
        self._reader = FrameReader(self._facts.name, saved["position"], damages)
        head, tail = bytes.fromhex(saved["head"]), bytes.fromhex(saved["anchor"])
        starts = [0, *(stop for stop, *_ in saved["spans"])]
        spans = (Span(start, *span) for start, span in zip(starts, saved["spans"], strict=False))
        self._fingerprint = ContentFingerprint(0, head, tail, spans)
        self._is_due = saved["due"]
        self._undecodable = [damage_from_json(damage) for damage in saved["undecodable"]]
        self._permanent_damages = tuple(damage_from_json(damage) for damage in saved["lasting"])

    def is_due(self, stat: os.stat_result) -> bool:
        """Return whether to read the file if it has this stat."""
        return self._is_open_due or FileStat.of(stat) != self._last_stat

    @property
    def _is_open_due(self) -> bool:
        """Whether the next read opens the file although its stat is the same."""
        return self.has_more or self._is_due or self._last_stat is None

    def read(self, buffer_pool: ReadBufferPool, budget_bytes: int = BUDGET_BYTES) -> bool:
        """Read new data; returns whether the store changed. Reads nothing if it then ``needs_restart``."""
        version, self.needs_restart, self._replaced = self._store.version, False, None
        is_due, self.has_more = self._is_open_due, False  # a failing file must not be retried at once
        try:
            stat = FileStat.of(os.stat(self._facts.path))  # noqa: PTH116 (ten thousand times)
            if stat != self._last_stat or is_due:
                before, self._last_stat = self._last_stat, stat  # after an error, retry only when the file changes
                with open_file(self._facts.path) as file:
                    self._last_stat = self._read_open(file, before, buffer_pool, budget_bytes)
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

    def _read_open(
        self, file: FileIO, before: FileStat | None, buffer_pool: ReadBufferPool, budget_bytes: int
    ) -> FileStat | None:
        """Read on after a stat ``before``; returns the one of now, None if the file ``needs_restart``."""
        is_range = isinstance(file, RangeFile)  # in an archive: the file at the path has its size and time
        stat = FileStat.of(os.stat(self._facts.path) if is_range else os.fstat(file.fileno()))  # noqa: PTH116
        self._compare(file, before, stat)
        if self.needs_restart:
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
        self._undecodable += [self._undecodable_at(each) for each in scanned.undecodable]
        facts = replace(
            known,
            dialect=segment.dialect,
            rewinds=known.rewinds or segment.rewinds,
            purge=_lowest([known.purge, *(purge for purge, _ in scanned.purges)]),
            stopped_at=known.stopped_at if scanned.stopped_at is None else scanned.stopped_at,
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
        """Return the incomplete record at the end of a file that its writer closed: the rest will never arrive."""
        reader = self._reader
        rest = facts.size_bytes - reader.position
        is_at_end = reader.ahead + reader.needed > facts.size_bytes
        is_lost = bool(reader.damages) and reader.damages[-1].resumed_at is None
        if not facts.is_closed or not is_at_end or is_lost or rest == 0:
            return ()
        return (Damage(facts.name, reader.position, DamageKind.TRUNCATED, Reason("record_cut", got=rest)),)

    def _undecodable_at(self, record: Undecodable) -> Damage:
        end = record.offset + record.length
        return Damage(self._facts.name, record.offset, DamageKind.MESSAGE, damage_reason(record.error), end)

    def _mark_unreadable(self, detail: Reason) -> None:
        damage = Damage(self._facts.name, self._reader.position, DamageKind.UNREADABLE, detail)
        self._facts = replace(self._facts, damages=(*self._damages(), damage))
        self._store.update_file(self.ordinal, self._facts)

    def _compare(self, file: FileIO, before: FileStat | None, stat: FileStat) -> None:
        """Compare the file with what was read of it, and go back to before bytes that changed."""
        reader = self._reader
        spans, self._is_due = self._span_choice.choose(self._fingerprint.spans, before, stat, is_due=self._is_due)
        self._is_due |= reader.lost_since is not None and time.time_ns() - stat.changed_ns < CLOCK_TICK_NS
        changed = changed_spans(self._fingerprint, file, spans, stat.size_bytes)
        lost = reader.position if reader.lost_since is None else reader.lost_since.offset
        if any(span.start < lost for span in changed):
            self.needs_restart = True
            if stat.size_bytes < lost:
                self._replaced = Reason("file_shrunk", size=stat.size_bytes, before=reader.position)
            elif not all(span.is_damaged for span in changed):
                self._replaced = Reason("file_exchanged")
        elif changed or (reader.is_resyncing and not (stat == before or has_grown(before, stat))):
            self._go_back(file, lost)  # bytes after the position were searched, but are not in the fingerprint

    def _go_back(self, file: FileIO, position: int) -> None:
        """Read again from ``position``, after which nothing was read but damage."""
        settled = [damage for damage in self._reader.damages if damage.offset < position]
        self._reader = FrameReader(self._facts.name, position, settled)
        self._fingerprint.cut(file, position)


def _lowest(purges: Iterable[Purge | None]) -> Purge | None:
    """Return the purge with the smallest step, the latest of equal ones."""
    return min((purge for purge in purges if purge), key=lambda purge: (purge.step, -purge.wall_time), default=None)
