# SPDX-License-Identifier: Apache-2.0
"""Slices of a range of time with what of them lies within it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.trace.nesting import busy


@dataclass(frozen=True, slots=True, eq=False)
class LaneSlices:
    """The slices ``first`` to ``end`` of a timeline: those of a lane that overlap a range.

    ``total`` and ``own`` are nanoseconds within the range, with and without children.
    """

    lane: int
    first: int
    end: int
    total: NDArray[np.int64]
    own: NDArray[np.int64]


def slices_in(timeline: Timeline, tracks: Sequence[int], begin: int, end: int) -> Iterator[LaneSlices]:
    """Yield the slices of tracks that overlap a range, lane by lane; parents come before their children."""
    for lane in timeline.lanes_of(tracks).tolist():
        first, last = slice_range(timeline, lane, begin, end)
        if first < last:
            yield _clipped(timeline, lane, first, last, begin, end)


def slice_range(timeline: Timeline, lane: int, begin: int, end: int) -> tuple[int, int]:
    """Return the first slice of a lane that overlaps a range, and the one after the last."""
    low, high = timeline.lane_first[lane : lane + 2].tolist()
    starts = timeline.start[low:high]
    first, last = np.searchsorted(starts, [begin, end]).tolist()
    if first > 0 and starts[first - 1] + timeline.duration[low + first - 1] > begin:
        first -= 1
    return low + first, low + last


def _clipped(timeline: Timeline, lane: int, first: int, last: int, begin: int, end: int) -> LaneSlices:
    """Clip the first and the last slice of a lane: only these can reach out of the range."""
    total = np.array(timeline.duration[first:last])
    own = np.array(timeline.own[first:last])
    for index in {first, last - 1}:
        start, finish = int(timeline.start[index]), int(timeline.start[index] + timeline.duration[index])
        if start < begin or finish > end:
            low, high = max(start, begin), min(finish, end)
            total[index - first] = high - low
            own[index - first] = high - low - _covered(timeline, index, low, high)
    return LaneSlices(lane, first, last, total, own)


def _covered(timeline: Timeline, parent: int, begin: int, end: int) -> int:
    """Return the nanoseconds of a range in which children of a slice run."""
    children = children_of(timeline, parent, begin, end)
    starts = np.maximum(timeline.start[children], begin)
    ends = np.minimum(timeline.start[children] + timeline.duration[children], end)
    return busy(starts, np.maximum(ends - starts, 0))


def children_of(timeline: Timeline, parent: int, begin: int, end: int) -> NDArray[np.int64]:
    """Return the direct children of a slice that overlap a range, by row and start."""
    lane = timeline.lane_of(parent)
    found: list[NDArray[np.int64]] = []
    for below in range(lane + 1, len(timeline.lane_track)):
        if timeline.lane_track[below] != timeline.lane_track[lane]:
            break
        first, last = slice_range(timeline, below, begin, end)
        found.append(first + np.flatnonzero(timeline.parent[first:last] == parent))
    return np.concatenate(found) if found else np.empty(0, np.int64)
