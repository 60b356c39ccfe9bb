# SPDX-License-Identifier: Apache-2.0
"""The running median: smooths without bending to single outliers."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def running_median(value: ArrayLike, points: int) -> NDArray[np.float64]:
    """Return the median of each entry of ``value``, shape (n,), and its neighbors, ``points`` together.

    There are fewer at the ends.

    An even number counts as the next odd one, so that as many lie before as after. NaN and infinities come out as they
    went in, and count for no median. Entries near the end change while others are appended.

    Raises ValueError when ``points`` is below 1.
    """
    if points < 1:
        raise ValueError(f"points of the median are {points}, want at least 1")
    values = np.array(value, np.float64)
    half = min(points // 2, values.size)
    if half > 0:
        is_finite = np.isfinite(values)
        finite = np.where(is_finite, values, np.nan)
        bottleneck: Any = import_module("bottleneck")  # it has no types
        # It looks back only: with rows after the end, each window reaches as far ahead.
        padded = np.concatenate([np.full(half, np.nan), finite, np.full(half, np.nan)])
        medians = bottleneck.move_median(padded, 2 * half + 1, min_count=1)[2 * half :]
        values[is_finite] = medians[is_finite]
    return values
