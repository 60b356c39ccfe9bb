# SPDX-License-Identifier: Apache-2.0
"""Deletes the event files of runs, the files that their recorders kept, and directories that are empty then.

Follows no link.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mindscope.artifacts.recorded_files import DIRECTORY
from mindscope.ingest.file_names import readable
from mindscope.named_bases import roots_of
from mindscope.server.run_files.directories import opened
from mindscope.server.run_files.recorded import emptied_directories, recorded_paths
from mindscope.server.run_files.schema import RunDeletion
from mindscope.store import RunStore


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """What a deletion of a run does, and the identity of its files."""

    deletion: RunDeletion
    identity: str


def plan_deletion(base: Path, store: RunStore) -> DeletionPlan:
    """Return the deletion of a run. Raises OSError."""
    parts, names = _parts(base, store), _file_names(store)
    recorded, others = recorded_paths(store.path)
    with opened(base, parts) as directory:
        kept = [readable(name) for name in _names(directory) if name not in names and (name != DIRECTORY or others)]
        facts = {name: _regular(directory, name) for name in names}
    for path in recorded:
        *directories, name = path.split("/")
        with opened(base, (*parts, *directories)) as directory:
            facts[path] = _regular(directory, name)
    identity = "\0".join([store.id, *(f"{name}\0{found.st_ino}\0{found.st_size}" for name, found in facts.items())])
    size = sum(found.st_size for found in facts.values())
    return DeletionPlan(RunDeletion(run=store.id, files=[*map(readable, facts)], size_bytes=size, kept=kept), identity)


def token_of(plans: Iterable[DeletionPlan], secret: bytes) -> str:
    """Return the token that confirms these deletions."""
    listed = "\0\0".join(plan.identity for plan in plans)
    return hmac.new(secret, listed.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def delete_files(base: Path, store: RunStore) -> None:
    """Delete the files that a run kept, then its event files, one by one. Raises OSError if one can't be deleted."""
    parts = _parts(base, store)
    recorded, _ = recorded_paths(store.path)
    for path in recorded:
        *directories, name = path.split("/")
        with opened(base, (*parts, *directories)) as directory:
            _regular(directory, name)
            os.unlink(name, dir_fd=directory)
    for path in emptied_directories(recorded):
        _remove_if_empty(base, (*parts, *path.split("/")))
    with opened(base, parts) as directory:
        for name in _file_names(store):
            _regular(directory, name)
            os.unlink(name, dir_fd=directory)
    if store.path.resolve() not in roots_of(base):
        _remove_if_empty(base, parts)


def _remove_if_empty(base: Path, parts: Sequence[str]) -> None:
    """Remove a directory that is there and empty. Raises OSError."""
    try:
        with opened(base, parts) as directory:
            is_empty = not _names(directory)
    except FileNotFoundError:
        return
    if is_empty:
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
