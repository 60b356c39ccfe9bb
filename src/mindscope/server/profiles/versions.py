# SPDX-License-Identifier: Apache-2.0
"""Size of a profile, and a text that changes with its content."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from stat import S_ISREG

from mindscope.artifacts.rank_path import without_rank

MOST_FILES = 1000
"""Of a profile that is a directory, whose changes are noticed."""


def version_of(path: Path) -> str:
    """Changes with the content of a file or directory. Raises OSError."""
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
