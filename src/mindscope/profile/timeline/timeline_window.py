# SPDX-License-Identifier: Apache-2.0
"""Computes what a screen draws of a timeline: at most one cell for each pixel of a lane, exactly counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.timeline._cells import cells
from mindscope.profile.timeline.timeline import Counter, SliceIndexes, Timeline

MOST_PIXELS = 16_384
_MOST_TIME = 1 << 62


class Range(NamedTuple):
    """``width`` pixels of ``pixel_ns`` nanoseconds from ``begin`` on."""

    begin: int
    pixel_ns: int
    width: int

    @property
    def end(self) -> int:
        return self.begin + self.pixel_ns * self.width


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Slices of lanes in a range.

    A slice of a pixel or longer that overlaps the range is ``wide``. The others make cells: one for each pixel in which
    some of them begin. Cells and wide slices follow each other lane by lane; lane i has the cells
    ``lane_cells[i]:lane_cells[i + 1]``, and likewise its wide slices.
    """

    lanes: NDArray[np.int64]
    lane_cells: NDArray[np.int64]
    pixel: NDArray[np.uint16]
    count: NDArray[np.uint32]
    longest: SliceIndexes
    """Longest slice of each cell; the first of equal ones."""
    busy: NDArray[np.int64]
    """Nanoseconds, together, of the slices of a cell."""
    lane_wide: NDArray[np.int64]
    wide: SliceIndexes


def window_of(timeline: Timeline, tracks: Sequence[int] | Mapping[int, int], range: Range) -> Window:
    """Compute what the lanes of ``tracks`` have in a range; of a mapping, that many of the upper lanes of each track.

    Raises:
        ValueError: the range is out of what can be drawn.
    """
    check_range(range)
    lanes = timeline.lanes_of(list(tracks))
    if isinstance(tracks, Mapping):
        most = np.array([tracks[track] for track in timeline.lane_track[lanes].tolist()], np.int64)
        lanes = lanes[timeline.lane_row[lanes] < most]
    found = cells(
        timeline.start,
        timeline.duration,
        timeline.before,
        timeline.longest,
        timeline.longest_ns,
        timeline.level_offsets,
        np.ascontiguousarray(timeline.lane_first[lanes]),
        np.ascontiguousarray(timeline.lane_first[lanes + 1]),
        *range,
    )
    return Window(lanes, *found)


def check_range(range: Range) -> None:
    """Raises ValueError if a range can't be drawn."""
    if not 1 <= range.width <= MOST_PIXELS:
        raise ValueError(f"width is {range.width} pixels, want 1 to {MOST_PIXELS}")
    if range.pixel_ns < 1 or abs(range.begin) > _MOST_TIME or range.pixel_ns * range.width > _MOST_TIME:
        raise ValueError(f"range begins at {range.begin} ns with {range.pixel_ns} ns a pixel, want times below 2**62")


@dataclass(frozen=True, slots=True, eq=False)
class CounterWindow:
    """The lowest and highest value of each pixel that a counter changes in, the last one, and the value before."""

    pixel: NDArray[np.uint16]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    last: NDArray[np.float64]
    before: float
    """NaN without an earlier value."""


def counter_window(counter: Counter, range: Range) -> CounterWindow:
    """Return a counter in a range. Raises ValueError if the range is out of what can be drawn."""
    check_range(range)
    first, end = np.searchsorted(counter.times, [range.begin, range.end]).tolist()
    pixels = (counter.times[first:end] - range.begin) // range.pixel_ns
    values = counter.values[first:end]
    before = float(counter.values[first - 1]) if first else float("nan")
    if not len(values):
        none = np.empty(0)
        return CounterWindow(np.empty(0, np.uint16), none, none, none, before)
    firsts = np.flatnonzero(np.concatenate([[True], pixels[1:] != pixels[:-1]]))
    lasts = np.append(firsts[1:], len(values)) - 1
    return CounterWindow(
        pixels[firsts].astype(np.uint16),
        np.minimum.reduceat(values, firsts),
        np.maximum.reduceat(values, firsts),
        values[lasts],
        before,
    )
