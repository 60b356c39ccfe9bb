# SPDX-License-Identifier: Apache-2.0
"""Reads profiles in the background, one at a time, and keeps what was computed of them open."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from mindscope.limited_process import is_large
from mindscope.profile.model.damage import readable
from mindscope.profile.open import FoundProfile
from mindscope.profile.open_arguments import open_arguments
from mindscope.profile.parts_file import SavedParts, columns_of, save_parts
from mindscope.profile.profile import Profile
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.trace.arguments import ArgumentReader
from mindscope.server.http.json_response import json_of
from mindscope.server.profiles.jobs import Jobs
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
from mindscope.server.profiles.versions import size_of, version_of

MOST_OPEN = 4
"""Profiles whose timelines stay open, and those whose parts do."""


class _StoppedError(Exception):
    pass


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


@dataclass(eq=False)
class Reading:
    """A profile that is read now, whose parts are computed, or which is compared with another one."""

    path: Path
    version: str
    total_bytes: int
    read_bytes: int = 0
    phase: str = "waiting"
    preview: OpenProfile | None = None
    """Of what is read so far; its version is that of the profile if it is the whole timeline."""
    is_outdated: bool = False
    """The file has changed since: the reading stops."""
    started_at: float = field(default_factory=time.monotonic)
    requested_at: float = field(default_factory=time.monotonic)

    @property
    def whole(self) -> OpenProfile | None:
        """The profile with its whole timeline, while its parts are still computed."""
        return self.preview if self.preview is not None and self.preview.version == self.version else None

    @property
    def seconds(self) -> float:
        """Since it was requested."""
        return time.monotonic() - self.started_at


@dataclass(frozen=True, eq=False, slots=True)
class OpenParts:
    """All parts of a profile, without its trace."""

    path: Path
    version: str
    profile: Profile
    zero: int
    """When its timeline begins: nanoseconds since the origin of the profile."""
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
        self._lock = Lock()  # guards the two below
        self._timelines: Jobs[Path, Reading, OpenProfile] = Jobs(MOST_OPEN)
        self._parts: Jobs[Path, Reading, OpenParts] = Jobs(MOST_OPEN)
        self._worker = ThreadPoolExecutor(1, "profiles")
        self._is_closed = False

    def timeline(self, found: FoundProfile) -> OpenProfile | Reading:
        """Return the profile if its timeline was read, else the state of its reading, which begins now.

        Raises what prevented the reading; the next call reads again.
        """
        version = version_of(found.key)
        with self._lock:
            known = self._timelines.get(found.key, version) or self._timelines.made(found.key, version)
            if known is not None:
                return (known.whole or known) if isinstance(known, Reading) else known
            saved = self._cache.timeline(found.key, version)
            if saved is not None:
                return self._timelines.keep(found.key, version, OpenProfile(found.key, version, saved))
            return self._begin(found, version)

    def parts(self, found: FoundProfile) -> OpenParts | Reading:
        """Return all parts and tables of a profile, else the state of their computation.

        Raises what prevented it, as ``timeline`` does.
        """
        version = version_of(found.key)
        with self._lock:
            known = self._parts.made(found.key, version) or self._computed(found, version)
            if known is not None:
                return known
            saved = self._cache.parts(found.key, version)
            return self._unread(found, version) if saved is None else self._compute(found.key, version, lambda: saved)

    def computed_parts(self, found: FoundProfile) -> OpenParts | None:
        """Return all parts and tables of a profile if they are computed already. Raises OSError."""
        version = version_of(found.key)
        with self._lock:
            return self._computed(found, version)

    @property
    def folder(self) -> Path | None:
        """Where what was computed is saved."""
        return self._cache.folder

    def write_parts(self, opened: OpenParts, path: Path) -> None:
        """Put the parts of an open profile into a file: a link to the saved ones, if there are any. Raises OSError."""
        if not self._cache.link_parts(opened.path, path):
            save_parts(columns_of(opened.profile, opened.zero), path, opened.version)

    def close(self) -> None:
        """Stop reading."""
        self._is_closed = True
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _computed(self, found: FoundProfile, version: str) -> OpenParts | None:
        known = self._parts.get(found.key, version)
        if known is not None:
            return known
        saved, tables = self._cache.parts(found.key, version), self._cache.tables(found.key, version)
        if saved is None or tables is None:
            return None
        return self._parts.keep(found.key, version, OpenParts(found.key, version, *saved, tables))

    def _unread(self, found: FoundProfile, version: str) -> Reading:
        """Return the state of reading a profile, after which its parts are computed."""
        state = self._timelines.made(found.key, version)
        return state if isinstance(state, Reading) else self._begin(found, version)

    def _begin(self, found: FoundProfile, version: str) -> Reading:
        state = Reading(found.key, version, size_of(found.key))
        return self._timelines.begin(found.key, state, self._worker.submit(self._read, found, state))

    def _compute(self, path: Path, version: str, parts: Callable[[], SavedParts]) -> Reading:
        state = Reading(path, version, size_of(path), phase="tables")
        return self._parts.begin(path, state, self._worker.submit(self._tabulate, state, parts))

    def _compute_missing(self, found: FoundProfile, state: Reading, parts: Callable[[], SavedParts]) -> None:
        """Computed parts stay what they are while a timeline that was not kept is read again."""
        with self._lock:
            if self._computed(found, state.version) is None:
                self._compute(found.key, state.version, parts)

    def _read(self, found: FoundProfile, state: Reading) -> OpenProfile:
        is_dense = found.path.suffix in DENSE_SUFFIXES
        if is_readable_apart(found) and is_large(state.total_bytes, self._memory_bytes, is_dense=is_dense):
            return self._read_apart(found, state)

        def progress(read: int) -> None:
            state.read_bytes = read
            self._stop_if_outdated(state)

        place = found.key / "preview"

        def show(timeline: Timeline, read: int) -> None:
            version = f"{state.version}-{read:x}"
            self._cache.save_timeline(timeline, place, version)
            state.preview = OpenProfile(found.key, version, self._cache.timeline(place, version) or timeline)

        state.phase = "reading"
        profile = found.read(TimelinePreviews(found, progress, show))
        state.phase = "indexing"
        timeline = None
        if profile.trace is not None:
            with readable(found.key):
                timeline = build_timeline(profile.trace, found.key)
            self._cache.save_timeline(timeline, found.key, state.version)
            timeline = self._cache.timeline(found.key, state.version) or timeline
        self._cache.delete_timeline(place)
        zero = 0 if timeline is None else timeline.time_range[0]
        self._compute_missing(found, state, lambda: SavedParts(profile, zero))  # after the timeline, which is faster
        return OpenProfile(found.key, state.version, timeline)

    def _read_apart(self, found: FoundProfile, state: Reading) -> OpenProfile:
        """As ``_read``, in a process that reads."""

        def progress(read: int) -> None:
            state.read_bytes = read

        def phase(name: str) -> None:
            state.phase = name

        def show(timeline: Timeline, version: str) -> None:
            state.preview = OpenProfile(found.key, version, timeline)

        def keep(directory: Path) -> None:
            self._cache.adopt(directory / TIMELINE, found.key)
            self._cache.adopt(directory / PARTS, found.key)

        state.phase = "reading"
        listener = Listener(progress, phase, show, lambda: self._stop_if_outdated(state))
        read = read_large(found, state.version, self._memory_bytes, self._cache.folder, listener, keep)
        self._compute_missing(found, state, lambda: read.parts)
        return OpenProfile(found.key, state.version, read.timeline)

    def _stop_if_outdated(self, state: Reading) -> None:
        if self._is_closed or state.is_outdated:
            raise _StoppedError

    def _opened_timeline(self, state: Reading) -> Timeline | None:
        """Return the timeline of a profile that was read, if it is open or saved."""
        saved = self._cache.timeline(state.path, state.version)
        if saved is not None:
            return saved
        with self._lock:
            known = self._timelines.get(state.path, state.version) or self._timelines.made(state.path, state.version)
        return known.timeline if isinstance(known, OpenProfile) else None

    def _tabulate(self, state: Reading, parts: Callable[[], SavedParts]) -> OpenParts:
        with readable(state.path):
            saved = self._cache.parts(state.path, state.version)
            if saved is None:
                self._cache.save_parts(parts(), state.path, state.version)
                saved = self._cache.parts(state.path, state.version) or parts()
            tables = json_of(tables_of(*saved, self._opened_timeline(state)))
        self._cache.save_tables(tables, state.path, state.version)
        return OpenParts(state.path, state.version, *saved, tables)
