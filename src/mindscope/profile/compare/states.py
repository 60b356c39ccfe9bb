# SPDX-License-Identifier: Apache-2.0
"""Decides when a change is one, and when it is noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.table.columns import TextColumn

ADDED, GONE, SLOWER, FASTER, UNCHANGED = STATES = ("added", "gone", "slower", "faster", "unchanged")
TOLERANCE = 0.05
"""Relative change below which a time is unchanged, as runs differ."""
LEAST_SHARE = 0.001
"""Share of a step: smaller changes are none."""
NOISE = 2.0
"""Standard errors of the difference of the means over steps; smaller changes are none."""


def states_of(
    was_there: NDArray[np.bool_],
    is_there: NDArray[np.bool_],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    step: float,
    error: NDArray[np.float64],
) -> TextColumn:
    """Return the state of each of n times.

    Args:
        was_there: whether the profile before has them, whatever their time.
        is_there: the profile after.
        before: nanoseconds of a step.
        after: the same.
        step: nanoseconds of the longer step.
        error: standard error of ``after - before`` over the steps; 0 where it is unknown.
    """
    change = np.abs(after - before)
    is_noise = (change <= TOLERANCE * np.maximum(before, after)) | (change <= LEAST_SHARE * step)
    is_noise |= change <= NOISE * error
    codes = np.where(is_noise, STATES.index(UNCHANGED), np.where(after > before, 2, 3))
    codes = np.where(is_there, codes, STATES.index(GONE))
    return TextColumn(np.where(was_there, codes, STATES.index(ADDED)).astype(np.uint32), STATES)
