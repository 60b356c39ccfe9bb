# SPDX-License-Identifier: Apache-2.0
"""All caches of a workspace: lists them, clears them, evicts old ones."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from mindscope.store.run_index import read_base

CACHE_FOLDER = "cache"
INDEX_NAME = "runs.index"
LOCK_NAME = "lock"


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """The cache of one base directory. ``base`` is None if its index can't be read; ``used_at`` in s since 1970."""

    folder: Path
    base: str | None
    size_bytes: int
    used_at: float
    is_in_use: bool


def list_caches(workspace: Path) -> list[CacheEntry]:
    """Return the caches of a workspace, most recently used first."""
    folders = (path for path in (workspace / CACHE_FOLDER).glob("*") if path.is_dir())
    return sorted((_entry(folder) for folder in folders), key=lambda entry: entry.used_at, reverse=True)


def clear_caches(workspace: Path) -> list[CacheEntry]:
    """Delete all caches except those that a viewer writes; returns the deleted ones. Raises OSError."""
    return [entry for entry in list_caches(workspace) if _delete(entry.folder)]


def evict_caches(workspace: Path, keep: Path, limit_bytes: int) -> int:
    """Delete the least recently used caches until all except ``keep`` take at most ``limit_bytes``.

    Returns the remaining size of these caches, in bytes.
    """
    others = [entry for entry in list_caches(workspace) if entry.folder != keep]
    total = sum(entry.size_bytes for entry in others)
    while others and total > limit_bytes:
        oldest = others.pop()
        total -= oldest.size_bytes if _delete(oldest.folder) else 0
    return total


def hold(path: Path) -> FileIO | None:
    """Lock the file ``path`` until the result is closed or the process ends; None if another process has the lock."""
    while True:
        file = FileIO(path, "a")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno())):
                return file
        except BlockingIOError:
            file.close()
            return None
        except OSError:
            file.close()
            raise
        file.close()  # its folder was deleted between opening and locking


def _entry(folder: Path) -> CacheEntry:
    stats = list(_stats(folder))
    index = folder / INDEX_NAME
    return CacheEntry(
        folder=folder,
        base=read_base(index),
        size_bytes=sum(stat.st_size for stat in stats),
        used_at=(index if index.exists() else folder).stat().st_mtime,
        is_in_use=_is_held(folder / LOCK_NAME),
    )


def _stats(folder: Path) -> Iterator[os.stat_result]:
    """Yield the stats of the files in a folder; skips files that another process deletes during the listing."""
    for path in folder.iterdir():
        try:
            yield path.stat()
        except FileNotFoundError:
            continue


def _is_held(path: Path) -> bool:
    if not path.exists():
        return False
    file = hold(path)
    if file is not None:
        file.close()
    return file is None


def _delete(folder: Path) -> bool:
    file = hold(folder / LOCK_NAME)
    if file is None:
        return False
    with file:
        shutil.rmtree(folder)
    return True
