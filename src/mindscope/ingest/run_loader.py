# SPDX-License-Identifier: Apache-2.0
"""One run: all its event files into one store, and the store into the cache."""

from __future__ import annotations

import logging
from collections.abc import Collection
from threading import RLock
from time import monotonic

from mindscope.ingest.discover import EventFile, FoundRun
from mindscope.ingest.file_tailer import BUDGET_BYTES, FileTailer, new_buffer_pool
from mindscope.ingest.read_buffers import ReadBufferPool
from mindscope.ingest.unsaved_bytes import UnsavedBytes
from mindscope.store import FileFacts, RunCache, RunStore
from mindscope.store.cache_codec import CachedStore, Json
from mindscope.store.chunk import ChunkDamagedError
from mindscope.store.column_cache import ColumnCache
from mindscope.types import Kind

log = logging.getLogger(__name__)

SAVE_ROWS = 1_000_000
"""A run that grew by so many rows is due to be saved."""
SAVE_INTERVAL_S = 60.0
"""A run that grows is saved so often, however slowly it grows: what is not saved is read again at the next start."""


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
        """With a ``cache`` the run is as it was saved there; ``read`` brings what grew since.

        What is shared with other runs is given, or else this run's own.
        """
        self.store = RunStore(run.id, run.path, column_cache)
        self._buffer_pool = buffer_pool or new_buffer_pool()
        self._cache = cache
        self._unsaved_bytes = unsaved_bytes or UnsavedBytes()
        self._lock = RLock()  # held while files are read; taken before the store's
        self._kinds: dict[str, Kind] = {}
        self._tailers: dict[str, FileTailer] = {}  # by path, the oldest file first
        self._saved_version = -1  # of the store, when it was saved last; -1 before
        self._saved_at = 0.0
        if cache is not None:
            self.store.store_lock.restore = self._rebuild
            found = cache.find(run.id)
            if found is not None:
                self._restore(*found, run)
        self.set_files(run.files)
        self.store.set_contents(run.contents)

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the event files."""
        return tuple(self._tailers)

    @property
    def has_more(self) -> bool:
        """Whether the last read stopped at its budget."""
        return any(tailer.has_more for tailer in self._tailers.values())

    @property
    def scanned_bytes(self) -> int:
        """How many bytes of its files were read by this process; what the cache knew is not among them."""
        return sum(tailer.scanned_bytes for tailer in self._tailers.values())

    def set_files(self, files: tuple[EventFile, ...]) -> bool:
        """Take in files that are new and drop those that are gone; says whether there were any."""
        with self._lock:
            found = {file.path: file for file in files}
            gone = [path for path in self._tailers if path not in found]
            if gone:
                self._remove({self._tailers.pop(path).ordinal for path in gone})
            added = [path for path in found if path not in self._tailers]
            self._tailers = {path: self._tailers.get(path) or self._new_tailer(file) for path, file in found.items()}
            return bool(gone or added)

    def update(self, run: FoundRun | None) -> bool:
        """Follow what is in the directory, None for nothing; says whether it is other than before."""
        is_other = self.store.set_contents(run.contents if run else ())
        return self.set_files(run.files if run else ()) or is_other

    @property
    def is_save_due(self) -> bool:
        """Whether it is time to save the run: it was not saved yet, or grew much, or some time ago."""
        if self._cache is None or self._saved_version == self.store.version:
            return False
        is_large = self.store.unsaved_rows >= SAVE_ROWS
        return is_large or self._saved_version < 0 or monotonic() - self._saved_at >= SAVE_INTERVAL_S

    def read(self, budget_bytes: int = BUDGET_BYTES, paths: Collection[str] | None = None) -> bool:
        """Read at most about ``budget_bytes`` of what grew in each file, or in those of ``paths`` only.

        Says whether the store changed.
        When much is not saved yet, of this run and others, this one is saved at once.
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
        """Read all that grew; says whether the store changed."""
        is_changed = self.read()
        while self.has_more:
            self.read()
        return is_changed

    def save(self) -> None:
        """Have the cache know all that was read, and have the rows in files in place of memory."""
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
        are_changed = [tailer.read(self._buffer_pool, budget_bytes) for tailer in read]
        replaced = [tailer for tailer in read if tailer.replaced is not None]
        if replaced:  # all at once: taking the values of one file out of the store looks at those of all
            self.store.forget_values({tailer.ordinal for tailer in replaced})
            for tailer in replaced:
                tailer.restart_replaced()
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
            self._tailers[facts.path] = FileTailer(facts, self.store, self._kinds, tailer)
        self._saved_version = self.store.version
        self._saved_at = monotonic()

    def _new_tailer(self, file: EventFile) -> FileTailer:
        return FileTailer(FileFacts(file.name, file.path, file.creation_number), self.store, self._kinds)

    def _remove(self, ordinals: set[int]) -> None:
        try:
            self.store.remove_files(ordinals)
        except ChunkDamagedError as error:
            log.warning("cache: %s", error)
            self._rebuild()
            self.store.remove_files(ordinals)

    def _rebuild(self) -> None:
        """Forget everything and read the logs from their beginning."""
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
