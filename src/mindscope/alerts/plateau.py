# SPDX-License-Identifier: Apache-2.0
"""A loss that does not fall any more."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.alerts.alert import Finding
from mindscope.alerts.episodes import Episodes, SeriesRows
from mindscope.alerts.parameters import Parameters

MOST_BLOCKS = 128
GROWTH = 1.1
"""Growth of the number of points between two checks: the time scale is the length of the training."""


class Plateau:
    """Compares the level of the last half of all points with that of the quarter before.

    The points are kept as the means of at most ``MOST_BLOCKS`` blocks of equal length, which double when there are too
    many: memory and time per point stay small, however long the training is.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self._episodes = Episodes(lasting=parameters.plateau_looks, calm=1)
        self._length = 1  # points in a block
        self._sums: list[float] = []
        self._counts: list[int] = []
        self._starts: list[tuple[int, float, float]] = []  # step, wall time and value with which each block begins
        self._points = 0
        self._next_look = parameters.plateau_points

    @property
    def findings(self) -> Sequence[Finding]:
        return self._episodes.findings

    def extend(self, rows: SeriesRows) -> None:
        rows = rows.where(np.isfinite(rows.value))
        row = 0
        while row < len(rows):
            stop = min(row + self._next_look - self._points, len(rows))
            self._add(rows.cut(row, stop))
            row = stop
            if self._points == self._next_look:
                self._look()
                self._next_look = int(self._next_look * GROWTH) + 1

    def _add(self, rows: SeriesRows) -> None:
        """Fill the last block, then begin others, as many at once as have room."""
        self._points += len(rows)
        while len(rows):
            room = self._length - self._counts[-1] if self._counts else 0
            if room:
                self._sums[-1] += float(np.sum(rows.value[:room]))
                self._counts[-1] += min(room, len(rows))
                rows = rows.cut(room)
            elif len(self._counts) == MOST_BLOCKS:
                self._halve()
            else:
                rows = self._begin(rows)

    def _begin(self, rows: SeriesRows) -> SeriesRows:
        """Begin blocks, the last of which may stay unfilled; the rows that are left when there are enough blocks."""
        starts: NDArray[np.intp] = np.arange(0, len(rows), self._length, dtype=np.intp)[
            : MOST_BLOCKS - len(self._counts)
        ]
        stop = min(int(starts[-1]) + self._length, len(rows))
        sums: list[float] = np.add.reduceat(rows.value[:stop], starts).tolist()
        counts: list[int] = np.diff([*starts.tolist(), stop]).tolist()
        self._sums += sums
        self._counts += counts
        columns = (rows.step[starts], rows.wall_time[starts], rows.value[starts])
        self._starts += zip(*(column.tolist() for column in columns), strict=True)
        return rows.cut(stop)

    def _halve(self) -> None:
        self._length *= 2
        self._sums = [a + b for a, b in zip(self._sums[::2], self._sums[1::2], strict=True)]
        self._counts = [a + b for a, b in zip(self._counts[::2], self._counts[1::2], strict=True)]
        self._starts = self._starts[::2]

    def _look(self) -> None:
        blocks = len(self._sums)
        half, quarter = blocks // 2, blocks // 4
        before = self._level(half - quarter, half)
        then, now = self._level(half, half + quarter), self._level(half + quarter, blocks)
        first = self._level(0, max(blocks // 16, 1))
        needed = before * (1.0 - self._parameters.plateau_fall)
        is_high = now > self._parameters.plateau_share * first > 0.0
        is_level = now < self._parameters.divergence_factor * before  # what rises further has left its level
        step, wall_time, value = self._starts[half - quarter]
        row = SeriesRows(np.array([step]), np.array([wall_time]), np.array([value]))
        self._episodes.extend(row, np.array([is_high and is_level and then > needed and now > needed]))

    def _level(self, start: int, stop: int) -> float:
        return math.fsum(self._sums[start:stop]) / sum(self._counts[start:stop])
