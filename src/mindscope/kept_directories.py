# SPDX-License-Identifier: Apache-2.0
"""Directories in the cache of the user, which stay for the next use: of archives, and of remote stores."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from pathlib import Path

KEPT_S = 30 * 24 * 3600
"""Time after the last use of a directory after which the next use of any one deletes it."""

_locks: dict[str, int] = {}  # descriptors that keep directories in use, by directory


def cache_directory(kind: str) -> Path:
    """Return the directory in the cache of the user that holds those of one ``kind``, such as ``archives``."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "mindscope" / kind  # noqa: PTH117


def use(directory: Path) -> None:
    """Make a directory and keep it as long as the process lives; delete those beside it that are no longer used.

    Raises OSError.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    if str(directory) not in _locks:
        descriptor = os.open(_lock_file(directory), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        _locks[str(directory)] = descriptor
    os.utime(_lock_file(directory))
    _delete_unused(directory.parent)


def _delete_unused(cache: Path) -> None:
    for directory in [path for path in cache.iterdir() if path.is_dir()]:
        lock = _lock_file(directory)
        with contextlib.suppress(OSError):
            if time.time() - lock.stat().st_mtime < KEPT_S:
                continue
            descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(directory)
                lock.unlink()
            finally:
                os.close(descriptor)


def _lock_file(directory: Path) -> Path:
    return directory.with_name(f"{directory.name}.lock")
