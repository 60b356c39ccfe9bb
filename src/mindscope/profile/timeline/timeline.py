# SPDX-License-Identifier: Apache-2.0
"""Prepares a trace for drawing: slices lane by lane, with sums and a pyramid of the longest ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace.nesting import Nesting, nesting_of
from mindscope.profile.trace.trace import Counter, Skipped, Trace, Track
from mindscope.store.mapped_columns import mapped

FAN = 16
"""Entries of a level of the pyramid that make one of the next."""
DEEPEST_ROW = 4096
"""Slices in deeper rows share the last one."""

SliceIndexes = NDArray[np.int32]
"""Slices by their index in a timeline."""


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Columns of k moments, in order of time."""

    time: NDArray[np.int64]
    name: NDArray[np.uint32]
    track: NDArray[np.uint32]
    args_offset: NDArray[np.int64]
    args_size: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Flows:
    """Columns of f arrows from one slice to another, such as from a launch to its kernel; in order of ``source``."""

    source: SliceIndexes
    target: SliceIndexes
    category: NDArray[np.uint32]
    unbound: int
    """Arrows with an end at which no slice runs."""


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """The n slices of a trace by track, row and start; a lane is the slices of one row of one track.

    Slices of a lane do not overlap each other. All times are nanoseconds since the origin of the trace.
    """

    start: NDArray[np.int64]
    duration: NDArray[np.int64]
    own: NDArray[np.int64]
    """Time without children in nanoseconds."""
    before: NDArray[np.int64]
    """(n + 1,) sum of the durations of the slices before each."""
    name: NDArray[np.uint32]
    category: NDArray[np.uint32]
    parent: SliceIndexes
    """Row of the parent slice; -1 without one."""
    args_offset: NDArray[np.int64]
    args_size: NDArray[np.uint32]
    longest: SliceIndexes
    """The longest of 16 slices, then of 256, ...: level by level."""
    longest_ns: NDArray[np.int64]
    """Durations of the longest slices."""
    level_offsets: NDArray[np.int64]
    """Positions where each level begins in ``longest``; the first one is the slices themselves."""
    lane_track: NDArray[np.uint32]
    lane_row: NDArray[np.uint16]
    lane_first: NDArray[np.int64]
    """First row of each lane and the end, shape (lanes + 1,)."""
    counters: Sequence[Counter]
    marks: Marks
    flows: Flows
    names: Sequence[str]
    categories: Sequence[str]
    tracks: Sequence[Track]
    origin_ns: int | None
    properties: Mapping[str, Any]
    read: int
    skipped: Mapping[str, Skipped] = field(default_factory=dict[str, Skipped])
    overlaps: int = 0
    """Slices that begin in another one of their track and end after it."""
    arguments_format: str = ""
    """Format of the arguments, as in ``Trace``."""
    arguments_path: str = ""

    def __len__(self) -> int:
        return len(self.start)

    @property
    def time_range(self) -> tuple[int, int]:
        """The time from the first begin to the last end of a slice or a value; without these of marks, else (0, 0).

        PyTorch marks the end of its record long after the last slice.
        """
        lows, highs = self._slice_range()
        columns = [counter.times for counter in self.counters] if lows or self.counters else [self.marks.time]
        lows += [int(times[0]) for times in columns if len(times)]
        highs += [int(times[-1]) for times in columns if len(times)]
        return (min(lows), max(highs)) if lows else (0, 0)

    def _slice_range(self) -> tuple[list[int], list[int]]:
        """Return the first begin and the last end of slices, each none or one.

        It reads few of them, as lanes are in order.
        """
        if not len(self):
            return [], []
        firsts, lasts = self.lane_first[:-1], self.lane_first[1:] - 1
        ends = [int((self.start[lasts] + self.duration[lasts]).max())]
        for lane in np.flatnonzero(self.lane_row == DEEPEST_ROW - 1).tolist():  # where slices cover each other
            own = slice(firsts[lane], lasts[lane] + 1)
            ends.append(int((self.start[own] + self.duration[own]).max()))
        return [int(self.start[firsts].min())], [max(ends)]

    def lanes_of(self, tracks: Sequence[int]) -> NDArray[np.int64]:
        """Return the lanes of tracks, by track and row."""
        return np.flatnonzero(np.isin(self.lane_track, np.asarray(tracks, np.int64)))

    def lane_of(self, index: int) -> int:
        """Return the lane of a slice."""
        return int(np.searchsorted(self.lane_first, index, side="right")) - 1

    @property
    def deeper(self) -> int:
        """Slices that are not drawn in a row of their own, because more than 4,096 are open."""
        deepest = np.flatnonzero(self.lane_row == DEEPEST_ROW - 1)
        found = 0
        for lane in deepest.tolist():
            first, end = self.lane_first[lane : lane + 2].tolist()
            ends = np.maximum.accumulate(self.start[first:end] + self.duration[first:end])
            found += int((self.start[first + 1 : end] < ends[:-1]).sum())
        return found


