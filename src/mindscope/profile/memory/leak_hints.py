# SPDX-License-Identifier: Apache-2.0
"""Hints at leaks by steps; by periods of the profile where a format marks no steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mindscope.profile.memory.leaks import LeakHint, find_leaks
from mindscope.profile.tables.memory import UNKNOWN_TIME, MemoryBlocks

PERIODS = 8
"""Equal ones of the time with allocations; the first and the last are not judged, as with steps."""


@dataclass(frozen=True, slots=True)
class LeakHints:
    """Hints at leaks, the greatest growth first."""

    hints: list[LeakHint]
    by_period: bool
    """The steps of the hints are periods, from 0 on."""


def leak_hints(blocks: MemoryBlocks) -> LeakHints:
    """Return origins that leave memory in every step, or in every period."""
    if blocks.step is not None and (blocks.step >= 0).any():
        return LeakHints(find_leaks(blocks), by_period=False)
    is_known = blocks.allocated_at != UNKNOWN_TIME
    if not is_known.any():
        return LeakHints([], by_period=True)
    times = blocks.allocated_at[is_known]
    begin, end = int(times.min()), int(times.max()) + 1
    period = np.full(len(blocks), -1, np.int64)
    period[is_known] = (times - begin) * PERIODS // (end - begin)
    return LeakHints(find_leaks(replace(blocks, step=period)), by_period=True)
