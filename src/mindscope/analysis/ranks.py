# SPDX-License-Identifier: Apache-2.0
"""Ranks of one run: runs that differ in a directory ``rank_N`` or ``summary_dirN`` only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mindscope.store import RunStore

RANK = re.compile(r"(?<![^/])(rank_?|summary_dir)([0-9]{1,9})(?=/|$)", re.ASCII)


class Rank(NamedTuple):
    """The number of a rank and its group: the id of the run with ``*`` in place of the number."""

    group: str
    number: int


def find_ranks(ids: Iterable[str]) -> dict[str, Rank]:
    """Return the rank of each run with siblings. A single rank is not a rank."""
    ranks = {id: rank for id in ids if (rank := _rank(id)) is not None}
    sizes: dict[str, int] = {}
    for rank in ranks.values():
        sizes[rank.group] = sizes.get(rank.group, 0) + 1
    return {id: rank for id, rank in ranks.items() if sizes[rank.group] > 1}


class RankGroups:
    """The runs of the same trainings among ``runs``, which are read once."""

    def __init__(self, runs: Mapping[str, RunStore]) -> None:
        self._groups: dict[str, list[tuple[int, RunStore]]] = {}
        for id, run in runs.items():
            if (rank := _rank(id)) is not None:
                self._groups.setdefault(rank.group, []).append((rank.number, run))

    def of(self, store: RunStore) -> list[RunStore]:
        """Return the runs of all ranks of a training, by rank; the run itself if it has no siblings."""
        own = _rank(store.id)
        siblings = [] if own is None else self._groups.get(own.group, [])
        return [each for _, each in sorted(siblings, key=lambda sibling: sibling[0])] or [store]


def rank_stores(store: RunStore, runs: Mapping[str, RunStore]) -> list[RunStore]:
    """Return the runs of all ranks of one training, as ``RankGroups`` does for many."""
    return [store] if _rank(store.id) is None else RankGroups(runs).of(store)


def expand_ranks(names: Iterable[str], ids: Iterable[str]) -> list[str]:
    """Return ``names`` with each group of ranks replaced by its runs, by rank.

    Every run is there once, in the order of the names.
    """
    names = list(dict.fromkeys(names))
    if not any("*" in name for name in names):
        return names  # saves a scan of all ids
    members: dict[str, list[tuple[int, str]]] = {}
    for id, rank in find_ranks(ids).items():
        members.setdefault(rank.group, []).append((rank.number, id))
    expanded = ([id for _, id in sorted(members[name])] if name in members else [name] for name in names)
    return list(dict.fromkeys(id for group in expanded for id in group))


def _rank(id: str) -> Rank | None:
    """Read the rank from the last such directory of a path; directories above it separate trainings."""
    matches = list(RANK.finditer(id))
    if not matches:
        return None
    number = matches[-1]
    return Rank(f"{id[: number.start(2)]}*{id[number.end(2) :]}", int(number[2]))
