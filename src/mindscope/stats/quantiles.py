# SPDX-License-Identifier: Apache-2.0
"""A few values that say how all values of a column are distributed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.stats.chunked_array import ChunkedArray

QUANTILES = 64
_SAMPLE = 2048
"""Most rows that are read: their quantiles are near those of all rows."""
_MIDDLES = (np.arange(QUANTILES) + 0.5) / QUANTILES


def quantiles(y: ChunkedArray) -> NDArray[Any]:
    """Return the finite values of ``y`` in ascending order; of more than 64 values the middles of 64 equal parts.

    The result depends on the values alone, not on an axis, a range or a width. Of more than 2048 rows those count whose
    number is a multiple of a power of two, so that appended rows rarely change which these are.
    """
    stride = 1
    while y.size > stride * _SAMPLE:
        stride *= 2
    sample = y.joined() if stride == 1 else y.take(np.arange(0, y.size, stride))
    ordered = np.sort(sample)  # NaN comes last
    finite = ordered[ordered.searchsorted(-np.inf, "right") : ordered.searchsorted(np.inf)]
    return finite if finite.size <= QUANTILES else finite[(_MIDDLES * finite.size).astype(np.int64)]
