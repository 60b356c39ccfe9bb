# SPDX-License-Identifier: Apache-2.0
"""Half widths of confidence intervals of a mean, by Student's t distribution."""

from __future__ import annotations

from functools import cache
from math import atan, cos, pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
"""The share of intervals that contain the mean of all possible runs, if the values have a normal distribution."""
NORMAL_QUANTILE = 1.959963984540054
"""The limit of ``t_quantile`` for many values."""
MOST_DEGREES = 1000
"""Degrees of freedom from which two terms of an expansion around the normal distribution are exact to 1e-8."""


def confidence_factor(count: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the half width of the interval in standard errors, for each count of values; NaN below two values."""
    counts, inverse = np.unique(count, return_inverse=True)
    factors = [t_quantile(int(each) - 1) if each > 1 else np.nan for each in counts.tolist()]
    return np.array(factors, np.float64)[inverse]


@cache
def t_quantile(degrees: int) -> float:
    """Return the t within which ``CONFIDENCE`` of Student's distribution with ``degrees`` of freedom lies on both
    sides.
    """
    if degrees > MOST_DEGREES:
        z = NORMAL_QUANTILE
        return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
    low, high = 0.0, 13.0  # 12.7 for one degree
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if _share_within(middle, degrees) < CONFIDENCE else (low, middle)
    return high


def _share_within(t: float, degrees: int) -> float:
    """Return the probability that a value of Student's distribution lies between -t and t.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, equations 26.7.3 and 26.7.4.
    """
    angle = atan(t / sqrt(degrees))
    is_odd = degrees % 2
    term = cos(angle) if is_odd else 1.0
    total = term if degrees > 1 else 0.0
    for power in range(3 if is_odd else 2, degrees - 1, 2):
        term *= (power - 1) / power * cos(angle) ** 2
        total += term
    return 2 / pi * (angle + sin(angle) * total) if is_odd else sin(angle) * total
