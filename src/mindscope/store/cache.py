# SPDX-License-Identifier: Apache-2.0
"""The cache of one base directory, in a folder of the workspace.

    WORKSPACE/cache/NAME/lock           locked by the process that writes
    WORKSPACE/cache/NAME/runs.index     states of the runs; its modification time is the last use of the cache
    WORKSPACE/cache/NAME/1a2b.chunk     sealed rows
    WORKSPACE/cache/NAME/lineage*.index other values of the runs, see ``cache_table.py``

A chunk is complete before the index names it, and is deleted after the index no longer names it. So the process may be
killed at any moment: the cache then holds an earlier, consistent state, and reading continues from it.
"""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import shutil
from collections.abc import Iterable, Mapping
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import Any

from mindscope.formats.step_ranges import StepRanges
from mindscope.store.cache_codec import CachedStore
from mindscope.store.cache_table import CacheTable
from mindscope.store.chunk import REFERENCE_LAYOUT, size_bytes
from mindscope.store.compaction import compact
from mindscope.store.run import RunStore
from mindscope.store.run_index import RunIndex, State, state_record
from mindscope.store.workspace_caches import CACHE_FOLDER, INDEX_NAME, LOCK_NAME, evict_caches, hold

log = logging.getLogger(__name__)

CHUNK_SUFFIX = ".chunk"
TABLE_SUFFIX = ".index"

RESERVED_BYTES = 16 << 20
"""Free disk space that the cache never uses: users' annotations and the logs themselves need it more."""


def cache_folder(workspace: Path, base: str) -> Path:
    """Return the folder of the cache of a base directory."""
    return workspace / CACHE_FOLDER / hashlib.sha256(os.fsencode(base)).hexdigest()[:24]


