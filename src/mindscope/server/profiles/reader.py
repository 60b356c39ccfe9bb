# SPDX-License-Identifier: Apache-2.0
"""Reads profiles in the background, one at a time, and keeps what was computed of them open."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from mindscope.artifacts.problems import readable
from mindscope.artifacts.version import size_of, version_of
from mindscope.errors import MindscopeError
from mindscope.limited_process import is_large
from mindscope.profile.open import FoundProfile
from mindscope.profile.open_arguments import open_arguments
from mindscope.profile.parts_file import SavedParts, columns_of, save_parts
from mindscope.profile.profile import Profile
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.trace.arguments import ArgumentReader
from mindscope.server.http.disconnect import check_connected
from mindscope.server.http.json_response import json_of
from mindscope.server.jobs.background import BackgroundJobs, Worker
from mindscope.server.jobs.task import Outcome, Task, completed, with_problem
from mindscope.server.profiles.large_profile import (
    DENSE_SUFFIXES,
    PARTS,
    TIMELINE,
    Listener,
    is_readable_apart,
    read_large,
)
from mindscope.server.profiles.preview import TimelinePreviews
from mindscope.server.profiles.profile_cache import ProfileCache
from mindscope.server.profiles.tables.query import tables_of

MOST_OPEN = 4
"""Profiles whose timelines stay open, and those whose parts do."""

_Show = Callable[[Timeline, str], None]
"""Called with a timeline of what is read so far, and its version; that of the profile if it is the whole timeline."""


@dataclass(eq=False)
class OpenProfile:
    """A profile that was read; ``timeline`` is None if it has none. Hold ``lock`` while arguments are read."""

    path: Path
    version: str
    timeline: Timeline | None
    lock: Lock = field(default_factory=Lock)
    _arguments: ArgumentReader | None = None

    def arguments(self, timeline: Timeline) -> ArgumentReader:
        """Return the arguments of its timeline. Raises OSError."""
        if self._arguments is None:
            self._arguments = open_arguments(self.path, timeline)
        return self._arguments


@dataclass(frozen=True, eq=False, slots=True)
class OpenParts:
    """All parts of a profile, without its trace."""

    path: Path
    version: str
    profile: Profile
    zero: int
    """Begin of its timeline in nanoseconds since the origin of the profile."""
    tables: str
    """The JSON of ProfileTables."""


class ProfileReader:
    """LRU cache of open profiles. For any thread.

    What was computed is saved in ``folder``, unless that is None, and opened from there as long as the profile is the
    same. A large profile is read in a process that may have ``memory_bytes``; 0 means that none is.
    """

    def __init__(self, folder: Path | None, limit_bytes: int, memory_bytes: int = 0) -> None:
        self._cache = ProfileCache(folder, limit_bytes)
        self._memory_bytes = memory_bytes
        self._worker = Worker("profiles")
        self._timelines: BackgroundJobs[Path, Task[OpenProfile]] = BackgroundJobs(MOST_OPEN, self._worker)
        self._parts: BackgroundJobs[Path, Task[OpenParts]] = BackgroundJobs(MOST_OPEN, self._worker)

    @with_problem
    def timeline(self, found: FoundProfile) -> Outcome[OpenProfile]:
        """Return the profile if its timeline was read, else the progress of its reading, which begins now.

        After a problem, the next call reads again.
        """
        return self._timeline(found, version_of(found.key)).outcome

    @with_problem
    def parts(self, found: FoundProfile) -> Outcome[OpenParts]:
        """Return all parts and tables of a profile, else the progress of their computation, as ``timeline`` does."""
        version = version_of(found.key)
        computed = self._computed(found, version)
        if computed is not None:
            return computed.outcome
        saved = self._cache.parts(found.key, version)
        if saved is not None:
            return self._tabulation(found, version, lambda _: saved).outcome
        reading = self._timeline(found, version)
        if not reading.is_complete:
            return Outcome(progress=reading)
        return self._tabulation(found, version, lambda task: self._read(found, version, task)[1]).outcome

    @with_problem
    def computed_parts(self, found: FoundProfile) -> Outcome[OpenParts]:
        """Return all parts and tables of a profile if they are computed already, else nothing."""
        computed = self._computed(found, version_of(found.key))
        return Outcome(None if computed is None else computed.value)

    @property
    def folder(self) -> Path | None:
        """Folder of the saved results; None if nothing is saved."""
        return self._cache.folder

    def write_parts(self, opened: OpenParts, path: Path) -> None:
        """Put the parts of an open profile into a file: a link to the saved ones, if there are any. Raises OSError."""
        if not self._cache.link_parts(opened.path, path):
            save_parts(columns_of(opened.profile, opened.zero), path, opened.version)

    def close(self) -> None:
        """Stop reading, and wait for the worker."""
        self._worker.close()

    def _timeline(self, found: FoundProfile, version: str) -> Task[OpenProfile]:
        def make() -> Task[OpenProfile]:
            saved = self._cache.timeline(found.key, version)
            if saved is not None:
                return completed(OpenProfile(found.key, version, saved))
            return Task(lambda task: self._read_timeline(found, version, task), size_of(found.key))

        return self._timelines.request(found.key, version, make)

    def _computed(self, found: FoundProfile, version: str) -> Task[OpenParts] | None:
        """Return the parts and tables that are computed now, or were computed before."""
        kept = self._parts.get(found.key, version)
        if kept is not None:
            return kept
        saved, tables = self._cache.parts(found.key, version), self._cache.tables(found.key, version)
        if saved is None or tables is None:
            return None
        opened = OpenParts(found.key, version, *saved, tables)
        return self._parts.request(found.key, version, lambda: completed(opened))

    def _tabulation(
        self, found: FoundProfile, version: str, parts: Callable[[Task[OpenParts]], SavedParts]
    ) -> Task[OpenParts]:
        def make() -> Task[OpenParts]:
            return Task(lambda task: self._tabulate(found, version, parts(task)), size_of(found.key), "tables")

        return self._parts.request(found.key, version, make)

    def _read_timeline(self, found: FoundProfile, version: str, task: Task[OpenProfile]) -> OpenProfile:
        def show(timeline: Timeline, of_version: str) -> None:
            task.partial = OpenProfile(found.key, of_version, timeline)
            if of_version == version:
                task.value = task.partial  # its parts are still computed

        timeline, parts = self._read(found, version, task, show)
        with suppress(MindscopeError, OSError):  # a request for the parts computes them again
            # computed parts stay what they are while a timeline that was not kept is read again
            if self._computed(found, version) is None:
                self._tabulation(found, version, lambda _: parts)  # after the timeline, which is faster
        return OpenProfile(found.key, version, timeline)

    def _read(
        self, found: FoundProfile, version: str, task: Task[Any], show: _Show = lambda timeline, version: None
    ) -> tuple[Timeline | None, SavedParts]:
        task.phase = "reading"
        is_dense = found.path.suffix in DENSE_SUFFIXES
        if is_readable_apart(found) and is_large(task.total_bytes, self._memory_bytes, is_dense=is_dense):
            return self._read_apart(found, version, task, show)
        preview_key = found.key / "preview"

        def progress(read: int) -> None:
            task.read_bytes = read
            check_connected()

        def show_part(timeline: Timeline, read: int) -> None:
            of_part = f"{version}-{read:x}"
            self._cache.save_timeline(timeline, preview_key, of_part)
            show(self._cache.timeline(preview_key, of_part) or timeline, of_part)

        profile = found.read(TimelinePreviews(found, progress, show_part))
        task.phase = "indexing"
        timeline = None
        if profile.trace is not None:
            with readable(found.key):
                timeline = build_timeline(profile.trace, found.key)
            self._cache.save_timeline(timeline, found.key, version)
            timeline = self._cache.timeline(found.key, version) or timeline
        self._cache.delete_timeline(preview_key)
        return timeline, SavedParts(profile, 0 if timeline is None else timeline.time_range[0])

    def _read_apart(
        self, found: FoundProfile, version: str, task: Task[Any], show: _Show
    ) -> tuple[Timeline | None, SavedParts]:
        """Read a profile as ``_read``, in another process."""

        def progress(read: int) -> None:
            task.read_bytes = read

        def phase(name: str) -> None:
            task.phase = name

        def keep(directory: Path) -> None:
            self._cache.adopt(directory / TIMELINE, found.key)
            self._cache.adopt(directory / PARTS, found.key)

        listener = Listener(progress, phase, show, check_connected)
        return read_large(found, version, self._memory_bytes, self._cache.folder, listener, keep)

    def _tabulate(self, found: FoundProfile, version: str, parts: SavedParts) -> OpenParts:
        with readable(found.key):
            saved = self._cache.parts(found.key, version)
            if saved is None:
                self._cache.save_parts(parts, found.key, version)
                saved = self._cache.parts(found.key, version) or parts
            tables = json_of(tables_of(*saved, self._opened_timeline(found, version)))
        self._cache.save_tables(tables, found.key, version)
        return OpenParts(found.key, version, *saved, tables)

    def _opened_timeline(self, found: FoundProfile, version: str) -> Timeline | None:
        """Return the timeline of a profile that was read, if it is open or saved."""
        saved = self._cache.timeline(found.key, version)
        if saved is not None:
            return saved
        task = self._timelines.get(found.key, version)
        return None if task is None or task.value is None else task.value.timeline
