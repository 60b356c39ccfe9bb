# SPDX-License-Identifier: Apache-2.0
"""Loads one run: all its event files into one store, and the store into the cache."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection
from itertools import takewhile
from threading import RLock
from time import monotonic

from mindscope.ingest.discover import EventFile, FoundRun
from mindscope.ingest.file_tailer import FileTailer, new_buffer_pool
from mindscope.ingest.graphs_and_profiles import content_facts
from mindscope.ingest.read_buffers import ReadBufferPool
from mindscope.ingest.tailer import BUDGET_BYTES, Tailer
from mindscope.ingest.tracker_tailer import TrackerTailer
from mindscope.ingest.unsaved_bytes import UnsavedBytes
from mindscope.store import FileFacts, RunCache, RunStore
from mindscope.store.cache_codec import CachedStore, Json
from mindscope.store.chunk import ChunkDamagedError
from mindscope.store.column_cache import ColumnCache
from mindscope.types import DialectName, Kind

log = logging.getLogger(__name__)

SAVE_ROWS = 1_000_000
"""Save a run after it grew by this many rows."""
SAVE_INTERVAL_S = 60.0
"""Save a growing run at this interval, even if it grows slowly: the next start reads unsaved data again."""


class RunLoader:
    """Keeps a store up to date with the files of a run."""

    def __init__(
        self,
        run: FoundRun,
        buffer_pool: ReadBufferPool | None = None,
        column_cache: ColumnCache | None = None,
        cache: RunCache | None = None,
        unsaved_bytes: UnsavedBytes | None = None,
    ) -> None:
        """Restore the run from ``cache`` if there is one; ``read`` then adds new data.

        Objects shared with other runs are arguments; without them, the run makes its own.
        """
        self.store = RunStore(run.id, run.path, column_cache)
        self.store.set_settings(run.settings)  # before the cache is read: a version after it means unsaved data
        self._buffer_pool = buffer_pool or new_buffer_pool()
        self._cache = cache
        self._unsaved_bytes = unsaved_bytes or UnsavedBytes()
        self._lock = RLock()  # held while files are read; acquire it before the store's lock
        self._kinds: dict[str, Kind] = {}
        self._tailers: dict[str, Tailer] = {}  # by path, the oldest file first
        self._saved_version = -1  # version of the store at the last save; -1 before the first
        self._saved_at = 0.0
        if cache is not None:
            self.store.store_lock.restore = self._rebuild
            found = cache.find(run.id)
            if found is not None:
                self._restore(*found, run)
        self.set_files(run.files)
        self._content_paths = run.content_paths
        self.store.set_contents(run.contents, content_facts(run.content_paths))

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the event files."""
        return tuple(self._tailers)

    @property
    def tracker_logs(self) -> dict[str, str]:
        """Files and directories of logs of other trackers, by the path of the log."""
        return {path: tailer.path for path, tailer in self._tailers.items() if isinstance(tailer, TrackerTailer)}

    @property
    def has_more(self) -> bool:
        """Whether the last read stopped at its budget."""
        return any(tailer.has_more for tailer in self._tailers.values())

    @property
    def scanned_bytes(self) -> int:
        """Number of bytes of the files that this process read; excludes data from the cache."""
        return sum(tailer.scanned_bytes for tailer in self._tailers.values())

    def set_files(self, files: tuple[EventFile, ...]) -> bool:
        """Add new files and remove deleted ones; returns whether there were any."""
        with self._lock:
            found = {file.path: file for file in files}
            gone = [path for path in self._tailers if path not in found]
            if gone:
                self._remove({self._tailers.pop(path).ordinal for path in gone})
            added = [path for path in found if path not in self._tailers]
            self._tailers = {path: self._tailers.get(path) or self._new_tailer(file) for path, file in found.items()}
            return bool(gone or added)

    def update(self, run: FoundRun | None) -> bool:
        """Apply a discovery, None if the run is gone; returns whether anything changed."""
        self._content_paths = run.content_paths if run else ()
        have_changed = [
            self.store.set_settings(run.settings if run else ()),
            self.store.set_contents(run.contents if run else (), content_facts(self._content_paths)),
            self.set_files(run.files if run else ()),
        ]
        return any(have_changed)

    def note_written_contents(self) -> None:
        """Note that one of the directory's contents was written."""
        self.store.note_written_contents(content_facts(self._content_paths))

    def is_due(self, path: str, stat: os.stat_result) -> bool:
        """Return whether to read an event file that has this stat now."""
        tailer = self._tailers.get(path)
        return tailer is not None and tailer.is_due(stat)

    @property
    def has_unsaved(self) -> bool:
        """Whether the run changed since it was saved."""
        return self._cache is not None and self._saved_version != self.store.version

    @property
    def is_save_due(self) -> bool:
        """Whether to save the run now: it was never saved, grew much, or was saved too long ago."""
        if not self.has_unsaved:
            return False
        is_large = self.store.unsaved_rows >= SAVE_ROWS
        return is_large or self._saved_version < 0 or monotonic() - self._saved_at >= SAVE_INTERVAL_S

    def read(self, budget_bytes: int = BUDGET_BYTES, paths: Collection[str] | None = None) -> bool:
        """Read at most about ``budget_bytes`` of new data in each file, or only in those of ``paths``.

        Returns whether the store changed. Saves the run at once if this and other runs have too much unsaved data.
        """
        with self._lock:
            try:
                is_changed = self._read(budget_bytes, paths)
                if self._unsaved_bytes.is_exceeded:
                    self._save()
            except ChunkDamagedError as error:
                log.warning("cache: %s", error)
                self._rebuild()
                is_changed = True
            return is_changed

    def read_all(self) -> bool:
        """Read all new data; returns whether the store changed."""
        is_changed = self.read()
        while self.has_more:
            self.read()
        return is_changed

    def save(self) -> None:
        """Save everything read to the cache; the rows then come from its files instead of memory."""
        with self._lock:
            try:
                self._save()
            except ChunkDamagedError as error:
                log.warning("cache: %s", error)

    def _read(self, budget_bytes: int, paths: Collection[str] | None = None) -> bool:
        read = (
            self._tailers.values()
            if paths is None
            else [self._tailers[path] for path in paths if path in self._tailers]
        )
        are_changed = list[bool]()
        for tailer in read:
            if isinstance(tailer, TrackerTailer) and self._has_more_before(tailer):
                tailer.wait()
            else:
                are_changed.append(tailer.read(self._buffer_pool, budget_bytes))
        rewritten = [tailer for tailer in read if tailer.needs_restart]
        if rewritten:  # all at once: removing the values of one file from the store reads those of all files
            self.store.forget_values({tailer.ordinal for tailer in rewritten})
            for tailer in rewritten:
                tailer.restart_rewritten()
                are_changed.append(tailer.read(self._buffer_pool, budget_bytes))
        if self._cache is not None:
            self._unsaved_bytes.set_bytes(self.store.id, self.store.unsaved_bytes)
        return any(are_changed)

    def _save(self) -> None:
        if self._cache is None or self._saved_version == self.store.version:
            return
        self._cache.save(self.store, self._progress(), may_merge=not self.has_more)
        self._saved_version = self.store.version
        self._saved_at = monotonic()
        self._unsaved_bytes.set_bytes(self.store.id, self.store.unsaved_bytes)

    def _progress(self) -> Json:
        kinds = {tag: kind.value for tag, kind in self._kinds.items()}
        return {"kinds": kinds, "tails": [tailer.to_json() for tailer in self._tailers.values()]}

    def _restore(self, saved: CachedStore, progress: Json, run: FoundRun) -> None:
        self.store.restore(saved)
        self._kinds.update({tag: Kind(kind) for tag, kind in progress["kinds"].items()})
        for tailer in progress["tails"]:
            facts = self.store.file(tailer["ordinal"])
            if tracker := tailer.get("tracker"):
                self._tailers[facts.path] = TrackerTailer(facts, self.store, DialectName(tracker), tailer)
            else:
                self._tailers[facts.path] = FileTailer(facts, self.store, self._kinds, tailer)
        self._saved_version = self.store.version
        self._saved_at = monotonic()

    def _new_tailer(self, file: EventFile) -> Tailer:
        facts = FileFacts(file.name, file.path, file.creation_number)
        if file.tracker is not None:
            return TrackerTailer(facts, self.store, file.tracker)
        return FileTailer(facts, self.store, self._kinds)

    def _has_more_before(self, tailer: Tailer) -> bool:
        return any(older.has_more for older in takewhile(lambda other: other is not tailer, self._tailers.values()))

    def _remove(self, ordinals: set[int]) -> None:
        try:
            self.store.remove_files(ordinals)
        except ChunkDamagedError as error:
            log.warning("cache: %s", error)
            self._rebuild()
            self.store.remove_files(ordinals)

    def _rebuild(self) -> None:
        """Forget everything and read the event files from their beginning."""
        with self._lock:
            self.store.clear()
            self._kinds.clear()
            for tailer in self._tailers.values():
                tailer.restart()
            self._read(BUDGET_BYTES)
            while self.has_more:
                self._read(BUDGET_BYTES)
            self.store.drop_empty_series()
            self._saved_version = -1
