# SPDX-License-Identifier: Apache-2.0
"""Recognizes archives of runs by their names."""

from __future__ import annotations

import os
from pathlib import Path

SUFFIX = ".mscope"


def is_archive(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names an archive of runs: a regular file that ends in ``.mscope``."""
    return Path(path).suffix == SUFFIX and Path(path).is_file()


def archive_of(path: str | os.PathLike[str]) -> Path | None:
    """Return the archive that a path is or leads into, as ``runs.mscope/first``; None for another path."""
    return next((part for part in (Path(path), *Path(path).parents) if is_archive(part)), None)
