# SPDX-License-Identifier: Apache-2.0
"""Deletes the event files of runs, and their directories if these are empty then. Follows no link."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mindscope.ingest.file_names import readable
from mindscope.server.run_files.directories import opened
from mindscope.server.run_files.schema import RunDeletion
from mindscope.store import RunStore


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """What a deletion of a run does, and the identity of its files."""

    deletion: RunDeletion
    identity: str


def plan_deletion(base: Path, store: RunStore) -> DeletionPlan:
    """Return the deletion of a run. Raises OSError."""
    names = _file_names(store)
    with opened(base, _parts(base, store)) as directory:
        others = [readable(name) for name in _names(directory) if name not in names]
        facts = {name: _regular(directory, name) for name in names}
    identity = "\0".join([store.id, *(f"{name}\0{found.st_ino}\0{found.st_size}" for name, found in facts.items())])
    size = sum(found.st_size for found in facts.values())
    files = [readable(name) for name in names]
    return DeletionPlan(RunDeletion(run=store.id, files=files, size_bytes=size, kept=others), identity)


def token_of(plans: Iterable[DeletionPlan], secret: bytes) -> str:
    """Return the token that confirms these deletions."""
    listed = "\0\0".join(plan.identity for plan in plans)
    return hmac.new(secret, listed.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def delete_files(base: Path, store: RunStore) -> None:
    """Delete the event files of a run one by one, from the oldest. Raises OSError if one can't be deleted."""
    parts = _parts(base, store)
    with opened(base, parts) as directory:
        for name in _file_names(store):
            _regular(directory, name)
            os.unlink(name, dir_fd=directory)
        is_empty = not _names(directory)
    if is_empty and parts:
        with opened(base, parts[:-1]) as parent:
            os.rmdir(parts[-1], dir_fd=parent)


def _parts(base: Path, store: RunStore) -> tuple[str, ...]:
    return store.path.relative_to(base).parts


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
