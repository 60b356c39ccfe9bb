# SPDX-License-Identifier: Apache-2.0
"""Reads profiles in the background, one at a time, and keeps their timelines open."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from threading import Lock
from typing import Any, Generic, TypeVar

from mindscope.profile.arguments import ArgumentFile
from mindscope.profile.build_timeline import build_timeline
from mindscope.profile.open import FoundProfile
from mindscope.profile.profile import Profile
from mindscope.profile.timeline import Timeline
from mindscope.profile.timeline_file import open_timeline, save_timeline

SUFFIX = ".timeline"
TABLES_SUFFIX = ".tables"
TABLES_VERSION = 1
"""Changes with the messages of tables."""
MOST_OPEN = 4
MOST_FILES = 1000
"""Of a profile that is a directory, whose changes are noticed."""
RESERVED_BYTES = 1 << 30
"""Free disk space that is left for everything else."""


class _StoppedError(Exception):
    pass


_T = TypeVar("_T")


@dataclass(eq=False)
class Reading(Generic[_T]):
    """A profile that is read now, or whose tables are computed."""

    path: Path
    version: str
    total_bytes: int
    read_bytes: int = 0
    phase: str = "waiting"
    started_at: float = field(default_factory=time.monotonic)
    result: Future[_T] | None = None

    @property
    def seconds(self) -> float:
        """Since it was requested."""
        return time.monotonic() - self.started_at


@dataclass(eq=False)
class OpenProfile:
    """A profile that was read; ``timeline`` is None if it has none. Hold ``lock`` while arguments are read."""

    path: Path
    version: str
    timeline: Timeline | None
    lock: Lock = field(default_factory=Lock)
    _arguments: ArgumentFile | None = None

    def arguments(self) -> ArgumentFile:
        """The texts of its arguments. Raises OSError."""
        if self._arguments is None:
            self._arguments = ArgumentFile(self.path)
        return self._arguments


class ProfileReader:
    """LRU cache of open profiles. For any thread.

    A timeline is saved in ``folder``, unless that is None, and opened from there as long as the profile is the same.
    """

    def __init__(self, folder: Path | None, limit_bytes: int) -> None:
        self._folder = folder
        self._limit_bytes = limit_bytes
        self._lock = Lock()  # guards the three below
        self._open: OrderedDict[Path, OpenProfile] = OrderedDict()  # the least recently used first
        self._reading: dict[Path, Reading[OpenProfile]] = {}
        self._computing: dict[Path, Reading[str]] = {}  # tables
        self._worker = ThreadPoolExecutor(1, "profiles")
        self._is_closed = False

    def get(self, found: FoundProfile) -> OpenProfile | Reading[Any]:
        """The profile if it was read, else the state of its reading, which begins now.

        Raises what prevented the reading; the next call reads again.
        """
        version = version_of(found.path)
        with self._lock:
            return self._opened(found, version)

    def tables(self, found: FoundProfile) -> str | Reading[Any]:
        """The tables of a profile as the JSON of ProfileTables, else the state of their computation.

        Raises what prevented it, as ``get`` does.
        """
        version = version_of(found.path)
        with self._lock:
            computed = self._computing.get(found.path)
            if computed is None or computed.version != version:
                saved = self._saved_tables(found.path, version)
                return saved or self._reading_of(found, version)
            assert computed.result is not None
            if not computed.result.done():
                return computed
            del self._computing[found.path]
            return computed.result.result()

    def close(self) -> None:
        """Stop reading."""
        self._is_closed = True
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _opened(self, found: FoundProfile, version: str) -> OpenProfile | Reading[Any]:
        known = self._open.get(found.path)
        if known is not None and known.version == version:
            self._open.move_to_end(found.path)
            return known
        saved = self._saved(found.path, version)
        if saved is not None:
            return self._keep(saved)
        reading = self._reading_of(found, version)
        assert reading.result is not None
        if not reading.result.done():
            return reading
        del self._reading[found.path]
        return self._keep(reading.result.result())

    def _reading_of(self, found: FoundProfile, version: str) -> Reading[OpenProfile]:
        reading = self._reading.get(found.path)
        if reading is None or reading.version != version or (reading.result is not None and reading.result.done()):
            reading = self._reading[found.path] = Reading(found.path, version, size_of(found.path))
            reading.result = self._worker.submit(self._read, found, reading)
        return reading

    def _keep(self, opened: OpenProfile) -> OpenProfile:
        self._open[opened.path] = opened
        self._open.move_to_end(opened.path)
        while len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        return opened

    def _read(self, found: FoundProfile, reading: Reading[OpenProfile]) -> OpenProfile:
        def progress(read: int) -> None:
            reading.read_bytes = read
            if self._is_closed:
                raise _StoppedError

        reading.phase = "reading"
        profile = found.format.read(found.path, progress)
        reading.phase = "indexing"
        opened = OpenProfile(found.path, reading.version, self._indexed(profile, found.path, reading.version))
        self._compute_tables(profile, opened)
        return opened

    def _indexed(self, profile: Profile, path: Path, version: str) -> Timeline | None:
        """The timeline of a profile, out of the cache if it can be saved there."""
        if profile.trace is None:
            return None
        timeline = build_timeline(profile.trace, path)
        saved = self._saved_path(path, SUFFIX)
        if saved is None or not self._has_room(saved, _bytes_of(timeline)):
            return timeline
        try:
            save_timeline(timeline, saved, version)
        except OSError:
            return timeline
        return open_timeline(saved, version) or timeline

    def _compute_tables(self, profile: Profile, opened: OpenProfile) -> None:
        """The tables follow the timeline, which needs less time."""
        computing: Reading[str] = Reading(opened.path, opened.version, size_of(opened.path), phase="tables")
        computing.result = self._worker.submit(self._tables_of, profile, opened)
        with self._lock:
            self._computing[opened.path] = computing

    def _tables_of(self, profile: Profile, opened: OpenProfile) -> str:
        from mindscope.server.profiles.tables import tables_of

        zero = 0 if opened.timeline is None else opened.timeline.time_range[0]
        text = tables_of(profile, zero).model_dump_json()
        saved = self._saved_path(opened.path, TABLES_SUFFIX)
        if saved is not None and self._has_room(saved, len(text)):
            part = saved.with_name(f"{saved.name}.{secrets.token_hex(4)}.part")
            with suppress(OSError):
                part.write_text(f"{TABLES_VERSION} {opened.version}\n{text}", "utf-8")
                part.replace(saved)
        return text

    def _saved_tables(self, path: Path, version: str) -> str | None:
        saved = self._saved_path(path, TABLES_SUFFIX)
        try:
            head, _, text = ("" if saved is None else saved.read_text("utf-8")).partition("\n")
        except (OSError, ValueError):
            return None
        return text if head == f"{TABLES_VERSION} {version}" else None

    def _saved(self, path: Path, version: str) -> OpenProfile | None:
        saved = self._saved_path(path, SUFFIX)
        timeline = None if saved is None else open_timeline(saved, version)
        if saved is None or timeline is None:
            return None
        with suppress(OSError):
            os.utime(saved)  # the time of its last use
        return OpenProfile(path, version, timeline)

    def _saved_path(self, path: Path, suffix: str) -> Path | None:
        if self._folder is None:
            return None
        return self._folder / (hashlib.sha256(os.fsencode(path)).hexdigest()[:24] + suffix)

    def _has_room(self, path: Path, size: int) -> bool:
        """Whether a timeline may be saved; deletes the least recently used ones if needed."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            saved = sorted(_stats(path.parent), key=lambda each: each[1].st_mtime)
            total = size + sum(status.st_size for _, status in saved)
            for each, status in saved:
                if total <= self._limit_bytes:
                    break
                each.unlink(missing_ok=True)
                total -= status.st_size
            return total <= self._limit_bytes and shutil.disk_usage(path.parent).free - size > RESERVED_BYTES
        except OSError:
            return False


