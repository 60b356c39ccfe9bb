# SPDX-License-Identifier: Apache-2.0
"""Finds the runs of the other ranks of a training on disk."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from mindscope.analysis.ranks import RANK, find_ranks
from mindscope.ingest import Finder, RunLoader
from mindscope.store import RunStore


def stores_of_ranks(store: RunStore) -> list[RunStore]:
    """Return the runs of all ranks of a training as of now, by rank: those whose directories differ in ``rank_N`` only.

    A run without siblings is alone. Siblings that can't be read are left out.
    """
    found = [store]
    for directory in _siblings(Path(store.path)):
        with suppress(OSError):
            run = Finder(directory).find_in_base()
            if run is not None:
                loader = RunLoader(run)
                loader.read_all()
                found.append(loader.store)
    numbers = {id: rank.number for id, rank in find_ranks(each.path.as_posix() for each in found).items()}
    return sorted(found, key=lambda each: numbers.get(each.path.as_posix(), 0))


def _siblings(directory: Path) -> list[Path]:
    """Return directories that differ in the number of the last ``rank_N`` or ``summary_dirN`` only."""
    text = directory.as_posix()
    ranks = list(RANK.finditer(text))
    if not ranks:
        return []
    above, name, below = text[: ranks[-1].start()], ranks[-1][1], text[ranks[-1].end() :].lstrip("/")
    with suppress(OSError):
        found = [entry / below for entry in sorted(Path(above).iterdir())
                 if (match := RANK.fullmatch(entry.name)) and match[1] == name]  # fmt: skip
        return [each for each in found if each != directory and each.is_dir()]
    return []
