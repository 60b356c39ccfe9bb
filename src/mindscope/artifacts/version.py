# SPDX-License-Identifier: Apache-2.0
"""Texts that change with the content of files and directories, and their sizes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from mindscope.artifacts.rank_path import without_rank
from mindscope.lru import LRU

MOST_FILES = 1000
"""Of a directory, whose changes ``version_of`` notices."""
MOST_DIRECTORIES = 20_000
"""Of a directory, whose changes ``DirectoryVersions`` notices."""
_MOST_KEPT = 64
_SETTLED_NS = 2 * 10**9
"""Times of directories may be this coarse: a younger one may change again without another time."""


def version_of(path: Path) -> str:
    """Changes with the content of a file, or of the files of a directory. Raises OSError."""
    path, _ = without_rank(path)
    status = path.stat()
    size, changed_ns = status.st_size, _changed_ns(status)
    for file in _files(path):
        size, changed_ns = size + file.st_size, max(changed_ns, _changed_ns(file))
    return f"{size:x}-{changed_ns:x}-{status.st_ino:x}"


def _changed_ns(status: os.stat_result) -> int:
    """Also ctime: a writer may set the other time back."""
    return max(status.st_mtime_ns, status.st_ctime_ns)


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of the files of a directory. Raises OSError."""
    path, _ = without_rank(path)
    return path.stat().st_size if path.is_file() else sum(file.st_size for file in _files(path))


def _files(directory: Path) -> Iterator[os.stat_result]:
    """Yield the first of the files below a directory; none of a file."""
    if directory.is_dir():
        for file in islice(directory.rglob("*"), MOST_FILES):
            with suppress(FileNotFoundError):
                status = file.lstat()
                if S_ISREG(status.st_mode):
                    yield status


class _Listed(NamedTuple):
    """A directory as it was listed."""

    modified_ns: int
    is_settled: bool
    """Whether a later change shows in its time."""
    directories: tuple[str, ...]
    """Those in it, without links."""


class DirectoryVersions:
    """Versions of directories whose files are added but not changed, such as dumps; for any thread.

    A directory is listed again only if its time changed, so that a version of 20,000 directories costs as many stats.
    """

    def __init__(self) -> None:
        self._listed: LRU[Path, dict[str, _Listed]] = LRU(_MOST_KEPT)

    def of(self, path: Path) -> str:
        """Changes when a file or directory is added or removed. Raises OSError."""
        modified_ns = path.stat().st_mtime_ns
        listed = self._listed.add(path, _listed_below(path, self._listed.get(path) or {}))
        return f"{len(listed):x}-{max([modified_ns, *(each.modified_ns for each in listed.values())]):x}"


def _listed_below(path: Path, known: dict[str, _Listed]) -> dict[str, _Listed]:
    """Return a directory and those below it; nothing of a file."""
    found: dict[str, _Listed] = {}
    pending = [os.fspath(path)]
    while pending and len(found) < MOST_DIRECTORIES:
        directory = pending.pop()
        with suppress(OSError):
            found[directory] = _listed(directory, known.get(directory))
            pending += found[directory].directories
    return found


def _listed(directory: str, known: _Listed | None) -> _Listed:
    modified_ns = os.stat(directory).st_mtime_ns  # noqa: PTH116 (20,000 paths take as long to make as the rest)
    if known is not None and known.is_settled and known.modified_ns == modified_ns:
        return known
    is_settled = modified_ns < time.time_ns() - _SETTLED_NS
    with os.scandir(directory) as entries:
        directories = tuple([entry.path for entry in entries if entry.is_dir(follow_symlinks=False)])
    return _Listed(modified_ns, is_settled, directories)
