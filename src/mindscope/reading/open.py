# SPDX-License-Identifier: Apache-2.0
"""Entry points: a directory in, runs out."""

from __future__ import annotations

import os
from pathlib import Path

from mindscope.errors import RunNotFoundError
from mindscope.ingest import Catalog, RunLoader, find_run, find_runs
from mindscope.reading.run import Run
from mindscope.reading.runs import Runs

LOOKED_FOR = "a name with 'summary.' and digits in it (MindSpore, mindscope) or with 'tfevents' (TensorBoard)"


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open the run in directory ``path`` and read all of it.

    Raises RunNotFoundError when there is no event file directly in it; the text names runs further down.
    """
    directory = _directory(path)
    found = find_run(directory)
    if found is None:
        raise RunNotFoundError(_nothing_in(directory))
    loader = RunLoader(found)
    loader.read_all()

    def refresh() -> bool:
        again = find_run(directory)
        is_changed = loader.set_files(again.files if again else ())
        return loader.read_all() or is_changed

    return Run(loader.store, refresh)


def open_runs(base: str | os.PathLike[str]) -> Runs:
    """Open all runs at any depth below directory ``base`` and read all of them; there may be none yet.

    Raises RunNotFoundError when ``base`` is no directory.
    """
    catalog = Catalog(_directory(base))
    catalog.refresh()
    return Runs(catalog)


def _directory(path: str | os.PathLike[str]) -> Path:
    directory = Path(path).expanduser()
    if directory.is_dir():
        return directory
    if directory.exists():
        raise RunNotFoundError(f"{directory} is a file: a run is the directory that holds its event files, give that")
    raise RunNotFoundError(f"{directory} does not exist: give a directory that holds event files")


def _nothing_in(directory: Path) -> str:
    below = list(find_runs(directory).runs)
    if not below:
        return f"{directory} holds no event file: looked for {LOOKED_FOR}"
    examples = ", ".join(map(repr, below[:3]))
    return f"{directory} holds no event file itself, but {len(below)} runs below it ({examples}): use open_runs()"