@dataclass(frozen=True, slots=True)
class Arranged:
    """Slices in the order of a timeline."""

    order: NDArray[np.int32]
    """Order of the rows of the trace."""
    index: NDArray[np.int32]
    """Position of each row of the trace."""
    nesting: Nesting


def arrange(trace: Trace) -> Arranged:
    """Return the order of the slices by track, row and start."""
    nesting = nesting_of(trace.slices)
    ordered = nesting.order
    lanes = (trace.slices.track[ordered].astype(np.uint64) << np.uint64(16)) | nesting.row[ordered]
    order = ordered[np.argsort(lanes, kind="stable")]
    index = np.empty(len(order), np.int32)
    index[order] = np.arange(len(order), dtype=np.int32)
    return Arranged(order, index, nesting)


def timeline_of(trace: Trace, arranged: Arranged, counters: Sequence[Counter], marks: Marks, flows: Flows) -> Timeline:
    """Return the timeline of a trace."""
    slices, nesting, order = trace.slices, arranged.nesting, arranged.order
    duration = mapped(slices.duration[order])
    parents = nesting.parent[order]
    longest, level_offsets = _levels(duration)
    track, row = slices.track[order], nesting.row[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = (track[1:] != track[:-1]) | (row[1:] != row[:-1])
    firsts = np.flatnonzero(is_first)
    return Timeline(
        start=mapped(slices.start[order]),
        duration=duration,
        own=mapped(nesting.own[order]),
        before=mapped(np.concatenate([np.zeros(1, np.int64), np.cumsum(duration)])),
        name=mapped(slices.name[order]),
        category=mapped(slices.category[order]),
        parent=mapped(np.where(parents < 0, np.int32(-1), arranged.index[parents])) if len(order) else arranged.index,
        args_offset=mapped(slices.args_offset[order]),
        args_size=mapped(slices.args_size[order]),
        longest=longest,
        longest_ns=duration[longest],
        level_offsets=level_offsets,
        lane_track=track[firsts],
        lane_row=row[firsts],
        lane_first=np.append(firsts, len(order)).astype(np.int64),
        counters=counters,
        marks=marks,
        flows=flows,
        names=trace.names,
        categories=trace.categories,
        tracks=trace.tracks,
        origin_ns=trace.origin_ns,
        properties=trace.properties,
        read=trace.read,
        skipped=trace.skipped,
        overlaps=nesting.overlaps,
        arguments_format=trace.arguments_format,
        arguments_path=trace.arguments_path,
    )


def _levels(duration: NDArray[np.int64]) -> tuple[SliceIndexes, NDArray[np.int64]]:
    """Return for each level the position of the longest slice of each block; the first of equal ones."""
    levels: list[NDArray[np.int64]] = []
    below = np.arange(len(duration))
    while len(below) > FAN:
        lengths = np.full(-(-len(below) // FAN) * FAN, -1, np.int64)
        lengths[: len(below)] = duration[below]
        best = lengths.reshape(-1, FAN).argmax(1) + np.arange(len(lengths) // FAN) * FAN
        below = below[best]
        levels.append(below)
    offsets = np.cumsum([0, 0, *map(len, levels)])[: len(levels) + 1]
    return (np.concatenate(levels) if levels else below[:0]).astype(np.int32), offsets.astype(np.int64)
