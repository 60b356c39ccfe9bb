# SPDX-License-Identifier: Apache-2.0
"""In-memory store of one run."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from mindscope.formats.scan import Scanned
from mindscope.reasons import Reason
from mindscope.store.cache_codec import CachedStore
from mindscope.store.chunk import Chunk
from mindscope.store.column_cache import ColumnCache
from mindscope.store.contents import Content, ContentFacts, ContentKind, SettingsFile
from mindscope.store.file_facts import CLOSABLE, LIVE_S, FileFacts, readable
from mindscope.store.file_ranks import FileRanks
from mindscope.store.series import ReferenceSeries, ScalarSeries
from mindscope.store.series_table import DROPPED_TAG, SeriesKey, SeriesTable
from mindscope.store.store_lock import StoreLock
from mindscope.types import Damage, DialectName, Kind

__all__ = ["DROPPED_TAG", "RunState", "RunStore", "SeriesKey"]

ROW_BYTES = 32
"""Upper limit of the memory per row."""

RunState = Literal["live", "finished", "idle", "empty"]


class RunStore:
    """Series, files and damages of a run. One thread appends, many may read; returned objects never change.

    ``id`` is the path below the base directory with ``/``, "." for the base itself; ``path`` is the directory.
    """

    def __init__(self, id: str, path: Path, column_cache: ColumnCache | None = None) -> None:
        self.id = id
        self.path = path
        self.store_lock = StoreLock(column_cache)
        self.lock = self.store_lock.lock
        self.version = 0  # grows with every change of this store; written under the lock
        self.unsaved_rows = 0  # in memory, of all series; written under the lock
        self.unsaved_bytes = 0  # approximate memory of these rows; written under the lock
        self.contents: tuple[Content, ...] = ()  # of the directory, without event files
        self._content_facts = ContentFacts()
        self.settings: tuple[SettingsFile, ...] = ()  # by precedence; of the directory or of one above
        self.chunks: tuple[Chunk, ...] = ()  # files of sealed points, in the order of sealing; see compaction.py
        self._ranks = FileRanks()
        self._files: dict[int, FileFacts] = {}  # by ordinal; an ordinal is never reused
        self._by_age: tuple[FileFacts, ...] | None = None  # the sorted files; None after a change
        self._ordinals = 0
        self._series = SeriesTable(self.store_lock, self._ranks)

    def restore(self, saved: CachedStore) -> None:
        """Restore the state of ``saved``. The store must be new."""
        with self.lock:
            self._files = dict(saved.files)
            self._ordinals = saved.ordinals
            self.chunks = saved.chunks
            for ordinal, facts in self._files.items():
                self._ranks.add(ordinal, facts.creation_number, facts.name)
                self._ranks.note(ordinal, facts)
            self._note_change()
            self._series.restore(saved, self.version)

    def to_saved(self) -> CachedStore:
        """Return the state without the points, which must be sealed. Raises ChunkDamagedError."""
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
        """Display name of the run: its id, or the directory's name for the base itself.

        A run of another tracker has its name there instead of the last part.
        """
        if given := next((facts.run_name for facts in self.files if facts.run_name), ""):
            above = self.id.rpartition("/")[0]
            return f"{above}/{given}" if above else given
        return readable(self.path.name) if self.id == "." else self.id

    def set_contents(self, contents: tuple[Content, ...], facts: ContentFacts) -> bool:
        """Set the directory's contents other than event files; returns whether they changed."""
        with self.lock:
            is_other = (contents, facts) != (self.contents, self._content_facts)
            if is_other:
                self.contents, self._content_facts = contents, facts
                self._note_change()
            return is_other

    def note_written_contents(self, facts: ContentFacts) -> None:
        """Note that one of the directory's contents was written."""
        with self.lock:
            self._content_facts = facts
            self._note_change()

    def set_settings(self, settings: tuple[SettingsFile, ...]) -> bool:
        """Set the settings files; returns whether they or their states changed."""
        with self.lock:
            is_other = settings != self.settings
            if is_other:
                self.settings = settings
                self._note_change()
            return is_other

    def add_file(self, facts: FileFacts) -> int:
        """Add a file that has not been read yet; returns its ordinal."""
        with self.lock:
            ordinal = self._ordinals
            self._ordinals += 1
            self._files[ordinal] = facts
            self._ranks.add(ordinal, facts.creation_number, facts.name)
            self._note_change()
            return ordinal

    def update_file(self, ordinal: int, facts: FileFacts) -> None:
        """Replace the facts of a file; the name and the creation number must stay the same."""
        with self.lock:
            if self._files[ordinal] != facts:
                self._files[ordinal] = facts
                self._ranks.note(ordinal, facts)
                self._note_change()

    def append(self, ordinal: int, scanned: Scanned, facts: FileFacts) -> None:
        """Append the values of a section of a file, and update the facts of the file."""
        with self.lock:
            counts = self._series.counts_of(ordinal) if scanned.purges else {}
            for tag, rows in scanned.scalars.items():
                self.unsaved_rows += self._series.extend((Kind.SCALAR, tag), ordinal, rows)
            for key, references in scanned.references.items():
                self.unsaved_rows += self._series.extend(key, ordinal, references)
            for purge, before in scanned.purges:
                for key in {**counts, **before}:
                    count = counts.get(key, 0) + before.get(key, 0)
                    self._series.all[key].purge(ordinal, count, purge.step)
            self.unsaved_bytes += scanned.size_bytes
            self._files[ordinal] = facts
            self._ranks.note(ordinal, facts)
            self._note_change()

    def forget_values(self, ordinals: Collection[int]) -> None:
        """Remove all values of some files, for example to read them again; the files stay listed.

        Raises ChunkDamagedError if the sealed rows of other files can't be read.
        """
        with self.lock:
            self._series.forget(ordinals)
            self.unsaved_rows = self._series.unsaved_count
            self.unsaved_bytes = self.unsaved_rows * ROW_BYTES
            self._note_change()

    def clear(self) -> None:
        """Remove all values. Keeps the file and series objects, because readers may hold them."""
        with self.lock:
            self._series.clear()
            self.unsaved_rows = self.unsaved_bytes = 0
            self._note_change()

    def drop_empty_series(self) -> None:
        """Remove tags without values."""
        with self.lock:
            self._series.drop_empty()

    def remove_files(self, ordinals: Collection[int]) -> None:
        """Remove deleted files and their values. Raises ChunkDamagedError like ``forget_values``."""
        with self.lock:
            self.forget_values(ordinals)
            self._ranks.remove(ordinals)
            for ordinal in ordinals:
                del self._files[ordinal]
            self._note_change()

    @property
    def files(self) -> tuple[FileFacts, ...]:
        """The event files, oldest first."""
        with self.lock:
            if self._by_age is None:
                self._by_age = tuple([self._files[ordinal] for ordinal in self._ranks.ordinals_by_age])
            return self._by_age

    def file(self, ordinal: int) -> FileFacts:
        """Return the facts of the file with this ordinal. Raises KeyError if the file is gone."""
        with self.lock:
            return self._files[ordinal]

    @property
    def series(self) -> dict[SeriesKey, ScalarSeries | ReferenceSeries]:
        """All series by (kind, tag), in the order of first occurrence; a snapshot of the table, not of the points."""
        with self.lock:
            return dict(self._series.all)

    def scalars(self, tag: str) -> ScalarSeries | None:
        """Return the scalar series of a tag, None if it has none."""
        return self._series.scalars(tag)

    def references(self, kind: Kind, tag: str) -> ReferenceSeries | None:
        """Return the series of a tag of another kind than scalar, None if there is none."""
        return self._series.references(kind, tag)

    def tags(self, kind: Kind) -> tuple[str, ...]:
        """Return the tags of a kind in the order of first occurrence."""
        return tuple(tag for each, tag in self.series if each is kind)

    def tag_counts(self) -> dict[Kind, int]:
        """Number of tags by kind."""
        return self._series.tag_counts()

    @property
    def damages(self) -> tuple[Damage, ...]:
        """All unreadable sections, by age of the file, then by offset."""
        return tuple(damage for facts in self.files for damage in facts.damages)

    @property
    def dropped(self) -> int:
        """Number of values that the recorder dropped, by its latest count."""
        return self.store_lock.read(self._series.count_dropped)

    @property
    def size_bytes(self) -> int | None:
        """Size of all event files; of a run without event files that of its other contents, None if it is unknown."""
        files = self.files
        return sum(facts.size_bytes for facts in files) if files else self._content_facts.size_bytes

    @property
    def dialects(self) -> tuple[DialectName, ...]:
        """Dialects of the files, each once, the oldest first."""
        return tuple(dict.fromkeys(facts.dialect for facts in self.files if facts.dialect is not None))

    @property
    def notes(self) -> tuple[Reason, ...]:
        """What of the logs of another tracker is not shown as it is there; each once, of the oldest log first."""
        return tuple(dict.fromkeys(note for facts in self.files for note in facts.notes))

    @property
    def first_wall_time(self) -> float | None:
        return min((facts.first_wall_time for facts in self.files if facts.first_wall_time is not None), default=None)

    @property
    def last_wall_time(self) -> float | None:
        return max((facts.last_wall_time for facts in self.files if facts.last_wall_time is not None), default=None)

    @property
    def written_at(self) -> float | None:
        """The last wall time; of a run without event files when its contents were written. Seconds since 1970."""
        return self.last_wall_time if self.files else self._content_facts.modified_at

    @property
    def last_step(self) -> int | None:
        """The highest step of the newest file that has steps."""
        return next((facts.last_step for facts in reversed(self.files) if facts.last_step is not None), None)

    def state(self, now: float) -> RunState:
        """Return the state at ``now``, in seconds since 1970.

        Finished: the newest file is closed, and no other process still writes an older one.
        """
        files = self.files
        if not files and (written_at := self.written_at) is not None:
            is_live = now - written_at <= LIVE_S and any(each.kind is ContentKind.LOG_FILE for each in self.contents)
            return "live" if is_live else "idle"
        if not any(facts.records for facts in files):
            return "empty"
        if closed := _closed_last(files):
            return "live" if _is_written_beside(closed, files, now) else "finished"
        return "live" if any(facts.is_growing(now) for facts in files) else "idle"

    def may_be_written(self, now: float) -> bool:
        """Return whether a process may still write or copy a file of the run.

        One changed lately, and the newest is open, or another process still writes an older one.
        """
        files = self.files
        if closed := _closed_last(files):
            return _is_written_beside(closed, files, now)
        return any(facts.is_young(now) for facts in files)

    def _note_change(self) -> None:
        self._by_age = None
        self.version += 1


def _closed_last(files: tuple[FileFacts, ...]) -> FileFacts | None:
    """Return the newest file among those whose writers say that they close it, if it is closed."""
    says_stop = any(facts.stopped_at is not None for facts in files)
    last = next((facts for facts in reversed(files) if facts.dialect in CLOSABLE or says_stop), None)
    return last if last is not None and last.is_closed else None


def _is_written_beside(closed: FileFacts, files: tuple[FileFacts, ...], now: float) -> bool:
    """Return whether an open file grew after the closed one began; one that a killed process left did not."""
    begun = closed.first_wall_time or 0.0
    return any(facts.is_growing(now) and not facts.is_closed and facts.modified_at > begun for facts in files)
