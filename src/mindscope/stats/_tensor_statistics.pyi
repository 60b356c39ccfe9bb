# SPDX-License-Identifier: Apache-2.0

import numpy as np
from numpy.typing import NDArray

class StatisticsRows:
    """Writes rows of statistics into arrays of its caller: ``values`` (capacity, 16), ``digests`` (capacity,)."""

    def __init__(self, values: NDArray[np.float64], digests: NDArray[np.uint64]) -> None: ...
    def summarize(self, row: int, address: int, kind: int, count: int) -> None:
        """Statistics of ``count`` numbers at an address; ``kind`` as in ``KINDS`` of ``stats.tensor_statistics``."""

    def summarize_bytes(
        self, row: int, address: int, count: int, meaning: NDArray[np.float64], near_max: float, tiny: float
    ) -> None:
        """Statistics of ``count`` numbers of one byte; ``meaning`` are the numbers of the 256 bytes."""

    def update(self, row: int, now: int, before: int, kind: int, count: int) -> None:
        """Means of |now - before| and |before| of floats into the last two columns."""

def mix(hash: int, count: int) -> int:
    """The digest of a sum that another program computed."""
