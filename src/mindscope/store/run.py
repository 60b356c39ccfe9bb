# SPDX-License-Identifier: Apache-2.0
"""All that is known of one run."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from mindscope.formats.scan import Scanned
from mindscope.store.cache_codec import CachedStore
from mindscope.store.chunk import Chunk
from mindscope.store.column_cache import ColumnCache
from mindscope.store.contents import Content
from mindscope.store.file_facts import CLOSABLE, FileFacts, readable
from mindscope.store.file_ranks import FileRanks
from mindscope.store.series import ReferenceSeries, ScalarSeries
from mindscope.store.series_table import DROPPED_TAG, SeriesKey, SeriesTable
from mindscope.store.store_lock import StoreLock
from mindscope.types import Damage, DialectName, Kind

__all__ = ["DROPPED_TAG", "RunState", "RunStore", "SeriesKey"]

ROW_BYTES = 32
"""That a row takes in memory at the most."""

RunState = Literal["live", "finished", "idle", "empty"]


class RunStore:
    """Series, files and damages of a run. One thread appends, any number read; what readers hold never changes.

    ``id`` is the path below the base directory with ``/``, "." for the base itself; ``path`` is the directory.
    """

    def __init__(self, id: str, path: Path, column_cache: ColumnCache | None = None) -> None:
        self.id = id
        self.path = path
        self.store_lock = StoreLock(column_cache)
        self.lock = self.store_lock.lock
        self.version = 0  # grows with every change of anything in here; written under the lock
        self.unsaved_rows = 0  # in memory, of all series; written under the lock
        self.unsaved_bytes = 0  # that these take, about; written under the lock
        self.contents: tuple[Content, ...] = ()  # of the directory, beside event files
        self.chunks: tuple[Chunk, ...] = ()  # in which points are sealed, in the order of sealing; see sealing.py
        self._ranks = FileRanks()
        self._files: dict[int, FileFacts] = {}  # by ordinal; an ordinal is never given twice
        self._by_age: tuple[FileFacts, ...] | None = None  # the files sorted; None since one of them changed
        self._ordinals = 0
        self._series = SeriesTable(self.store_lock, self._ranks)

    def restore(self, saved: CachedStore) -> None:
        """Be as when ``saved`` was made. The store must be new."""
        with self.lock:
            self._files = dict(saved.files)
            self._ordinals = saved.ordinals
            self.chunks = saved.chunks
            for ordinal, facts in self._files.items():
                self._ranks.add(ordinal, facts.key)
                self._ranks.note(ordinal, facts)
            self._note_change()
            self._series.restore(saved, self.version)

    def to_saved(self) -> CachedStore:
        """All but the points, which must be sealed. Raises ChunkDamagedError."""
        with self.lock:
            return CachedStore(
                files=dict(self._files),
                ordinals=self._ordinals,
                tag_counts=self.tag_counts(),
                dropped=self._series.count_dropped(),
                chunks=self.chunks,
                series=self._series.to_json(self.chunks),
            )

    @property
    def name(self) -> str:
        """What a person calls the run: its id, or the directory's name for the base itself."""
        return readable(self.path.name) if self.id == "." else self.id

    def set_contents(self, contents: tuple[Content, ...]) -> bool:
        """Note what the directory holds beside event files; says whether it is other than before."""
        with self.lock:
            is_other = contents != self.contents
            if is_other:
                self.contents = contents
                self._note_change()
            return is_other

    def add_file(self, facts: FileFacts) -> int:
        """Take in a file that has not been read yet; returns its ordinal."""
        with self.lock:
            ordinal = self._ordinals
            self._ordinals += 1
            self._files[ordinal] = facts
            self._ranks.add(ordinal, facts.key)
            self._note_change()
            return ordinal

    def update_file(self, ordinal: int, facts: FileFacts) -> None:
        """Replace what is known of a file; the name and the creation number stay."""
        with self.lock:
            if self._files[ordinal] != facts:
                self._files[ordinal] = facts
                self._ranks.note(ordinal, facts)
                self._note_change()

    def append(self, ordinal: int, scanned: Scanned, facts: FileFacts) -> None:
        """Take in the values of a stretch of a file, and with them what is then known of the file."""
        with self.lock:
            for tag, rows in scanned.scalars.items():
                self.unsaved_rows += self._series.extend((Kind.SCALAR, tag), ordinal, rows)
            for key, places in scanned.references.items():
                self.unsaved_rows += self._series.extend(key, ordinal, places)
            self.unsaved_bytes += scanned.size_bytes
            self._files[ordinal] = facts
            self._ranks.note(ordinal, facts)
            self._note_change()

    def forget_values(self, ordinals: Collection[int]) -> None:
        """Take back every value of some files, as when they are read again; the files stay listed.

        Raises ChunkDamagedError when the sealed rows of other files can't be had any more.
        """
        with self.lock:
            self._series.forget(ordinals)
            self.unsaved_rows = self._series.unsaved_count
            self.unsaved_bytes = self.unsaved_rows * ROW_BYTES
            self._note_change()

    def clear(self) -> None:
        """Forget all values. Files and series stay those that they are, for whoever holds one."""
        with self.lock:
            self._series.clear()
            self.unsaved_rows = self.unsaved_bytes = 0
            self._note_change()

    def drop_empty_series(self) -> None:
        """Forget tags without a value."""
        with self.lock:
            self._series.drop_empty()

    def remove_files(self, ordinals: Collection[int]) -> None:
        """Forget files that are gone, with their values. Raises ChunkDamagedError, as ``forget_values`` does."""
        with self.lock:
            self.forget_values(ordinals)
            self._ranks.remove(ordinals)
            for ordinal in ordinals:
                del self._files[ordinal]
            self._note_change()

    @property
    def files(self) -> tuple[FileFacts, ...]:
        """The event files from the oldest to the newest."""
        with self.lock:
            if self._by_age is None:
                self._by_age = tuple([self._files[ordinal] for ordinal in self._ranks.ordinals_by_age])
            return self._by_age

    def file(self, ordinal: int) -> FileFacts:
        """What is known of the file that a series calls ``ordinal``. Raises KeyError when the file is gone."""
        with self.lock:
            return self._files[ordinal]

    @property
    def series(self) -> dict[SeriesKey, ScalarSeries | ReferenceSeries]:
        """All series by (kind, tag), as first seen; a snapshot of the table, not of the points."""
        with self.lock:
            return dict(self._series.all)

    def scalars(self, tag: str) -> ScalarSeries | None:
        """The scalar series of a tag, None when there is none."""
        return self._series.scalars(tag)

    def references(self, kind: Kind, tag: str) -> ReferenceSeries | None:
        """The series of a tag of another kind than scalar, None when there is none."""
        return self._series.references(kind, tag)

    def tags(self, kind: Kind) -> tuple[str, ...]:
        """Tags of a kind in the order in which they were first seen."""
        return tuple(tag for each, tag in self.series if each is kind)

    def tag_counts(self) -> dict[Kind, int]:
        """Number of tags by kind."""
        return self._series.tag_counts()

    @property
    def damages(self) -> tuple[Damage, ...]:
        """Every place that could not be read, from the oldest file to the newest, by offset."""
        return tuple(damage for facts in self.files for damage in facts.damages)

    @property
    def dropped(self) -> int:
        """How many values the recorder says it had to drop, by its latest count."""
        return self.store_lock.read(self._series.count_dropped)

    @property
    def size_bytes(self) -> int:
        """Size of all event files."""
        return sum(facts.size_bytes for facts in self.files)

    @property
    def dialects(self) -> tuple[DialectName, ...]:
        """Dialects of the files, each once, the oldest first."""
        return tuple(dict.fromkeys(facts.dialect for facts in self.files if facts.dialect is not None))

    @property
    def first_wall_time(self) -> float | None:
        return min((facts.first_wall_time for facts in self.files if facts.first_wall_time is not None), default=None)

    @property
    def last_wall_time(self) -> float | None:
        return max((facts.last_wall_time for facts in self.files if facts.last_wall_time is not None), default=None)

    @property
    def last_step(self) -> int | None:
        """The step to which the newest file with steps has come."""
        return next((facts.last_step for facts in reversed(self.files) if facts.last_step is not None), None)

    def state(self, now: float) -> RunState:
        """``now`` is in seconds since 1970. A file of mode 0400 was closed by its writer."""
        files = self.files
        if not any(facts.records for facts in files):
            return "empty"
        if _is_finished(files):
            return "finished"
        return "live" if any(facts.is_growing(now) for facts in files) else "idle"

    def may_be_written(self, now: float) -> bool:
        """Whether somebody may have a file open, be it only to copy it: it was changed lately and not closed."""
        files = self.files
        return not _is_finished(files) and any(facts.is_young(now) for facts in files)

    def _note_change(self) -> None:
        self._by_age = None
        self.version += 1


def _is_finished(files: tuple[FileFacts, ...]) -> bool:
    last = next((facts for facts in reversed(files) if facts.dialect in CLOSABLE), None)
    return last is not None and last.is_closed
