# SPDX-License-Identifier: Apache-2.0
"""Notices changes of dumps by the times of their directories."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from mindscope.lru import LRU

MOST_DIRECTORIES = 20_000
"""Of a dump, whose changes are noticed."""
_MOST_DUMPS = 64
_SETTLED_NS = 2 * 10**9
"""Times of directories may be this coarse: a younger one may change again without another time."""


class _Listed(NamedTuple):
    """A directory as it was listed."""

    modified_ns: int
    is_settled: bool
    """Whether a later change shows in its time."""
    directories: tuple[str, ...]
    """Those in it, without links."""


class DumpVersions:
    """Versions of the dumps that were used last. A directory is listed again only if its time changed.

    Only one thread at a time may use it.
    """

    def __init__(self) -> None:
        self._listed: LRU[Path, dict[str, _Listed]] = LRU(_MOST_DUMPS)

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
        directories = tuple([each.path for each in entries if each.is_dir(follow_symlinks=False)])
    return _Listed(modified_ns, is_settled, directories)
