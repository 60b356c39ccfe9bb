# SPDX-License-Identifier: Apache-2.0
"""Checks of a loss, each fed with the points of one series as they arrive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from mindscope.alerts.alert import Finding
from mindscope.alerts.episodes import Episodes, SeriesRows, joined
from mindscope.alerts.parameters import Parameters


class Check(Protocol):
    """A check of one series. The findings don't depend on how rows are split into calls."""

    @property
    def findings(self) -> Sequence[Finding]:
        """The findings until now, the oldest first."""
        ...

    def extend(self, rows: SeriesRows) -> None:
        """Add the next rows."""
        ...


class NotFinite:
    """Finds NaN and infinities in a series."""

    def __init__(self, parameters: Parameters) -> None:
        self._episodes = Episodes(calm=parameters.calm_points)

    @property
    def findings(self) -> Sequence[Finding]:
        return self._episodes.findings

    def extend(self, rows: SeriesRows) -> None:
        self._episodes.extend(rows, ~np.isfinite(rows.value))


class LossDivergence:
    """A loss far above its lowest value, until it comes back: medians of blocks of values that are far too high."""

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self._episodes = Episodes(lasting=parameters.divergence_blocks, calm=parameters.divergence_blocks)
        self._waiting: SeriesRows | None = None  # of a block that is not full
        self._first: float | None = None  # median of the first block
        self._lowest = np.inf  # median of all blocks

    @property
    def findings(self) -> Sequence[Finding]:
        return self._episodes.findings

    def extend(self, rows: SeriesRows) -> None:
        rows = joined(self._waiting, rows.where(np.isfinite(rows.value)))
        size = self._parameters.divergence_block
        full = len(rows) // size * size
        self._waiting = rows.cut(full)
        if full:
            medians = np.median(rows.value[:full].reshape(-1, size), axis=1)
            self._add(SeriesRows(rows.step[:full:size], rows.wall_time[:full:size], medians))

    def _add(self, blocks: SeriesRows) -> None:
        if self._first is None:
            self._first = float(blocks.value[0])
        lowest = np.minimum.accumulate(np.concatenate([[self._lowest], blocks.value]))
        self._lowest = float(lowest[-1])
        before = lowest[:-1]
        with np.errstate(invalid="ignore"):
            is_far = blocks.value > before + 0.5 * np.maximum(self._first - before, 0.0)
        is_wrong = is_far & (before > 0.0) & (blocks.value > self._parameters.divergence_factor * before)
        self._episodes.extend(blocks, is_wrong)
