# SPDX-License-Identifier: Apache-2.0
"""Statistics less a baseline at the same x."""

from __future__ import annotations

import dataclasses

import numpy as np

from mindscope.stats.alignment import Floats, XYSeries
from mindscope.stats.group_statistics import TraceStatistics

SHIFTED = ("mean", "median", "low", "high", "lower_quartile", "upper_quartile")
"""Names of the statistics that move with the values; counts and distances don't."""


def minus_baseline(x: Floats, stats: TraceStatistics, baseline: XYSeries) -> TraceStatistics:
    """Return ``stats`` at ``x`` of the values less ``baseline``, between whose points are straight lines.

    Beyond its ends nothing can be compared: all are NaN there, and ``count`` is 0. Its values are finite.
    """
    level = baseline.along(x)
    is_known = np.isfinite(level)
    moved = {name: getattr(stats, name) - level for name in SHIFTED}
    count, deviation = np.where(is_known, stats.count, 0.0), np.where(is_known, stats.deviation, np.nan)
    return dataclasses.replace(stats, **moved, count=count, deviation=deviation)
