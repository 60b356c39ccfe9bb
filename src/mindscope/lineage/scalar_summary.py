# SPDX-License-Identifier: Apache-2.0
"""Summarizes a curve as a few cells of the lineage table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

STATISTICS = ("last", "min", "min_step", "max", "max_step", "mean")


def summarize(steps: NDArray[np.int64], values: NDArray[np.floating[Any]], mean_of: int) -> list[float | int | None]:
    """Return a value for each of ``STATISTICS``.

    The mean is that of the last ``mean_of`` points, steps are the first ones.

    ``steps`` and ``values`` have shape (n,). NaN counts in last and mean, but not as an extreme: if all values are NaN,
    the extremes are None. Empty for a curve without points.
    """
    if not values.size:
        return []
    summary: list[float | int | None] = [last_value(values), None, None, None, None]
    numbers = np.flatnonzero(~np.isnan(values))
    if numbers.size:
        value = values[numbers]
        low, high = numbers[np.argmin(value)], numbers[np.argmax(value)]
        summary[1:] = [shortest(values[low]), int(steps[low]), shortest(values[high]), int(steps[high])]
    with np.errstate(invalid="ignore"):  # infinities of both signs
        return [*summary, float(values[-mean_of:].astype(np.float64).mean())]


def last_value(values: NDArray[np.floating[Any]]) -> float:
    """Return the last of at least one value."""
    return shortest(values[-1])


def shortest(value: Any) -> float:
    """Return a float32 as the shortest decimal number: 0.1, not 0.10000000149011612."""
    return float(str(value)) if value.dtype == np.float32 else float(value)