class RunCache:
    """Cache of the runs below one base directory. Thread-safe.

    Only the first process that opens a cache writes it; others read its content and keep new data in memory. With
    ``is_reader``, it never writes, so that any number of processes may start from the cache of another.
    """

    def __init__(self, workspace: Path, base: str, limit_bytes: int, *, is_reader: bool = False) -> None:
        """Open the cache. Logs one warning if the cache has a problem, and reads the event files instead."""
        self.folder = cache_folder(workspace, base)
        self._is_reader = is_reader
        self._workspace = workspace
        self._limit_bytes = limit_bytes
        self._others_bytes = 0  # size of the other caches of the workspace
        self._base = base
        self._index = RunIndex(self.folder / INDEX_NAME, base)
        self._tables: dict[str, CacheTable] = {}
        self._step_ranges = StepRanges()  # shared by all chunks
        self._lock = Lock()  # guards everything below, and writes of the index
        self._states: dict[str, State] = {}  # from the index, until ``find`` returns them
        self._chunk_bytes: dict[str, int] = {}  # by file name
        self._all_chunk_bytes = 0
        self._holder: FileIO | None = None  # the lock file; None if another process writes
        self._is_stopped = False  # a write failed
        try:
            self._open()
        except OSError as error:
            self._stop_writing(f"{error.strerror}; everything is kept in memory")

    @property
    def is_writer(self) -> bool:
        """Whether this process writes the cache."""
        return self._holder is not None and not self._is_stopped

    @property
    def ids(self) -> set[str]:
        """The runs with a state."""
        with self._lock:
            return self._index.ids

    def state(self, id: str) -> State | None:
        """Return the state of a run as another cache of this base can ``adopt`` it; None after ``find``."""
        with self._lock:
            return self._states.get(id)

    def adopt(self, states: Mapping[str, State], folder: Path) -> None:
        """Take over states of runs, with their chunks in the ``folder`` of another cache of this base.

        Chunks that are then unused stay until the next process opens the cache: a reader may use them. Does nothing if
        this process can't write, see ``is_writer``. Raises OSError if a chunk is missing.
        """
        names = {name for state, _ in states.values() for name, *_ in state["chunks"]}
        sizes = {name: (folder / name).stat().st_size for name in names}
        if not self.has_room(sum(sizes.values())):
            return
        for name in names:
            _link(folder / name, self.folder / name)
        with self._lock:
            for name, size in sizes.items():
                self._count(name, size)
            self._index.put_all({id: state_record(id, *state) for id, state in states.items()})
            self._states.update(states)

    def find(self, id: str) -> tuple[CachedStore, Any] | None:
        """Return the state of a run and its reading progress; None if the cache has no valid state."""
        with self._lock:
            state = self._states.pop(id, None)
        if state is None:
            return None
        try:
            saved = CachedStore.from_json(*state, self.folder, self._step_ranges)
            progress = state[0]["progress"]
        except (KeyError, TypeError, ValueError):
            return None
        is_whole = all(self._chunk_bytes.get(chunk.name) == chunk.size_bytes for chunk in saved.chunks)
        return (saved, progress) if is_whole else None

    def save(self, store: RunStore, progress: Any, may_merge: bool) -> None:
        """Seal all points of a run and write its state. Call it from the thread that appends to the store.

        ``find`` returns ``progress``, which is JSON. Raises ChunkDamagedError if sealed rows can't be read.
        """
        before = store.chunks
        merged_bytes = sum(chunk.size_bytes for chunk in before) if may_merge else 0
        most_bytes = size_bytes(REFERENCE_LAYOUT, store.unsaved_rows, store.unsaved_rows) + merged_bytes
        try:
            if not self.has_room(most_bytes):
                return
            compact(store, self._new_path, self._step_ranges, may_merge)
            saved = store.to_saved()
            with self._lock:
                for chunk in saved.chunks:
                    self._count(chunk.name, chunk.size_bytes)
            record = state_record(store.id, {**saved.to_json(), "progress": progress}, saved.series)
            if self.has_room(len(record)):
                with self._lock:
                    self._index.put(store.id, record)
                self._delete(chunk.name for chunk in before if chunk not in saved.chunks)
        except OSError as error:
            self._stop_after(error)

    def keep_only(self, ids: Iterable[str]) -> None:
        """Remove all other runs. Their chunks stay until the next process opens the cache: a reader may use them."""
        try:
            with self._lock:
                for id in self._index.ids - set(ids) if self.is_writer else ():
                    self._index.remove(id)
        except OSError as error:
            self._stop_after(error)

    def table(self, name: str, format: int) -> CacheTable:
        """Return the table of other values of the runs called ``name``. Files of another ``format`` are replaced."""
        with self._lock:
            if name not in self._tables:
                index = RunIndex(self.folder / f"{name}{TABLE_SUFFIX}", self._base, format)
                self._tables[name] = CacheTable(index, self, self._stop_after)
            return self._tables[name]

    def close(self) -> None:
        """Release the lock for other processes. Idempotent."""
        if self._holder is not None:
            self._holder.close()
            self._holder = None

    def _open(self) -> None:
        if not self._is_reader:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._holder = hold(self.folder / LOCK_NAME)
        self._states = self._read_index()
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.name.endswith(CHUNK_SUFFIX):
                    self._count(entry.name, entry.stat().st_size)
        if self._is_reader:
            return
        if self._holder is None:
            log.warning("cache: another viewer of these runs writes it; this one keeps what is new in memory")
            return
        if not self._index.is_tidy:
            self._index.write(self._states)
        os.utime(self.folder / INDEX_NAME)
        in_use = {name for state, _ in self._states.values() for name, *_ in state["chunks"]}
        self._delete([name for name in self._chunk_bytes if name not in in_use])
        for path in self.folder.glob("*.part"):
            path.unlink()
        self._others_bytes = evict_caches(self._workspace, self.folder, self._limit_bytes - self._own_bytes)

    def _read_index(self) -> dict[str, State]:
        try:
            return self._index.load()
        except (KeyError, TypeError, ValueError):
            return {}

    @property
    def _own_bytes(self) -> int:
        return self._index.size_bytes + self._all_chunk_bytes + sum(table.size_bytes for table in self._tables.values())

    def has_room(self, more_bytes: int) -> bool:
        """Return whether the limit allows ``more_bytes``; deletes older caches if needed."""
        if not self.is_writer:
            return False
        with self._lock:
            wanted = self._own_bytes + more_bytes
            if wanted + self._others_bytes > self._limit_bytes:
                self._others_bytes = evict_caches(self._workspace, self.folder, self._limit_bytes - wanted)
            has_room = wanted + self._others_bytes <= self._limit_bytes
        if not has_room:
            self._stop_writing(f"it would take more than {self._limit_bytes} bytes; what is new is kept in memory")
        return has_room and self._leaves_disk_space(more_bytes)

    def _leaves_disk_space(self, more_bytes: int) -> bool:
        free_bytes = shutil.disk_usage(self.folder).free
        if free_bytes - more_bytes < RESERVED_BYTES:
            self._stop_writing(f"{free_bytes} bytes are free on its disk; what is new is kept in memory")
            return False
        return True

    def _count(self, name: str, size: int) -> None:
        self._all_chunk_bytes += size - self._chunk_bytes.get(name, 0)
        self._chunk_bytes[name] = size

    def _new_path(self) -> Path:
        return self.folder / (secrets.token_hex(8) + CHUNK_SUFFIX)

    def _delete(self, names: Iterable[str]) -> None:
        for name in names:
            (self.folder / name).unlink(missing_ok=True)
            with self._lock:
                self._all_chunk_bytes -= self._chunk_bytes.pop(name, 0)

    def _stop_after(self, error: OSError) -> None:
        self._stop_writing(f"{error.strerror}; what is new is kept in memory")

    def _stop_writing(self, reason: str) -> None:
        """Stop writing, but keep the lock: no other process may delete the chunks that this one uses."""
        if not self._is_stopped:
            log.warning("cache %s: %s", self.folder, reason)
        self._is_stopped = True


def _link(source: Path, target: Path) -> None:
    """Give a file another name; where the file system has no links, copy it."""
    try:
        os.link(source, target)
    except FileExistsError:
        return
    except OSError:
        unfinished = target.with_suffix(".part")
        shutil.copyfile(source, unfinished)
        unfinished.replace(target)
