# SPDX-License-Identifier: Apache-2.0
"""All runs below a base directory, kept up to date."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from enum import Enum, auto
from pathlib import Path
from threading import Lock
from time import monotonic, time
from types import MappingProxyType

from mindscope.errors import RunNotFoundError
from mindscope.ingest.cache_writer import CacheWriter
from mindscope.ingest.discover import Discovery, Finder, FoundRun
from mindscope.ingest.file_tailer import new_buffer_pool
from mindscope.ingest.graphs_and_profiles import file_version, version_of
from mindscope.ingest.poll_schedule import PollSchedule
from mindscope.ingest.run_loader import RunLoader
from mindscope.ingest.settings_files import is_settings_name, read_states
from mindscope.ingest.tracker_logs import TrackerLogPaths
from mindscope.ingest.unreadable_paths import UnreadablePath
from mindscope.ingest.unsaved_bytes import UnsavedBytes
from mindscope.reasons import Reason
from mindscope.settings import DEFAULT_CACHE_BYTES
from mindscope.store import RunCache, RunStore
from mindscope.store.cache import cache_folder
from mindscope.store.cache_table import CacheTable
from mindscope.store.column_cache import ColumnCache
from mindscope.store.contents import SettingsFile
from mindscope.store.garbage import gc_disabled

log = logging.getLogger(__name__)

ChangeListener = Callable[[frozenset[str]], None]

_PendingReads = Mapping[str, Collection[str] | None]
"""Runs to read, by id: those of their files that may have grown, None for all."""

NOTIFY_INTERVAL_S = 0.25
"""Interval at which a long refresh reports changes."""


class _Look(Enum):
    """The result of a look at a path."""

    SAME = auto()
    WRITTEN = auto()
    OTHER_ENTRIES = auto()
    """A directory has other entries, also if a file in it is gone: only a discovery finds the runs then."""


class Catalog:
    """The runs below ``base``. Call ``refresh`` from any thread; other members are readable during a refresh.

    With a ``workspace``, the catalog caches what it read there, in at most ``cache_bytes`` (0: no cache), and the next
    catalog of this base reads only new data. Call ``close`` at the end.
    """

    def __init__(
        self,
        base: str | Path,
        workspace: Path | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        *,
        follow_links: bool = False,
        index: Path | None = None,
    ) -> None:
        """``follow_links``: see ``Finder``. ``index``: start from what ``mindscope index`` wrote there, if it did."""
        self._finder = Finder(base, follow_links)
        self.base = Path(self._finder.base)
        self._refreshing = Lock()  # held by the active refresh; guards the loaders
        self.workspace = workspace
        self.cache_bytes = cache_bytes
        self._index_directory = index
        self._cache: RunCache | None = None  # opened by the first refresh, because it is slow with many runs
        self._run_cache: RunCache | None = None  # of the runs: the same, or the index, which is never written
        self._buffer_pool = new_buffer_pool()
        self._column_cache = ColumnCache()
        self._unsaved_bytes = UnsavedBytes()
        self._cache_writer = CacheWriter()
        self._loaders: dict[str, RunLoader] = {}
        self._run_of_path: dict[str, str] = {}
        self._tracker_logs = TrackerLogPaths({})
        self._runs_of_settings: dict[str, list[str]] = {}  # by the path of a settings file
        self._run_of_content: dict[str, str] = {}  # by the path of a graph file or profile
        self._content_versions: dict[str, int] = {}  # of graph files and profiles that are files, by path
        self._schedule = PollSchedule()
        self._is_complete = False  # no refresh succeeded, or the last one failed
        self._is_schedule_old = True  # the last discovery is not in it
        self._listed: frozenset[str] = frozenset()  # the directories in the schedule
        self._unsaved: set[str] = set()  # ids of runs that changed since their last save
        self._runs: Mapping[str, RunStore] = MappingProxyType({})  # replaced as a whole, never mutated
        self._unreadable: tuple[UnreadablePath, ...] = ()
        self._version = 0
        self._list_version = 0

    @property
    def runs(self) -> Mapping[str, RunStore]:
        """Stores by run id, in natural order of the ids; a snapshot."""
        return self._runs

    @property
    def unreadable(self) -> tuple[UnreadablePath, ...]:
        """Directories, files and links that the last full refresh could not read, by path."""
        return self._unreadable

    @property
    def directories(self) -> tuple[str, ...]:
        """Directories that the last full refresh read, the base first."""
        return self._finder.directories

    @property
    def has_links(self) -> bool:
        """Whether the last full refresh followed a link out of the base."""
        return self._finder.has_links

    @property
    def version(self) -> int:
        """Grows with every change of a run, of the list, or of the unreadable paths."""
        return self._version

    @property
    def list_version(self) -> int:
        """Grows when runs or files are added or removed."""
        return self._list_version

    @property
    def scanned_bytes(self) -> int:
        """Number of bytes of the current runs that this process read from event files; the rest came from the cache."""
        return sum(loader.scanned_bytes for loader in self._loaders.values())

    def cache_table(self, name: str, format: int) -> CacheTable | None:
        """Return a table in the cache of this base; None without a cache, and before the first refresh."""
        return None if self._cache is None else self._cache.table(name, format)

    @property
    def cache_folder(self) -> Path | None:
        """The folder of the cache of this base, for other files; None without a cache, and before the first refresh."""
        return None if self._cache is None else self._cache.folder

    def run(self, id: str) -> RunStore:
        """Return the store of a run. Raises RunNotFoundError if the id is unknown."""
        store = self._runs.get(id)
        if store is None:
            raise RunNotFoundError(Reason("run_not_found", run=id, base=str(self.base), others=len(self._runs)))
        return store

    def holds_content(self, path: str) -> bool:
        """Return whether ``path`` is a graph file or a profile of a run, or lies in a directory that is a profile."""
        return self._run_with_content(path) is not None

    def holds_tracker_log(self, path: str) -> bool:
        """Return whether ``path`` is a log of another tracker, or belongs to one."""
        return bool(self._tracker_logs.at(path))

    def refresh(self, paths: Iterable[str] | None = None, on_change: ChangeListener | None = None) -> frozenset[str]:
        """Read new data and return the ids of the runs that changed, were added or were removed.

        ``paths`` names event files, settings files, graph files and files of profiles that may have changed: then it
        reads only these, unless an event file is new. None means all.
        A long refresh calls ``on_change`` with the changed ids as it proceeds; with an empty set if only ``unreadable``
        changed.
        """
        with self._refreshing:
            return self._refresh(None if paths is None else tuple(paths), on_change)

    def poll(self, on_change: ChangeListener | None = None) -> frozenset[str]:
        """Look at files and directories that may have changed, which costs little with any number of runs.

        Checks a path that changed lately in each call, an old one within minutes if there are ten thousand. Reads
        what changed, and returns and reports it as ``refresh`` does.
        """
        with self._refreshing:
            if not self._is_complete:
                return self._refresh(None, on_change)
            if self._is_schedule_old:
                self._schedule_looks()
            looks = {path: self._look(path) for path in self._schedule.due(monotonic())}
            if _Look.OTHER_ENTRIES in looks.values():
                return self._refresh(None, on_change)
            changed = tuple(path for path, look in looks.items() if look is _Look.WRITTEN)
            if changed:
                return self._refresh(changed, on_change)
            self._save_due(())
            return frozenset()

    def _refresh(self, paths: tuple[str, ...] | None, on_change: ChangeListener | None) -> frozenset[str]:
        self._is_complete = False
        waiting = self._files_by_run(paths)
        changed = set[str]()
        if waiting is None:
            with gc_disabled():
                changed |= self._discover(on_change)
                waiting = dict.fromkeys(self._loaders)
                changed |= self._read_all(waiting, on_change)
            self._buffer_pool.release()
            self._is_schedule_old = True
        else:
            written = self._read_settings(paths or ()) | self._note_contents(paths or ())
            changed |= self._notify(written, on_change)
            changed |= self._read_all(waiting, on_change)
            for path in paths or ():
                self._schedule.looked(path, 0.0, monotonic())
        self._save_due(waiting)
        self._is_complete = True
        return frozenset(changed)

    def _save_due(self, read: Iterable[str]) -> None:
        """Schedule the saves that are due of the runs that were ``read`` now, and of those with unsaved changes."""
        self._unsaved.update(read)
        self._unsaved = {id for id in self._unsaved if id in self._loaders and self._loaders[id].has_unsaved}
        self._cache_writer.add(loader for id in self._unsaved if (loader := self._loaders[id]).is_save_due)

    def _schedule_looks(self) -> None:
        """Look at the present files and directories from now on."""
        now, self._is_schedule_old = time(), False
        self._listed = frozenset((*self._finder.directories, *self._finder.unsettled))
        ages = {path: now - self._finder.modified_ns(path) / 1e9 for path in self._listed}
        settings = (file for loader in self._loaders.values() for file in loader.store.settings)
        ages.update({file.path: now - file.modified_ns / 1e9 for file in settings})
        files = (facts for loader in self._loaders.values() for facts in loader.store.files)
        ages.update({facts.path: now - facts.modified_at for facts in files})
        self._content_versions = {
            path: self._content_versions.get(path) or file_version(path)
            for path in self._run_of_content
            if path not in self._listed
        }
        ages.update(dict.fromkeys(self._content_versions, 0.0))
        self._schedule.set_paths(ages, self._finder.parents, monotonic())

    def _look(self, path: str) -> _Look:
        """Look at a path, and note when to look again."""
        if path in self._listed:
            is_other = self._finder.has_changed(path, is_content=self.holds_content(path))
            look, modified_at = (_Look.OTHER_ENTRIES if is_other else _Look.SAME), self._finder.modified_ns(path) / 1e9
            if not is_other and path in self._run_of_path:  # a directory that is a log
                look, modified_at = self._look_at_file(path)
        else:
            look, modified_at = self._look_at_file(path)
        self._schedule.looked(path, time() - modified_at if look is _Look.SAME else 0.0, monotonic())
        return look

    def _look_at_file(self, path: str) -> tuple[_Look, float]:
        """Return the result of a look at a file, and its time in seconds since 1970."""
        try:
            file = self._tracker_logs.file(path)
            stat = os.lstat(path) if path in self._runs_of_settings else os.stat(file)  # noqa: PTH116
        except FileNotFoundError:
            return _Look.OTHER_ENTRIES, time()
        except OSError:
            return _Look.WRITTEN, time()
        if path in self._run_of_path:
            is_written = self._loaders[self._run_of_path[path]].is_due(path, stat)
        elif path in self._runs_of_settings:
            settings = (file for id in self._runs_of_settings[path] for file in self._loaders[id].store.settings)
            is_written = any(file.path == path and file != SettingsFile.of(path, stat) for file in settings)
        else:
            version = version_of(stat)
            is_written = self._content_versions.get(path) != version
            self._content_versions[path] = version
        return (_Look.WRITTEN if is_written else _Look.SAME), stat.st_mtime

    def wait_until_saved(self) -> None:
        """Wait until the cache holds all saves that the last refresh scheduled; saving runs in a thread of its own."""
        self._cache_writer.wait_until_saved()

    def close(self) -> None:
        """Save unsaved data and release the cache for other processes. Call no ``refresh`` after it."""
        self._cache_writer.stop()
        with self._refreshing:
            if self._cache is not None:
                for loader in self._loaders.values():
                    loader.save()
                self._cache.close()

    def _discover(self, on_change: ChangeListener | None) -> frozenset[str]:
        """List the directories; returns the ids of runs that were added, removed or have other files."""
        found = self._finder.find()
        self._open_cache()
        is_other = found.unreadable != self._unreadable
        self._unreadable = found.unreadable
        return self._notify(self._apply(found), on_change, is_other)

    def _read_all(self, waiting: _PendingReads, on_change: ChangeListener | None) -> frozenset[str]:
        """Read new data of these runs; returns the ids of those that changed."""
        changed = set[str]()
        while waiting:
            for group in self._read(waiting):
                changed |= self._notify(group, on_change)
            waiting = {id: paths for id, paths in waiting.items() if self._loaders[id].has_more}
        return frozenset(changed)

    def _open_cache(self) -> None:
        if self.workspace is not None and self.cache_bytes > 0 and self._cache is None:
            self._cache = RunCache(self.workspace, self._finder.base, self.cache_bytes)
        if self._run_cache is None:
            index, base = self._index_directory, self._finder.base
            if index is not None and cache_folder(index, base).is_dir():
                self._run_cache = RunCache(index, base, 0, is_reader=True)
            else:
                self._run_cache = self._cache
                if index is not None:
                    log.warning("%s: it holds no index of %s; the logs are read instead", index, base)

    def _read(self, runs: _PendingReads) -> Iterator[frozenset[str]]:
        """Read each run once; yields the changed ids in groups, so that callers can follow a long load.

        Runs are read in parallel, the files of one run in sequence: one file may define the kind of a tag in the next.
        """
        waiting, changed = iter(tuple(runs.items())), deque[str]()

        def read_waiting() -> None:
            for id, paths in waiting:  # next() of a tuple iterator is atomic, so no two threads get the same run
                if self._loaders[id].read(paths=paths):
                    changed.append(id)

        workers = min(len(runs), os.cpu_count() or 1)
        with ThreadPoolExecutor(workers, "mindscope-loader") as pool:
            pending = {pool.submit(read_waiting) for _ in range(workers)}
            while pending:
                done, pending = wait(pending, NOTIFY_INTERVAL_S)
                yield frozenset(changed.popleft() for _ in range(len(changed)))
                for each in done:
                    each.result()

    def _files_by_run(self, paths: Iterable[str] | None) -> _PendingReads | None:
        """Return the event files by run; None if the run of a file is unknown."""
        if paths is None:
            return None
        by_run: dict[str, set[str]] = {}
        for path in paths:
            is_settings = is_settings_name(os.path.basename(path))  # noqa: PTH119 (for each change of a file)
            if not is_settings and not self.holds_content(path):
                for log in self._tracker_logs.at(path) or (path,):
                    by_run.setdefault(self._run_of_path.get(log, ""), set()).add(log)
        return None if "" in by_run else by_run

    def _read_settings(self, paths: Iterable[str]) -> frozenset[str]:
        """Look at the settings files among ``paths``; returns the ids of the runs that they changed."""
        ids = {id for path in paths for id in self._runs_of_settings.get(path, ())}
        stores = [self._loaders[id].store for id in ids]
        return frozenset(
            store.id for store in stores if store.set_settings(read_states(file.path for file in store.settings))
        )

    def _note_contents(self, paths: Iterable[str]) -> frozenset[str]:
        """Note that contents among ``paths`` were written; returns the ids of their runs."""
        ids = frozenset(id for path in paths if (id := self._run_with_content(path)) is not None)
        for id in ids:
            self._loaders[id].note_written_contents()
        return ids

    def _run_with_content(self, path: str) -> str | None:
        known, below = self._run_of_content, ""
        while known and len(path) >= len(self._finder.base) and path != below:
            if path in known:
                return known[path]
            below, path = path, os.path.dirname(path)  # noqa: PTH120 (for each change of a file)
        return None

    def _notify(
        self, changed: frozenset[str], on_change: ChangeListener | None, is_other: bool = False
    ) -> frozenset[str]:
        if changed or is_other:
            self._version += 1
            if on_change is not None:
                on_change(changed)
        return changed

    def _apply(self, found: Discovery) -> frozenset[str]:
        """Apply a discovery; returns the ids of runs that were added, removed or have other files."""
        gone = self._loaders.keys() - found.runs.keys()
        added = found.runs.keys() - self._loaders.keys()
        kept = found.runs.keys() - added
        other_settings = {id for id in kept if self._loaders[id].store.set_settings(found.runs[id].settings)}
        other = {id for id in kept if self._loaders[id].update(found.runs[id])}
        for id in gone:
            self._unsaved_bytes.set_bytes(id, 0)
        changed = frozenset(gone | added | other)
        if changed:
            self._set_loaders({id: self._loaders.get(id) or self._loader(run) for id, run in found.runs.items()})
            if self._run_cache is not None and found.runs:  # an empty base may be an unmounted disk
                self._run_cache.keep_only(found.runs)
        if changed or other_settings:
            self._runs_of_settings = _runs_of_settings(found.runs.values())
            self._run_of_content = {path: run.id for run in found.runs.values() for path in run.content_paths}
        return changed | other_settings

    def _loader(self, run: FoundRun) -> RunLoader:
        return RunLoader(run, self._buffer_pool, self._column_cache, self._run_cache, self._unsaved_bytes)

    def _set_loaders(self, loaders: dict[str, RunLoader]) -> None:
        self._loaders = loaders
        self._run_of_path = {path: id for id, loader in loaders.items() for path in loader.paths}
        logs = (loader.tracker_logs for loader in loaders.values())
        self._tracker_logs = TrackerLogPaths({key: file for by_key in logs for key, file in by_key.items()})
        self._runs = MappingProxyType({id: loader.store for id, loader in loaders.items()})
        self._list_version += 1


def _runs_of_settings(runs: Iterable[FoundRun]) -> dict[str, list[str]]:
    by_path: dict[str, list[str]] = {}
    for run in runs:
        for file in run.settings:
            by_path.setdefault(file.path, []).append(run.id)
    return by_path
