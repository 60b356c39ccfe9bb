# SPDX-License-Identifier: Apache-2.0
"""Keeps the results of profiles as files: timelines, parts, tables."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from mindscope.profile.parts_file import SavedParts, columns_of, open_parts, save_parts
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.timeline.timeline_file import open_timeline, save_timeline
from mindscope.server.profiles.tables.schema import ProfileTables
from mindscope.table.schema import text_version

TIMELINE, PARTS, TABLES = ".timeline", ".parts", ".tables"
RESERVED_BYTES = 1 << 30
"""Free disk space that is left for everything else."""

_T = TypeVar("_T")


@cache
def _tables_version() -> int:
    """Changes with the messages of tables."""
    return text_version(json.dumps(ProfileTables.model_json_schema(), sort_keys=True))


class ProfileCache:
    """Files in ``folder``, nothing if that is None; the least recently used ones make room for others.

    Each file holds for one version of its profile. What can't be saved is as if it was never saved.
    """

    def __init__(self, folder: Path | None, limit_bytes: int) -> None:
        self.folder = folder
        self._limit_bytes = limit_bytes

    def timeline(self, profile: Path, version: str) -> Timeline | None:
        """Return the timeline of a profile, mapped into memory."""
        saved = self._path(profile, TIMELINE)
        return None if saved is None else _touched(saved, open_timeline(saved, version))

    def save_timeline(self, timeline: Timeline, profile: Path, version: str) -> None:
        """Keep the timeline of a profile."""
        self._save(profile, TIMELINE, _bytes_of(timeline), lambda path: save_timeline(timeline, path, version))

    def delete_timeline(self, profile: Path) -> None:
        """Forget the timeline of a profile."""
        saved = self._path(profile, TIMELINE)
        if saved is not None:
            with suppress(OSError):
                saved.unlink(missing_ok=True)

    def parts(self, profile: Path, version: str) -> SavedParts | None:
        """Return the parts of a profile, mapped into memory."""
        saved = self._path(profile, PARTS)
        return None if saved is None else _touched(saved, open_parts(saved, version))

    def save_parts(self, parts: SavedParts, profile: Path, version: str) -> None:
        """Keep the parts of a profile, which are computed for that."""
        columns = columns_of(*parts)
        self._save(profile, PARTS, columns.nbytes, lambda path: save_parts(columns, path, version))

    def link_parts(self, profile: Path, path: Path) -> bool:
        """Make another link to the parts of a profile, which stay there as long as it; False if there are none."""
        saved = self._path(profile, PARTS)
        try:
            if saved is not None:
                os.link(saved, path)
            return saved is not None
        except OSError:
            return False

    def adopt(self, made: Path, profile: Path) -> None:
        """Move a file with a timeline or parts here; without room it stays where it is."""
        suffix = f".{made.name}"
        if suffix in (TIMELINE, PARTS) and made.is_file():
            self._save(profile, suffix, made.stat().st_size, made.replace)

    def tables(self, profile: Path, version: str) -> str | None:
        """Return the tables of a profile as JSON."""
        saved = self._path(profile, TABLES)
        try:
            head, _, text = ("" if saved is None else saved.read_text("utf-8")).partition("\n")
        except (OSError, ValueError):
            return None
        return text if head == f"{_tables_version()} {version}" else None

    def save_tables(self, text: str, profile: Path, version: str) -> None:
        """Keep the tables of a profile as JSON."""

        def write(path: Path) -> None:
            part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
            part.write_text(f"{_tables_version()} {version}\n{text}", "utf-8")
            part.replace(path)

        self._save(profile, TABLES, len(text), write)

    def _save(self, profile: Path, suffix: str, size: int, write: Callable[[Path], object]) -> None:
        path = self._path(profile, suffix)
        if path is not None and self._has_room(path, size):
            with suppress(OSError):
                write(path)

    def _path(self, profile: Path, suffix: str) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / (hashlib.sha256(os.fsencode(profile)).hexdigest()[:24] + suffix)

    def _has_room(self, path: Path, size: int) -> bool:
        """Return whether a file may be saved; deletes the least recently used ones if needed."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            saved = sorted(_stats(path.parent), key=lambda stat: stat[1].st_mtime)
            total = size + sum(status.st_size for _, status in saved)
            for each, status in saved:
                if total <= self._limit_bytes:
                    break
                each.unlink(missing_ok=True)
                total -= status.st_size
            return total <= self._limit_bytes and shutil.disk_usage(path.parent).free - size > RESERVED_BYTES
        except OSError:
            return False


def _touched(path: Path, opened: _T | None) -> _T | None:
    """Return the opened file, after setting the time of its last use."""
    if opened is not None:
        with suppress(OSError):
            os.utime(path)
    return opened


def _stats(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for suffix in (TIMELINE, PARTS, TABLES):
        for path in folder.glob(f"*{suffix}"):
            with suppress(FileNotFoundError):
                yield path, path.stat()


def _bytes_of(timeline: Timeline) -> int:
    """Return the bytes of the columns, about the size of the file."""
    each = timeline.start.itemsize * 4 + 4 * 4 + timeline.args_offset.itemsize + 1
    points = sum(len(counter.times) for counter in timeline.counters)
    return len(timeline) * each + 16 * points + 12 * len(timeline.flows.source) + 32 * len(timeline.marks.time)
