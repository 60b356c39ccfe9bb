# SPDX-License-Identifier: Apache-2.0
"""Rows at which something is wrong, joined to episodes as they arrive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mindscope.alerts.alert import Finding

MOST_EPISODES = 20
"""Limit of the episodes of one series.

Later ones extend the last, so that a flickering series makes no endless list.
"""


@dataclass(frozen=True, slots=True, eq=False)
class SeriesRows:
    """Some rows of a series, each column of shape (n,), by ascending step."""

    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    value: NDArray[np.float64]

    def __len__(self) -> int:
        return self.step.size

    def cut(self, start: int, stop: int | None = None) -> SeriesRows:
        return SeriesRows(self.step[start:stop], self.wall_time[start:stop], self.value[start:stop])

    def where(self, chosen: NDArray[np.bool_]) -> SeriesRows:
        return self if bool(chosen.all()) else SeriesRows(self.step[chosen], self.wall_time[chosen], self.value[chosen])


def joined(waiting: SeriesRows | None, rows: SeriesRows) -> SeriesRows:
    """Return pending rows followed by new ones."""
    if waiting is None or len(waiting) == 0:
        return rows
    return SeriesRows(
        np.concatenate([waiting.step, rows.step]),
        np.concatenate([waiting.wall_time, rows.wall_time]),
        np.concatenate([waiting.value, rows.value]),
    )


class Episodes:
    """Joins wrong rows: an episode begins with ``lasting`` of them in a row, and ends before ``calm`` right ones.

    The findings don't depend on how rows are split into calls.
    """

    def __init__(self, lasting: int = 1, calm: int = 1) -> None:
        self._lasting = lasting
        self._calm = calm
        self._closed: list[Finding] = []
        self._open: Finding | None = None
        self._begun: Finding | None = None  # a row of wrong ones that is not long enough yet
        self._right = 0  # right rows since the last wrong one

    @property
    def findings(self) -> list[Finding]:
        """All episodes, the oldest first."""
        return self._closed if self._open is None else [*self._closed, self._open]

    def extend(self, rows: SeriesRows, is_wrong: NDArray[np.bool_]) -> None:
        """Take in the next rows; ``is_wrong`` has one entry for each."""
        changes = np.flatnonzero(np.diff(is_wrong)) + 1 if is_wrong.size else np.empty(0, np.intp)
        bounds = [0, *changes.tolist(), is_wrong.size]
        for start, stop in pairwise(bounds):
            if start < stop and is_wrong[start]:
                self._add_wrong(rows, start, stop)
            elif start < stop:
                self._add_right(stop - start)

    def _add_right(self, count: int) -> None:
        self._begun = None
        self._right += count
        if self._open is not None and self._right >= self._calm and len(self._closed) < MOST_EPISODES - 1:
            self._closed.append(replace(self._open, is_active=False))
            self._open = None
        elif self._open is not None and self._right >= self._calm and self._open.is_active:
            self._open = replace(self._open, is_active=False)

    def _add_wrong(self, rows: SeriesRows, start: int, stop: int) -> None:
        self._right = 0
        last, count = int(rows.step[stop - 1]), stop - start
        if self._open is not None:
            self._open = replace(self._open, last_step=last, count=self._open.count + count, is_active=True)
            return
        begun = self._begun or Finding(
            int(rows.step[start]), float(rows.wall_time[start]), float(rows.value[start]), last, 0, is_active=True
        )
        self._begun = replace(begun, last_step=last, count=begun.count + count)
        if self._begun.count >= self._lasting:
            self._open, self._begun = self._begun, None
