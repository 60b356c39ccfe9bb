# SPDX-License-Identifier: Apache-2.0
"""Finds the debugging data of a run: below its directory, and beside it.

What lies beside runs belongs to a run if that is the only one there, as ``ingest.debugging_data.run_of`` decides for
the list of runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from mindscope.artifacts.entries import entries_of
from mindscope.debug.formats.statistics_cache import StatisticsCache
from mindscope.debug.open import DebugData, find_debug_data, recognize_debug_data
from mindscope.errors import SettingsError
from mindscope.ingest.file_names import is_event_name, readable
from mindscope.settings import DEFAULT_CACHE_BYTES, load_settings
from mindscope.store import RunStore
from mindscope.store.workspace_caches import CACHE_FOLDER

OWN = "."
"""The name of what a ``Debugger`` recorded into the runs of a training, beside names of paths."""
BASE_ID = "."
"""Of a run that is the base directory: what lies beside it is not shown."""
_STATISTICS = "tensor_statistics"
"""In the folder of caches, for the dumps of all base directories."""


def statistics_cache(workspace: Path | None, cache_bytes: int = DEFAULT_CACHE_BYTES) -> StatisticsCache | None:
    """Return what was computed of the tensors of dumps, in a workspace; None without one, or without caches.

    ``cache_bytes`` is the limit of all caches of the workspace.
    """
    if workspace is None or not cache_bytes:
        return None
    return StatisticsCache(workspace / CACHE_FOLDER / _STATISTICS, cache_bytes // 8)


def existing_cache(workspace: str | Path | None = None) -> StatisticsCache | None:
    """Return the cache of statistics in a workspace, by default that of the settings.

    It returns None if there is none: readers do not create it.
    """
    with suppress(SettingsError):
        settings = load_settings({"workspace": None if workspace is None else str(workspace)})
        return statistics_cache(settings.workspace, settings.cache_size) if settings.workspace.is_dir() else None
    return None


def dumps_of(store: RunStore) -> Iterator[tuple[str, DebugData]]:
    """Return the dumps below and beside the directory of a run with their paths. Raises OSError."""
    return debug_data_of(Path(store.path), has_beside=store.id != BASE_ID)


def debug_data_of(directory: Path, *, has_beside: bool = True) -> Iterator[tuple[str, DebugData]]:
    """Yield the debugging data of the run in a directory, by their paths relative to it.

    ``./`` is the directory itself.

    Args:
        directory: of the run. Data of runs below it is left out.
        has_beside: whether data beside it counts too.

    Raises:
        OSError: the directory can't be read.
    """
    for found in find_debug_data(directory):
        if not is_of_other_run(found.path, directory):
            yield path_name(found.path, directory), found
    for path in entries_beside(directory) if has_beside else ():
        with suppress(OSError):
            found = recognize_debug_data(path)
            if found is not None:
                yield path_name(path, directory), found


def path_name(path: Path, directory: Path) -> str:
    """Return the name of a path in the run of a directory: ``dump``, ``../dump``, ``./`` for the directory itself."""
    name = readable(Path(os.path.relpath(path, directory)).as_posix())
    return name if name != "." else "./"


def is_of_other_run(path: Path, directory: Path) -> bool:
    """Return whether a path below a directory is in, or is, the directory of another run."""
    above = [path, *path.parents]
    return any(is_run(each) for each in above[: above.index(directory)])


def entries_beside(directory: Path) -> list[Path]:
    """Return what lies beside the directory of a run and belongs to it: nothing if another run is there, or around it.

    Only event files make a run here, as in the list of runs.
    """
    parent = directory.parent
    if parent == directory or is_run(parent) or not is_run(directory):
        return []
    others = [entry for entry in entries_of(parent) if entry.path != os.fspath(directory)]
    if any(each.is_dir(follow_symlinks=False) and is_run(Path(each.path)) for each in others):
        return []
    return [Path(each.path) for each in others if not each.is_symlink()]


def is_run(directory: Path) -> bool:
    """Return whether a directory holds event files itself."""
    return any(is_event_name(entry.name) for entry in entries_of(directory))
