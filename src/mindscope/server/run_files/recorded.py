# SPDX-License-Identifier: Apache-2.0
"""What a recorder wrote below ``files`` of a run: the files that its list names, the list, and unfinished copies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from mindscope.artifacts.recorded_files import DIRECTORY, LIST_NAME, UNFINISHED, recorded_files


def recorded_paths(run: Path) -> tuple[list[str], list[str]]:
    """Return the recorder's files below the directory of a run, the list last, and what else is in ``files``.

    Without a list nothing there is the recorder's. No link is followed.
    """
    present = list(_files_below(run / DIRECTORY, DIRECTORY))
    listing = f"{DIRECTORY}/{LIST_NAME}"
    if listing not in present:
        return [], present
    listed = {file.path for file in recorded_files(run) if not file.left_out}
    unfinished = f"{DIRECTORY}/{UNFINISHED}/"
    is_own = {path: path in listed or path.startswith(unfinished) for path in present if path != listing}
    others = [path for path, is_recorded in is_own.items() if not is_recorded]
    return [*(path for path, is_recorded in is_own.items() if is_recorded), listing], others


def emptied_directories(paths: Iterable[str]) -> list[str]:
    """Return the directories of files, the innermost first, with the one of unfinished copies."""
    above = {parent for path in paths for parent in _parents(path)}
    return sorted(above | ({f"{DIRECTORY}/{UNFINISHED}"} if above else set[str]()), key=lambda path: -path.count("/"))


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _files_below(directory: Path, name: str) -> Iterator[str]:
    """Yield the paths of all that is no directory; a link counts as a file."""
    if directory.is_symlink():
        yield name
        return
    for above, directories, files in os.walk(directory):
        below = Path(above).relative_to(directory).as_posix()
        links = [name for name in directories if Path(above, name).is_symlink()]
        for file in sorted([*files, *links]):
            yield f"{name}/{file}" if below == "." else f"{name}/{below}/{file}"
