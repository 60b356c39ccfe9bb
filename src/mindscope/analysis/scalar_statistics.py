# SPDX-License-Identifier: Apache-2.0
"""First, last, minimum, maximum and mean value of a scalar series, over all of its points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ScalarStatistics:
    """``minimum``, ``maximum`` and ``mean`` are over the finite values, None without any.

    ``first`` and ``last`` may be NaN or infinite.
    """

    points: int
    last_step: int
    first: float
    last: float
    minimum: float | None
    maximum: float | None
    mean: float | None


def scalar_statistics(step: NDArray[np.int64], value: NDArray[np.floating[Any]]) -> ScalarStatistics:
    """Return the statistics of points, two columns of the same length. Raises ValueError without points."""
    if value.size == 0:
        raise ValueError("statistics of no points, want at least one")
    finite = value[np.isfinite(value)]
    return ScalarStatistics(
        points=value.size,
        last_step=int(step[-1]),
        first=float(value[0]),
        last=float(value[-1]),
        minimum=float(finite.min()) if finite.size else None,
        maximum=float(finite.max()) if finite.size else None,
        mean=float(finite.mean(dtype=np.float64)) if finite.size else None,
    )
