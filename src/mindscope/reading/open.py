# SPDX-License-Identifier: Apache-2.0
"""Entry points of the reading API: open runs from a directory."""

from __future__ import annotations

import os
from pathlib import Path

from mindscope.errors import RunNotFoundError
from mindscope.ingest import Catalog, Finder, RunLoader, find_runs
from mindscope.ingest.mirrored import mirrored_directory
from mindscope.reading.mirrored import mirrored_run
from mindscope.reading.run import Run
from mindscope.reading.runs import Runs
from mindscope.storage.addresses import local_path

LOOKED_FOR = (
    "a name with 'summary.' and digits in it (MindSpore, mindscope) or with 'tfevents' (TensorBoard), "
    "and for logs of other trackers"
)


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open the run in directory ``path`` and read all of it.

    Raises RunNotFoundError if the directory has no run itself; the text names runs below it.
    """
    finder = Finder(_required(mirrored_run(path)))
    in_base = finder.find_in_base()
    if in_base is None:
        raise nothing_in(path)
    loader = RunLoader(in_base)
    loader.read_all()

    def refresh() -> bool:
        is_changed = loader.update(finder.find_in_base())
        return loader.read_all() or is_changed

    return Run(loader.store, refresh)


def open_runs(base: str | os.PathLike[str], *, follow_links: bool = False) -> Runs:
    """Open all runs at any depth below directory ``base`` and read all of them; the result may be empty.

    ``follow_links`` also opens links that lead out of ``base``; each directory is read once.
    Raises RunNotFoundError if ``base`` is not a directory.
    """
    catalog = Catalog(directory_of(base), follow_links=follow_links)
    catalog.refresh()
    return Runs(catalog)


def directory_of(path: str | os.PathLike[str]) -> Path:
    """Return the directory at ``path``, or the one that mirrors an archive there, a run in it, or a remote store.

    Raises RunNotFoundError if there is none, ArchiveError for an archive that is damaged, StorageError or
    MissingPackageError for a store that can't be read.
    """
    return _required(mirrored_directory(path) or local_path(path))


def _required(directory: Path) -> Path:
    if directory.is_dir():
        return directory
    if directory.exists():
        raise RunNotFoundError(f"{directory} is a file: a run is the directory that holds its event files, give that")
    raise RunNotFoundError(f"{directory} does not exist: give a directory that holds event files")


def nothing_in(directory: str | os.PathLike[str]) -> RunNotFoundError:
    """Return the error for a directory without a run; it names runs below it."""
    below = list(find_runs(os.fspath(directory)).runs)
    if not below:
        return RunNotFoundError(f"{directory} holds no run: looked for {LOOKED_FOR}")
    examples = ", ".join(map(repr, below[:3]))
    return RunNotFoundError(
        f"{directory} holds no event file itself, but {len(below)} runs below it ({examples}): use open_runs()"
    )
