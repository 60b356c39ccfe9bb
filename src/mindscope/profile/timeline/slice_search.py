# SPDX-License-Identifier: Apache-2.0
"""Slices by their names, one after the other in time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.timeline.timeline import Timeline


@dataclass(frozen=True, slots=True, eq=False)
class SliceHits:
    """All slices with some names, in the order of the timeline."""

    timeline: Timeline
    indexes: NDArray[np.int64]
    start: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.indexes)

    def next(self, time: int, index: int, *, backwards: bool = False) -> tuple[int, int] | None:
        """Return the slice after, or before, the one at ``index`` that begins at ``time``, and how many precede it.

        Slices are in order of their begin, then of track and row. After the last one comes the first.
        """
        if not len(self):
            return None
        is_later = (self.start > time) | ((self.start == time) & (self.indexes > index))
        if not backwards:
            chosen = np.flatnonzero(is_later) if is_later.any() else np.arange(len(self))
            at = chosen[self.start[chosen].argmin()]
        else:
            is_earlier = (self.start < time) | ((self.start == time) & (self.indexes < index))
            chosen = np.flatnonzero(is_earlier) if is_earlier.any() else np.arange(len(self))
            chosen = chosen[::-1]  # of equal begins the last
            at = chosen[self.start[chosen].argmax()]
        return int(self.indexes[at]), self.before(int(self.start[at]), int(self.indexes[at]))

    def before(self, time: int, index: int) -> int:
        """Count the slices that precede one."""
        return int(((self.start < time) | ((self.start == time) & (self.indexes < index))).sum())

    def columns(self, begin: int, pixel_ns: int, width: int) -> NDArray[np.int64]:
        """Count the slices that begin in each of ``width`` pixels from ``begin`` on."""
        pixel = (self.start - begin) // pixel_ns
        return np.bincount(pixel[(pixel >= 0) & (pixel < width)], minlength=width)


def slice_at(timeline: Timeline, time: int, name: str) -> int | None:
    """Return the shortest slice of a name at a moment; None without one."""
    if name not in timeline.names:
        return None
    rows = np.flatnonzero(timeline.name == list(timeline.names).index(name))
    start, duration = timeline.start[rows], timeline.duration[rows]
    rows = rows[(start <= time) & (start + duration >= time)]
    return int(rows[np.argmin(timeline.duration[rows])]) if len(rows) else None


def search(timeline: Timeline, names: Iterable[int]) -> SliceHits:
    """Return the slices with one of ``names``; unknown numbers are ignored."""
    is_wanted = np.zeros(len(timeline.names), bool)
    wanted = np.array([name for name in names if 0 <= name < len(timeline.names)], np.int64)
    is_wanted[wanted] = True
    indexes = np.flatnonzero(is_wanted[timeline.name]) if len(timeline) and len(wanted) else np.empty(0, np.int64)
    return SliceHits(timeline, indexes, timeline.start[indexes])
