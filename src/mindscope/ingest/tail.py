# SPDX-License-Identifier: Apache-2.0
"""One event file: read what grew since the last time."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, TypeVar

from mindscope.errors import FormatError
from mindscope.formats import dialects
from mindscope.formats.frames import FRAME_OVERHEAD, FrameReader
from mindscope.ingest.discover import EventFile
from mindscope.store import Batch, FileFacts, RunStore
from mindscope.types import Damage, DamageKind, DialectName, Kind

T = TypeVar("T", int, float)

CHUNK_BYTES = 4 << 20
"""Read at once, unless a single record is larger."""
BUDGET_BYTES = 64 << 20
"""Read in one go before other files get their turn."""
ANCHOR_BYTES = 64
"""Kept from before the position: if they changed, the file was written anew and not appended to."""
CHECKSUM_BYTES = 4
HEADER_BYTES = FRAME_OVERHEAD - CHECKSUM_BYTES


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

    def __init__(self, file: EventFile, store: RunStore, kinds: dict[str, Kind]) -> None:
        self.has_more = False  # the budget of the last read was used up
        self._kinds = kinds  # shared by the files of a run: TensorBoard names a tag's kind in its first event only
        self._path = Path(file.path)
        self._store = store
        self._facts = FileFacts(file.name, file.path, file.creation_number)
        self.ordinal = store.add_file(self._facts)
        self._seen: _Identity | None = None  # None: look into the file whatever a stat says
        self._lasting: tuple[Damage, ...] = ()  # damage that a reading anew does not clear
        self._start()

    def read(self, budget_bytes: int = BUDGET_BYTES) -> bool:
        """Read what grew; says whether the store changed."""
        version = self._store.version
        try:
            seen = _Identity.of(self._path.stat())
            if seen != self._seen or self.has_more:
                with self._path.open("rb") as file:
                    self._seen = self._read_open(file, budget_bytes)
        except FileNotFoundError:
            self._seen = None  # gone since it was found; the next discovery removes it
        except OSError as error:
            self._note_unreadable(error)
        return self._store.version != version

    def _start(self) -> None:
        self._reader = FrameReader(self._facts.name)
        self._anchor = b""
        self._undecodable: list[Damage] = []
        self._facts = FileFacts(self._facts.name, self._facts.path, self._facts.creation_number)

    def _read_open(self, file: BinaryIO, budget_bytes: int) -> _Identity:
        seen = _Identity.of(os.fstat(file.fileno()))
        if reason := self._reason_to_restart(file, seen.size_bytes):
            self._restart(reason)
        stop = self._reader.position + budget_bytes
        while chunk := self._next_chunk(file, seen.size_bytes) if self._reader.position < stop else b"":
            before = self._reader.position
            batch = self._decode(chunk)
            self._move_anchor(chunk, self._reader.position - before)
            self._take(batch, seen)
            if self._reader.position == before and self._reader.needed <= len(chunk):
                break  # never met; a reader that asks for nothing more must not be asked for ever
        self.has_more = self._reader.position >= stop and self._reader.position < seen.size_bytes
        self._take(Batch(), seen)
        return seen

    def _next_chunk(self, file: BinaryIO, size_bytes: int) -> bytes:
        """The bytes from the position on; empty when the file does not hold the next record whole."""
        rest = size_bytes - self._reader.position
        if rest < max(self._reader.needed, 1):
            return b""
        file.seek(self._reader.position)
        return file.read(min(rest, max(CHUNK_BYTES, self._reader.needed)))

    def _decode(self, chunk: bytes) -> Batch:
        batch = Batch()
        for offset, payload in self._reader.records(chunk):
            dialect = self._facts.dialect or self._detect(payload)
            try:
                batch.add(list(dialects.locate(dialect, payload, offset, self._kinds)))
            except FormatError as error:
                self._note_undecodable(offset, len(payload), error)
            batch.records += 1
        return batch

    def _detect(self, payload: memoryview) -> DialectName:
        dialect = dialects.detect(self._facts.name, payload)
        self._facts = replace(self._facts, dialect=dialect)
        return dialect

    def _take(self, batch: Batch, seen: _Identity) -> None:
        known = self._facts
        self._facts = replace(
            known,
            size_bytes=seen.size_bytes,
            mode=seen.mode,
            modified_at=seen.modified_ns / 1e9,
            read_bytes=self._reader.position,
            records=known.records + batch.records,
            first_wall_time=_least(known.first_wall_time, batch.first_wall_time),
            last_wall_time=_greatest(known.last_wall_time, batch.last_wall_time),
            last_step=_greatest(known.last_step, batch.last_step),
            damages=self._damages(),
        )
        if batch:
            self._store.append(self.ordinal, batch, self._facts)
        else:
            self._store.update_file(self.ordinal, self._facts)

    def _damages(self) -> tuple[Damage, ...]:
        met = sorted([*self._undecodable, *self._reader.damages], key=lambda damage: damage.offset)
        return (*self._lasting, *met)

    def _note_undecodable(self, offset: int, length: int, error: FormatError) -> None:
        start, end = offset - HEADER_BYTES, offset + length + CHECKSUM_BYTES
        self._undecodable.append(Damage(self._facts.name, start, DamageKind.MESSAGE, str(error), end))

    def _note_unreadable(self, error: OSError) -> None:
        self._seen = None
        detail = f"not readable: {error.strerror}; it is tried again at every reload"
        damage = Damage(self._facts.name, self._reader.position, DamageKind.UNREADABLE, detail)
        self._facts = replace(self._facts, damages=(*self._damages(), damage))
        self._store.update_file(self.ordinal, self._facts)

    def _reason_to_restart(self, file: BinaryIO, size_bytes: int) -> str:
        position = self._reader.position
        if size_bytes < position:
            return f"file became shorter: {size_bytes} bytes after {position}"
        file.seek(position - len(self._anchor))
        return "" if file.read(len(self._anchor)) == self._anchor else "file was replaced by another"

    def _restart(self, reason: str) -> None:
        detail = f"{reason}; read anew"
        self._lasting = (Damage(self._facts.name, 0, DamageKind.SHRUNK, detail, 0),)
        self._store.forget_values(self.ordinal)
        self._start()

    def _move_anchor(self, chunk: bytes, consumed: int) -> None:
        self._anchor = (self._anchor + chunk[max(consumed - ANCHOR_BYTES, 0) : consumed])[-ANCHOR_BYTES:]


def _least(one: T | None, other: T | None) -> T | None:
    return min((each for each in (one, other) if each is not None), default=None)


def _greatest(one: T | None, other: T | None) -> T | None:
    return max((each for each in (one, other) if each is not None), default=None)
