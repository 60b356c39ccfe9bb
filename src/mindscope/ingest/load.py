# SPDX-License-Identifier: Apache-2.0
"""One run: all its event files into one store, and the store into the cache."""

from __future__ import annotations

import logging
from collections.abc import Collection
from threading import RLock
from time import monotonic

from mindscope.ingest.backlog import Backlog
from mindscope.ingest.discover import EventFile, FoundRun
from mindscope.ingest.rooms import ReadRooms
from mindscope.ingest.tail import BUDGET_BYTES, FileTail, read_rooms
from mindscope.store import FileFacts, RunCache, RunStore
from mindscope.store.chunk import ChunkDamagedError
from mindscope.store.recent import RecentColumns
from mindscope.store.saved import Json, SavedStore
from mindscope.types import Kind

log = logging.getLogger(__name__)

SEALED_ROWS = 1_000_000
"""A run that grew by so many rows is due to be saved."""
SEALED_EVERY_S = 60.0
"""A run that grows is saved so often, however slowly it grows: what is not saved is read again at the next start."""


class RunLoader:
    """Keeps a store up to date with the files of a run."""

    def __init__(
        self,
        run: FoundRun,
        rooms: ReadRooms | None = None,
        recent: RecentColumns | None = None,
        cache: RunCache | None = None,
        backlog: Backlog | None = None,
    ) -> None:
        """With a ``cache`` the run is as it was saved there; ``read`` brings what grew since.

        What is shared with other runs is given, or else this run's own.
        """
        self.store = RunStore(run.id, run.path, recent)
        self._rooms = rooms or read_rooms()
        self._cache = cache
        self._backlog = backlog or Backlog()
        self._lock = RLock()  # held while files are read; taken before the store's
        self._kinds: dict[str, Kind] = {}
        self._tails: dict[str, FileTail] = {}  # by path, the oldest file first
        self._sealed_version = -1  # of the store, when it was saved last; -1 before
        self._sealed_at = 0.0
        if cache is not None:
            self.store.access.restore = self._read_anew
            found = cache.find(run.id)
            if found is not None:
                self._restore(*found, run)
        self.set_files(run.files)
        self.store.set_contents(run.contents)

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the event files."""
        return tuple(self._tails)

    @property
    def has_more(self) -> bool:
        """Whether the last read stopped at its budget."""
        return any(tail.has_more for tail in self._tails.values())

    @property
    def scanned_bytes(self) -> int:
        """How many bytes of its files were read by this process; what the cache knew is not among them."""
        return sum(tail.scanned_bytes for tail in self._tails.values())

    def set_files(self, files: tuple[EventFile, ...]) -> bool:
        """Take in files that are new and drop those that are gone; says whether there were any."""
        with self._lock:
            found = {file.path: file for file in files}
            gone = [path for path in self._tails if path not in found]
            if gone:
                self._remove({self._tails.pop(path).ordinal for path in gone})
            added = [path for path in found if path not in self._tails]
            self._tails = {path: self._tails.get(path) or self._tail(file) for path, file in found.items()}
            return bool(gone or added)

    def update(self, run: FoundRun | None) -> bool:
        """Follow what is in the directory, None for nothing; says whether it is other than before."""
        is_other = self.store.set_contents(run.contents if run else ())
        return self.set_files(run.files if run else ()) or is_other

    @property
    def is_due(self) -> bool:
        """Whether it is time to save the run: it was not saved yet, or grew much, or some time ago."""
        if self._cache is None or self._sealed_version == self.store.version:
            return False
        is_large = self.store.unsealed_rows >= SEALED_ROWS
        return is_large or self._sealed_version < 0 or monotonic() - self._sealed_at >= SEALED_EVERY_S

    def read(self, budget_bytes: int = BUDGET_BYTES, paths: Collection[str] | None = None) -> bool:
        """Read at most about ``budget_bytes`` of what grew in each file, or in those of ``paths`` only.

        Says whether the store changed.
        When much is not saved yet, of this run and others, this one is saved at once.
        """
        with self._lock:
            try:
                is_changed = self._read(budget_bytes, paths)
                if self._backlog.is_full:
                    self._save()
            except ChunkDamagedError as error:
                log.warning("cache: %s", error)
                self._read_anew()
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
        read = self._tails.values() if paths is None else [self._tails[path] for path in paths if path in self._tails]
        are_changed = [tail.read(self._rooms, budget_bytes) for tail in read]
        replaced = [tail for tail in read if tail.replaced is not None]
        if replaced:  # all at once: taking the values of one file out of the store looks at those of all
            self.store.forget_values({tail.ordinal for tail in replaced})
            for tail in replaced:
                tail.start_over()
                are_changed.append(tail.read(self._rooms, budget_bytes))
        if self._cache is not None:
            self._backlog.note(self.store.id, self.store.unsealed_bytes)
        return any(are_changed)

    def _save(self) -> None:
        if self._cache is None or self._sealed_version == self.store.version:
            return
        self._cache.save(self.store, self._progress(), may_merge=not self.has_more)
        self._sealed_version = self.store.version
        self._sealed_at = monotonic()
        self._backlog.note(self.store.id, self.store.unsealed_bytes)

    def _progress(self) -> Json:
        kinds = {tag: kind.value for tag, kind in self._kinds.items()}
        return {"kinds": kinds, "tails": [tail.to_json() for tail in self._tails.values()]}

    def _restore(self, saved: SavedStore, progress: Json, run: FoundRun) -> None:
        self.store.restore(saved)
        self._kinds.update({tag: Kind(kind) for tag, kind in progress["kinds"].items()})
        for tail in progress["tails"]:
            facts = self.store.file(tail["ordinal"])
            self._tails[facts.path] = FileTail(facts, self.store, self._kinds, tail)
        self._sealed_version = self.store.version
        self._sealed_at = monotonic()

    def _tail(self, file: EventFile) -> FileTail:
        return FileTail(FileFacts(file.name, file.path, file.creation_number), self.store, self._kinds)

    def _remove(self, ordinals: set[int]) -> None:
        try:
            self.store.remove_files(ordinals)
        except ChunkDamagedError as error:
            log.warning("cache: %s", error)
            self._read_anew()
            self.store.remove_files(ordinals)

    def _read_anew(self) -> None:
        """Forget everything and read the logs from their beginning."""
        with self._lock:
            self.store.clear()
            self._kinds.clear()
            for tail in self._tails.values():
                tail.start_anew()
            self._read(BUDGET_BYTES)
            while self.has_more:
                self._read(BUDGET_BYTES)
            self.store.drop_empty_series()
            self._sealed_version = -1
