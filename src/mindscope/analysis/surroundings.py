# SPDX-License-Identifier: Apache-2.0
"""The points around an interval of steps: the range that a chart of the interval shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindscope.stats import ChunkedArray, XAxis
from mindscope.store import ScalarSeries

MARGIN = 48
"""Points before and after the interval, so that a chart shows the usual values too."""
MAX_POINTS = 200
"""Limit of the points: of a longer interval, the surroundings cover its beginning."""


@dataclass(frozen=True, slots=True)
class StepWindow:
    """A range of steps, and the lowest and highest finite value in it."""

    first_step: int
    last_step: int
    lowest: float
    highest: float


def surroundings_of(series: ScalarSeries, first_step: int, last_step: int) -> StepWindow | None:
    """Return the points around the steps of an interval; None with fewer than two points, or without a finite value."""
    parts = series.visible_parts().parts
    step = ChunkedArray([*(part["step"] for part in parts), np.empty(0, np.int64)])
    value = ChunkedArray([*(part["value"] for part in parts), np.empty(0, np.float32)])
    start, stop = XAxis(step).bounds((first_step, last_step))
    first, last = max(start - MARGIN, 0), min(min(stop, start + MAX_POINTS) + MARGIN, step.size)
    values = value.take(slice(first, last))
    numbers = values[np.isfinite(values)]
    if last - first < 2 or numbers.size == 0:
        return None
    return StepWindow(
        first_step=int(step.at(first)),
        last_step=int(step.at(last - 1)),
        lowest=float(numbers.min()),
        highest=float(numbers.max()),
    )
