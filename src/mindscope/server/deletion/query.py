# SPDX-License-Identifier: Apache-2.0
"""Deletes the event files of a run, and its directory if it is empty then. Follows no link."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from mindscope.ingest.file_names import readable
from mindscope.server.deletion.schema import DeletedAnswer, DeletionAnswer
from mindscope.store import RunStore

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def plan_deletion(base: Path, store: RunStore, secret: bytes) -> DeletionAnswer:
    """Return the files to delete, and the token that confirms them. Raises OSError."""
    names = _file_names(store)
    with _opened(base, store.path) as directory:
        others = [readable(name) for name in _names(directory) if name not in names]
        facts = {name: _regular(directory, name) for name in names}
    listed = "\0".join([store.id, *(f"{name}\0{found.st_ino}\0{found.st_size}" for name, found in facts.items())])
    return DeletionAnswer(
        run=store.id,
        token=hmac.new(secret, listed.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest(),
        files=[readable(name) for name in names],
        size_bytes=sum(found.st_size for found in facts.values()),
        kept=others,
    )


def delete_files(base: Path, store: RunStore) -> DeletedAnswer:
    """Delete the event files of a run one by one, from the oldest. Raises OSError if one can't be deleted."""
    names = _file_names(store)
    with _opened(base, store.path) as directory:
        for name in names:
            _regular(directory, name)
            os.unlink(name, dir_fd=directory)
        left = [readable(name) for name in _names(directory)]
    if not left and store.path != base:
        with _opened(base, store.path.parent) as parent:
            os.rmdir(store.path.name, dir_fd=parent)
    return DeletedAnswer(run=store.id, files=[readable(name) for name in names], kept=left)


def _file_names(store: RunStore) -> list[str]:
    return [Path(facts.path).name for facts in store.files]


def _names(directory: int) -> list[str]:
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in entries)


def _regular(directory: int, name: str) -> os.stat_result:
    """Return the status of a regular file. Raises OSError for a link: its target is outside the run."""
    found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        raise FileNotFoundError(None, "is a link or no file; delete it yourself", name)
    return found


@contextmanager
def _opened(base: Path, path: Path) -> Generator[int]:
    """Open a directory at or below ``base``, name by name, so that no link leads to another directory."""
    directory = os.open(base, DIRECTORY)
    try:
        for name in path.relative_to(base).parts:
            inner = os.open(name, DIRECTORY, dir_fd=directory)
            os.close(directory)
            directory = inner
        yield directory
    finally:
        os.close(directory)
