# SPDX-License-Identifier: Apache-2.0
"""A few values that say how all values of a column are distributed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.stats.chunked_array import ChunkedArray

QUANTILES = 64
_SAMPLE = 4096
"""Most rows that are read: their quantiles are near those of all rows."""


def quantiles(y: ChunkedArray) -> NDArray[Any]:
    """The finite values of ``y`` in ascending order; of more than 64 values the middles of 64 equal parts.

    The result depends on the values alone, not on an axis, a range or a width. Of more than 4096 rows those count whose
    number is a multiple of a power of two, so that appended rows rarely change which these are.
    """
    stride = 1
    while y.size > stride * _SAMPLE:
        stride *= 2
    sample = y.joined() if stride == 1 else y.take(np.arange(0, y.size, stride))
    finite = np.sort(sample[np.isfinite(sample)])
    if finite.size <= QUANTILES:
        return finite
    return finite[((np.arange(QUANTILES) + 0.5) * finite.size / QUANTILES).astype(np.int64)]
