# SPDX-License-Identifier: Apache-2.0
"""Sums what ran in a range of time, by name, and makes a flame graph of its calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.timeline.range_slices import slices_in
from mindscope.profile.timeline.timeline import Timeline


@dataclass(frozen=True, slots=True, eq=False)
class NameStatistics:
    """Columns of the names of slices in a range; the largest own time first. Nanoseconds within the range."""

    name: NDArray[np.int64]
    count: NDArray[np.int64]
    total: NDArray[np.int64]
    own: NDArray[np.int64]
    longest: NDArray[np.int64]


def statistics_of(timeline: Timeline, tracks: Sequence[int], begin: int, end: int) -> NameStatistics:
    """Sum the slices of tracks that overlap a range, by name. Own times sum to the whole."""
    size = len(timeline.names)
    count, longest = np.zeros(size, np.int64), np.zeros(size, np.int64)
    total, own = np.zeros(size), np.zeros(size)
    for each in slices_in(timeline, tracks, begin, end):
        names = timeline.name[each.first : each.end]
        count += np.bincount(names, minlength=size)
        total += np.bincount(names, each.total, size)
        own += np.bincount(names, each.own, size)
        np.maximum.at(longest, names, each.total)
    name = np.flatnonzero(count)
    name = name[np.lexsort((-total[name], -own[name]))]
    return NameStatistics(name, count[name], _whole(total[name]), _whole(own[name]), longest[name])


def _whole(sums: NDArray[np.float64]) -> NDArray[np.int64]:
    return sums.astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Flame:
    """Columns of nodes: slices of one name below the same names. A node comes after its parent.

    ``parent`` is -1 at the bottom. ``left_out`` counts nodes that are too small to be listed.
    """

    parent: NDArray[np.int64]
    name: NDArray[np.int64]
    count: NDArray[np.int64]
    total: NDArray[np.int64]
    own: NDArray[np.int64]
    left_out: int = 0


def flame_of(timeline: Timeline, tracks: Sequence[int], begin: int, end: int, most: int) -> Flame:
    """Return the calls of tracks within a range, merged by their names from the bottom up; at most ``most`` nodes."""
    node_of = _NodesOfSlices(timeline)
    size = max(1, len(timeline.names))
    parents: list[NDArray[np.int64]] = []
    names: list[NDArray[np.int64]] = []
    sums: list[list[NDArray[np.int64]]] = []
    known: dict[int, int] = {}
    for each in slices_in(timeline, tracks, begin, end):
        above = node_of.parents(each.first, each.end)
        keys = (above + 1) * size + timeline.name[each.first : each.end].astype(np.int64)
        found, which = np.unique(keys, return_inverse=True)
        nodes = np.array([known.setdefault(key, len(known)) for key in found.tolist()], np.int64)
        node_of.set(each.first, nodes[which])
        sums.append(
            [
                nodes,
                *(np.bincount(which, weights, len(found)).astype(np.int64) for weights in (None, each.total, each.own)),
            ]
        )
        parents.append(found // size - 1)
        names.append(found % size)
    return _merged(known, parents, names, sums, most)


class _NodesOfSlices:
    """The node of each slice that was seen, by its index."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._firsts: list[int] = []
        self._nodes: list[NDArray[np.int64]] = []

    def set(self, first: int, nodes: NDArray[np.int64]) -> None:
        self._firsts.append(first)
        self._nodes.append(nodes)

    def parents(self, first: int, end: int) -> NDArray[np.int64]:
        """Return the nodes of the parents of slices; -1 without one, or if it was not seen."""
        parents = self._timeline.parent[first:end]
        found = np.full(end - first, -1, np.int64)
        if not self._firsts:
            return found
        lane = np.searchsorted(self._firsts, parents, side="right") - 1
        numbers: list[int] = np.unique(lane[lane >= 0]).tolist()
        for number in numbers:
            mine = np.flatnonzero(lane == number)
            offsets: NDArray[np.int64] = parents[mine].astype(np.int64) - self._firsts[number]
            is_seen: NDArray[np.bool_] = offsets < len(self._nodes[number])
            found[mine[is_seen]] = self._nodes[number][offsets[is_seen]]
        return found


def _merged(
    known: dict[int, int],
    parents: list[NDArray[np.int64]],
    names: list[NDArray[np.int64]],
    sums: list[list[NDArray[np.int64]]],
    most: int,
) -> Flame:
    columns = np.zeros((3, len(known)), np.int64)
    parent, name = np.full(len(known), -1, np.int64), np.zeros(len(known), np.int64)
    for above, named, (nodes, *of_lane) in zip(parents, names, sums, strict=True):
        parent[nodes], name[nodes] = above, named
        for column, values in zip(columns, of_lane, strict=True):
            column[nodes] += values
    if len(known) <= most:
        return Flame(parent, name, columns[0], columns[1], columns[2])
    kept = np.sort(np.argsort(-columns[1], kind="stable")[:most])
    kept = kept[_are_connected(parent, kept)]
    new_row = np.full(len(known) + 1, -1, np.int64)
    new_row[kept] = np.arange(len(kept))
    count, total, own = columns[:, kept]
    return Flame(new_row[parent[kept]], name[kept], count, total, own, len(known) - len(kept))


def _are_connected(parent: NDArray[np.int64], kept: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether all nodes below each kept one are kept too: overlapping children may be longer than their
    parent.
    """
    is_kept = np.zeros(len(parent) + 1, bool)
    is_kept[kept] = True
    is_kept[-1] = True  # below the bottom
    for node in kept.tolist():
        is_kept[node] &= is_kept[parent[node]]
    return is_kept[kept]
