# SPDX-License-Identifier: Apache-2.0
"""Bytes of live blocks over time, by group: what a stacked area shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.tables.memory import UNKNOWN_TIME, MemoryBlocks
from mindscope.profile.timeline.timeline_window import Range, check_range
from mindscope.table.columns import Rows, Sizes, TextColumn, Times, integers_of

MOST_GROUPS = 9
"""Largest number of groups with an area of their own; all others share one more."""


@dataclass(frozen=True, slots=True, eq=False)
class _Sum:
    """A sum of bytes after each change; ``start`` before the first one."""

    time: Times
    size: Sizes
    start: int

    def at(self, times: Times) -> Sizes:
        """Return bytes at some moments, after all changes of that moment."""
        index = np.searchsorted(self.time, times, side="right")
        return np.concatenate([[self.start], self.size])[index]


@dataclass(frozen=True, slots=True, eq=False)
class StackedWindow:
    """Bytes of each group, (groups, pixels), in each pixel with changes: when the sum is greatest, and at last.

    ``before`` (groups,) is at the begin of the range.
    """

    pixel: NDArray[np.uint16]
    highest: Sizes
    last: Sizes
    before: Sizes


class LiveBytes:
    """Live bytes of the blocks of one device by group, the largest at the peak first; ``""`` may be a group.

    ``texts`` are the names of the groups; with ``has_others`` the last area is the sum of all further groups.
    """

    def __init__(self, blocks: MemoryBlocks, groups: TextColumn, rows: Rows) -> None:
        """``groups`` are those of all blocks, ``rows`` the blocks of the device."""
        sizes, codes = blocks.size[rows], groups.codes[rows]
        born, freed = blocks.allocated_at[rows], blocks.freed_at[rows]
        freed = np.where(freed == UNKNOWN_TIME, freed, np.maximum(freed, born))
        self._total = _sum_of(sizes, born, freed)
        peak = self.peak_time
        live = (born <= peak) & ((freed > peak) | (freed == UNKNOWN_TIME))
        count = len(groups.values)
        at_peak, ever = (np.bincount(codes[some], sizes[some], count) for some in (live, slice(None)))
        used = np.flatnonzero(np.bincount(codes, minlength=count))
        order = used[np.lexsort((-ever[used], -at_peak[used]))]
        self.texts: list[str] = [groups.values[code] for code in integers_of(order[:MOST_GROUPS])]
        self.has_others = len(order) > MOST_GROUPS
        area = np.full(count, MOST_GROUPS)
        area[order[:MOST_GROUPS]] = np.arange(len(self.texts))
        own = area[codes]
        areas = len(self.texts) + self.has_others
        self._sums = [_sum_of(sizes[own == index], born[own == index], freed[own == index]) for index in range(areas)]

    @property
    def peak_time(self) -> int:
        """The first moment with the greatest sum; 0 if nothing changes."""
        return int(self._total.time[np.argmax(self._total.size)]) if len(self._total.size) else 0

    @property
    def peak(self) -> int:
        """The greatest sum."""
        return max(self._total.start, int(self._total.size.max(initial=0)))

    def window(self, range: Range) -> StackedWindow:
        """Return the groups in a range. Raises ValueError if the range is out of what can be drawn."""
        check_range(range)
        time, size = self._total.time, self._total.size
        first, end = np.searchsorted(time, [range.begin, range.end]).tolist()
        before = self._at(np.array([range.begin - 1]))[:, 0]
        if first == end:
            return StackedWindow(np.empty(0, np.uint16), self._at(time[:0]), self._at(time[:0]), before)
        pixels = (time[first:end] - range.begin) // range.pixel_ns
        starts = np.flatnonzero(np.concatenate([[True], pixels[1:] != pixels[:-1]]))
        lasts = np.append(starts[1:], end - first)
        high = np.maximum.reduceat(size[first:end], starts)
        is_high = np.flatnonzero(size[first:end] == np.repeat(high, lasts - starts))
        highest = is_high[np.searchsorted(is_high, starts)] + first
        return StackedWindow(
            pixels[starts].astype(np.uint16), self._at(time[highest]), self._at(time[first + lasts - 1]), before
        )

    def _at(self, times: Times) -> Sizes:
        """Return the bytes, shape (groups, times)."""
        found = [each.at(times) for each in self._sums]
        return np.stack(found) if found else np.zeros((0, len(times)), np.int64)


def _sum_of(sizes: Sizes, born: Times, freed: Times) -> _Sum:
    is_born, is_freed = born != UNKNOWN_TIME, freed != UNKNOWN_TIME
    times = np.concatenate([born[is_born], freed[is_freed]])
    changes = np.concatenate([sizes[is_born], -sizes[is_freed]])
    start = int(sizes[~is_born].sum())
    order = np.argsort(times, kind="stable")
    times, total = times[order], start + np.cumsum(changes[order])
    is_last = np.append(times[1:] != times[:-1], True)[: len(times)]
    return _Sum(times[is_last], total[is_last], start)
