# SPDX-License-Identifier: Apache-2.0
"""Visible rows of a series, as the parts in files and in memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from mindscope.store.chunk import Columns
from mindscope.store.series_points import SeriesPoints

MAX_RANGES = 64
"""Limit of the ranges of rows: if a restart leaves more, they are copied into one part, which is rare."""

RowRange = tuple[int, int]
_LOWEST_STEP = int(np.iinfo(np.int64).min)


class Hidden(NamedTuple):
    """The numbers of hidden points of a series: ``overwritten`` by a restart, ``repeated`` in one file and step."""

    overwritten: int
    repeated: int


NONE_HIDDEN = Hidden(0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class VisibleRows:
    """Rows in consecutive ``parts``: read-only columns, of equal length within a part.

    If two results of a series have the same ``prefix_id``, the earlier one is a prefix of the later one.
    """

    parts: tuple[Columns, ...]
    prefix_id: object
    hidden: Hidden
    """Number of points of the series that these rows leave out, by reason."""

    def __len__(self) -> int:
        return sum(part["step"].size for part in self.parts)


class VisibleRowTracker:
    """Tracks the visible rows of a series under the restart rule; after an append, it checks only the new rows.

    The caller holds the owner's lock.
    """

    __slots__ = ("_hidden", "_last_step", "_length", "_points", "_prefix_id", "_ranges", "_relations")

    def __init__(self) -> None:
        self._points: SeriesPoints | None = None  # the points of the last call
        self._length = 0  # of these points, at the last call
        self._ranges: list[RowRange] | None = []  # of visible rows, by ascending step; None: more than MAX_RANGES
        self._last_step = 0  # of the visible rows
        self._relations = b""  # of these points, at the last call
        self._hidden = NONE_HIDDEN  # of these points, at the last call
        self._prefix_id = object()

    def of(self, points: SeriesPoints) -> VisibleRows:
        """Return the visible rows of a series. Raises ChunkDamagedError."""
        relations = points.relations()
        can_hide = self._hidden != NONE_HIDDEN or points.is_purged
        if points is not self._points or (relations != self._relations and can_hide):
            self._points, self._length, self._ranges = points, 0, []
            self._hidden = NONE_HIDDEN
            self._prefix_id = object()
        self._relations = relations
        if len(points) > self._length:
            self._update(points)
        if self._ranges is None:
            return VisibleRows((points.visible(),), self._prefix_id, self._hidden)
        parts = points.appended_parts()
        are_all = self._ranges == [(0, self._length)]  # the common case: no part needs a slice
        return VisibleRows(tuple(parts if are_all else _cut(parts, self._ranges)), self._prefix_id, self._hidden)

    def _update(self, points: SeriesPoints) -> None:
        if points.is_plain or (self._ranges is not None and self._follow(points)):
            self._extend(len(points))
            self._last_step = points.last_step
        else:
            self._recompute(points)
        self._length = len(points)

    def _follow(self, points: SeriesPoints) -> bool:
        """Return whether the new rows extend the visible ones without hiding any."""
        if self._length == 0 or not points.follows_purges or not points.is_newest_since(self._length):
            return False
        last = self._last_step
        for step in (part["step"] for part in _cut(points.appended_parts(), [(self._length, len(points))])):
            if step[0] <= last or not bool((step[1:] > step[:-1]).all()):
                return False
            last = int(step[-1])
        return True

    def _extend(self, stop: int) -> None:
        ranges = self._ranges or []
        if ranges and ranges[-1][1] == self._length:
            ranges = [*ranges[:-1], (ranges[-1][0], stop)]
        else:
            ranges = [*ranges, (self._length, stop)]
        self._ranges = ranges

    def _recompute(self, points: SeriesPoints) -> None:
        self._prefix_id = object()
        visible = points.visible_rows()
        rows = visible.rows
        breaks = np.flatnonzero(np.diff(rows) != 1) + 1
        bounds = [0, *breaks.tolist(), rows.size] if rows.size else []
        few = breaks.size < MAX_RANGES
        ranges = ((int(rows[start]), int(rows[stop - 1]) + 1) for start, stop in pairwise(bounds))
        self._ranges = list(ranges) if few else None
        self._last_step = points.step_of(int(rows[-1])) if rows.size else _LOWEST_STEP
        self._hidden = Hidden(visible.overwritten, visible.repeated)


def written_rows(points: SeriesPoints) -> VisibleRows:
    """Return all points in written order. Raises ChunkDamagedError."""
    if points.is_newest_since(0):
        # A later append can only break this order permanently, so the points can be the prefix id.
        return VisibleRows(tuple(points.appended_parts()), points, NONE_HIDDEN)
    return VisibleRows((points.written(),), object(), NONE_HIDDEN)


def _cut(parts: list[Columns], ranges: list[RowRange]) -> list[Columns]:
    """Return the rows of ``ranges``, split where ``parts`` are split."""
    starts = [*accumulate((part["step"].size for part in parts), initial=0)]
    return [
        {name: column[low:high] for name, column in part.items()}
        for begin, end in ranges
        for first, part in zip(starts, parts, strict=False)
        if (low := max(begin - first, 0)) < (high := min(end - first, part["step"].size))
    ]
