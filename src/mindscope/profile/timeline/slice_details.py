# SPDX-License-Identifier: Apache-2.0
"""All about one slice: what it is part of, what is part of it, arrows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.timeline.range_slices import children_of
from mindscope.profile.timeline.timeline import Timeline

MOST_CHILDREN = 100
MOST_ARROWS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Relatives:
    """Slices around one, by their indexes.

    ``parents`` begins with the innermost one. ``children`` are direct ones, the longest first, cut to 100.
    ``sources`` and ``targets`` are at the other end of arrows to and from the slice, with the category of the arrow.
    """

    parents: list[int]
    children: list[int]
    child_count: int
    sources: list[tuple[int, int]]
    targets: list[tuple[int, int]]


def relatives_of(timeline: Timeline, index: int) -> Relatives:
    """Return the slices around one."""
    start = int(timeline.start[index])
    children = children_of(timeline, index, start, start + max(1, int(timeline.duration[index])))
    longest = children[np.argsort(-timeline.duration[children], kind="stable")[:MOST_CHILDREN]]
    flows = timeline.flows
    first, end = np.searchsorted(flows.source, [index, index + 1]).tolist()
    return Relatives(
        parents=list(_parents(timeline, index)),
        children=longest.tolist(),
        child_count=len(children),
        sources=_ends(flows.source, flows.category, np.flatnonzero(flows.target == index)),
        targets=_ends(flows.target, flows.category, np.arange(first, end, dtype=np.int64)),
    )


def _parents(timeline: Timeline, index: int) -> Iterator[int]:
    while (index := int(timeline.parent[index])) >= 0:
        yield index


def _ends(ends: NDArray[np.int32], categories: NDArray[np.uint32], rows: NDArray[np.int64]) -> list[tuple[int, int]]:
    chosen = rows[:MOST_ARROWS]
    return list(zip(ends[chosen].tolist(), categories[chosen].tolist(), strict=True))