def version_of(path: Path) -> str:
    """Changes with the content of a file or directory. Raises OSError."""
    status = path.stat()
    size, modified_ns = status.st_size, status.st_mtime_ns
    for file in _files(path):
        size, modified_ns = size + file.st_size, max(modified_ns, file.st_mtime_ns)
    return f"{size:x}-{modified_ns:x}-{status.st_ino:x}"


def size_of(path: Path) -> int:
    """Bytes of a file, or of the files of a directory. Raises OSError."""
    return path.stat().st_size if path.is_file() else sum(file.st_size for file in _files(path))


def _files(directory: Path) -> Iterator[os.stat_result]:
    """The first of the files below a directory; none of a file."""
    if directory.is_dir():
        for file in islice(directory.rglob("*"), MOST_FILES):
            with suppress(FileNotFoundError):
                status = file.lstat()
                if S_ISREG(status.st_mode):
                    yield status


def _stats(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for path in (*folder.glob(f"*{SUFFIX}"), *folder.glob(f"*{TABLES_SUFFIX}")):
        try:
            yield path, path.stat()
        except FileNotFoundError:
            continue


def _bytes_of(timeline: Timeline) -> int:
    """Of its columns; about what its file has."""
    each = timeline.start.itemsize * 4 + 4 * 4 + timeline.args_offset.itemsize + 1
    points = sum(len(counter.times) for counter in timeline.counters)
    return len(timeline) * each + 16 * points + 12 * len(timeline.flows.source) + 32 * len(timeline.marks.time)
