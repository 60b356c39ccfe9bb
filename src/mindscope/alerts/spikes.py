# SPDX-License-Identifier: Apache-2.0
"""A loss that jumps up and comes down again."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.alerts.alert import Finding
from mindscope.alerts.episodes import MOST_EPISODES, SeriesRows, joined
from mindscope.alerts.parameters import Parameters


class Spikes:
    """Values far above all of the window before them that are followed by usual ones soon; else it is a divergence."""

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self._before: SeriesRows | None = None  # the finite rows of a window before the next
        self._first: float | None = None  # level of the first values, once there are enough of them
        self._looked_at = 0  # finite rows so far
        self._open: tuple[Finding, float, int] | None = None  # a jump, what it has to fall below, and the rows since
        self.findings: Sequence[Finding] = []

    def extend(self, rows: SeriesRows) -> None:
        fresh = rows.where(np.isfinite(rows.value))
        if len(fresh) == 0:
            return
        every = joined(self._before, fresh)
        known = len(every) - len(fresh)
        limits = self._limits(every)[known:]
        self._follow(fresh, limits)
        self._before = every.cut(max(len(every) - self._parameters.spike_window, 0))
        self._looked_at += len(fresh)

    def _limits(self, every: SeriesRows) -> NDArray[np.float64]:
        """Return the number that each value must exceed to be a jump, by the values before it.

        It is infinite where too few values are before.
        """
        window = self._parameters.spike_window
        limits = np.full(len(every), np.inf)
        if self._first is None and self._looked_at + len(every) >= window:
            self._first = float(np.median(every.value[:window]))
        if self._first is None or self._first <= 0.0 or len(every) <= window:
            return limits
        bottleneck: Any = import_module("bottleneck")  # it has no types
        highest = bottleneck.move_max(every.value, window)[window - 1 : -1]
        limits[window:] = np.maximum(self._parameters.spike_factor * np.maximum(highest, 0.0), 0.5 * self._first)
        return limits

    def _follow(self, rows: SeriesRows, limits: NDArray[np.float64]) -> None:
        row = 0
        while row < len(rows):
            row = self._follow_open(rows, row) if self._open else self._find(rows, limits, row)

    def _find(self, rows: SeriesRows, limits: NDArray[np.float64], row: int) -> int:
        """Begin with the next jump; returns the row after it."""
        jumps = np.flatnonzero(rows.value[row:] > limits[row:])
        if jumps.size == 0:
            return len(rows)
        row += int(jumps[0])
        step, value = int(rows.step[row]), float(rows.value[row])
        finding = Finding(step, float(rows.wall_time[row]), value, step, 1, is_active=False)
        self._open = (finding, float(limits[row]), 0)
        return row + 1

    def _follow_open(self, rows: SeriesRows, row: int) -> int:
        """Go on until the jump has come down or lasts too long; returns the next row."""
        assert self._open is not None
        finding, limit, since = self._open
        patience = self._parameters.spike_points - since
        values = rows.value[row : row + patience]
        down = np.flatnonzero(values <= limit)
        seen = int(down[0]) if down.size else values.size
        last = int(rows.step[row + seen - 1]) if seen else finding.last_step
        finding = Finding(finding.step, finding.wall_time, finding.value, last, finding.count + seen, is_active=False)
        if down.size:
            self._open = None
            self.findings = [*self.findings, finding] if len(self.findings) < MOST_EPISODES else self.findings
            return row + seen
        self._open = (finding, limit, since + seen) if seen < patience else None
        return row + seen
