# SPDX-License-Identifier: Apache-2.0
"""A thread that keeps a catalog up to date."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from mindscope.formats.log_names import is_log_name
from mindscope.ingest.catalog import Catalog, ChangeListener
from mindscope.ingest.file_names import is_event_name
from mindscope.ingest.graphs_and_profiles import is_content_name
from mindscope.ingest.settings_files import is_settings_name
from mindscope.trackers.trackers import is_tracker_log_name

if TYPE_CHECKING:
    from watchfiles import Change

log = logging.getLogger(__name__)

DEBOUNCE_MS = 100
"""Collects changes for this time, so that a busy writer does not cause one refresh for each record."""
STEP_MS = 100
MAX_WAIT_S = 3600.0
UNWATCHED_POLL_S = 1.0
"""Seconds after which to poll at the latest, to see new directories if directories are watched one by one."""
POLLS = 3
"""Number of polls in each interval: then a change of a live file is noticed within a third of it."""


SIDE_FILES = ("-journal", "-wal", "-shm")
"""Files beside a database of SQLite, which come and go with each transaction."""


class Watcher:
    """Refreshes a catalog when the file system reports a change, and polls what it may not report.

    Each third of ``reload_interval`` seconds it looks at what changed lately, and ever more seldom at the rest. If
    files can't be watched (network file systems, too many directories), it only polls. An interval of 0 loads once.
    Calls the listeners in its thread with the ids of the runs that changed; the set is empty if only the unreadable
    paths changed.
    """

    def __init__(self, catalog: Catalog, reload_interval: float) -> None:
        self._catalog = catalog
        self._interval = min(reload_interval, MAX_WAIT_S)
        self._poll_interval = self._interval / POLLS
        self._listeners: list[ChangeListener] = []
        self._listening = Lock()  # guards the list of listeners
        self._stopping = Event()
        self._thread = Thread(target=self._watch, name="mindscope-watcher", daemon=True)

    def add_listener(self, listener: ChangeListener) -> None:
        with self._listening:
            self._listeners.append(listener)

    def start(self) -> None:
        """Start loading and watching. Call it once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait until the thread ends. Idempotent."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        self._refresh(None)
        while self._interval > 0 and not self._stopping.is_set():
            if not os.path.isdir(self._catalog.base):  # noqa: PTH112 (returns False without permission)
                self._poll_once()
                continue
            try:
                for paths in self._notified():
                    self._refresh(paths)
            except FileNotFoundError:  # a directory was deleted before it was watched
                self._refresh(None)
            except (OSError, RuntimeError) as error:
                log.warning("%s is polled, not watched: %s", self._catalog.base, error)
                while not self._stopping.is_set():
                    self._poll_once()

    def _poll_once(self) -> None:
        if not self._stopping.wait(self._poll_interval):
            self._poll()

    def _notified(self) -> Iterator[set[str] | None]:
        """Yield the paths of known files that changed; None if everything must be rescanned.

        Ends when the watcher stops, and when the set of directories changes.
        """
        import watchfiles  # imports an event loop, which programs without a watcher do not need

        # a recursive watch follows links out of the tree, which may lead to any number of directories
        has_links = any(each.reason.code == "link_outside" for each in self._catalog.unreadable)
        is_tree = not (has_links or self._catalog.has_links)
        interval = self._poll_interval if is_tree else min(self._poll_interval, UNWATCHED_POLL_S)
        watched = self._catalog.directories
        batches = watchfiles.watch(
            *watched[:1] if is_tree else watched,
            recursive=is_tree,
            watch_filter=self._is_relevant,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            stop_event=self._stopping,
            rust_timeout=max(int(interval * 1000), 1),
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        polled_at = monotonic()
        for changes in batches:
            paths = {path for change, path in changes if change is watchfiles.Change.modified}
            if len(paths) < len(changes):
                # a scan lists directories, which do not change when a file in a profile grows
                if written := {path for path in paths if self._catalog.holds_content(path)}:
                    yield written
                yield None
            elif paths:
                yield paths
            if not changes or monotonic() - polled_at >= interval:  # also while one run is written all the time
                self._poll()
                polled_at = monotonic()
            if not is_tree and self._catalog.directories != watched:
                return

    def _refresh(self, paths: set[str] | None) -> None:
        with self._logged():
            self._catalog.refresh(paths, self._notify)

    def _poll(self) -> None:
        with self._logged():
            self._catalog.poll(self._notify)

    @contextmanager
    def _logged(self) -> Generator[None]:
        try:
            yield
        except Exception:
            log.exception("runs below %s could not be refreshed; tried again at the next change", self._catalog.base)

    def _notify(self, changed: frozenset[str]) -> None:
        with self._listening:
            listeners = tuple(self._listeners)
        for listener in listeners:
            try:
                listener(changed)
            except Exception:
                log.exception("a listener failed on the change of %d runs; calling the others", len(changed))

    def _is_relevant(self, change: Change, path: str) -> bool:
        """Return whether a change may concern a run: an event or settings file, contents, an added or deleted
        directory.
        """
        name = Path(path).name
        if name.endswith(SIDE_FILES):
            return change.name == "modified" and self._catalog.holds_tracker_log(path)
        if is_event_name(name) or is_settings_name(name) or self._catalog.holds_content(path):
            return True
        if change.name == "modified":
            return self._catalog.holds_tracker_log(path)
        may_be_content = is_content_name(name) or is_log_name(name) or is_tracker_log_name(name)
        return change.name == "deleted" or (change.name == "added" and (may_be_content or Path(path).is_dir()))
