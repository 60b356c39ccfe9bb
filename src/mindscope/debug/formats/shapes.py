# SPDX-License-Identifier: Apache-2.0
"""Shapes that files name."""

from __future__ import annotations

import math
from collections.abc import Sequence

MOST_DIMENSIONS = 64
_MOST_ELEMENTS = 2**63 - 1


def is_possible_shape(sizes: Sequence[int]) -> bool:
    """Return whether an array can have these sizes: at most 64, none negative, no index beyond 64 bits, also if one is
    0.
    """
    is_short = len(sizes) <= MOST_DIMENSIONS and min(sizes, default=0) >= 0
    return is_short and math.prod(max(size, 1) for size in sizes) <= _MOST_ELEMENTS
