# SPDX-License-Identifier: Apache-2.0
"""Paths of profiles in a directory that holds files of several ranks: ``runs/profiler#rank1``."""

from __future__ import annotations

from pathlib import Path

_RANK = "#rank"
_ITSELF = "."


def with_rank(path: Path, rank: int | None) -> Path:
    """Return the path of the profile of a rank in a directory; the path itself for None."""
    return path if rank is None else path.with_name(f"{path.name}{_RANK}{rank}")


def path_below(directory: Path, path: Path, rank: int | None) -> Path:
    """Return the path of a profile relative to a directory, which itself may be that of several ranks: ``.#rank1``."""
    if path == directory:
        return Path(_ITSELF if rank is None else f"{_ITSELF}{_RANK}{rank}")
    return with_rank(path, rank).relative_to(directory)


def without_rank(path: Path) -> tuple[Path, int | None]:
    """Return the directory of several ranks, and the rank that ends its path.

    It is None if a file or directory is named so.
    """
    name, _, rank = path.name.rpartition(_RANK)
    if not name or not (rank.isascii() and rank.isdecimal()) or path.exists():
        return path, None
    return (path.parent if name == _ITSELF else path.with_name(name)), int(rank)
