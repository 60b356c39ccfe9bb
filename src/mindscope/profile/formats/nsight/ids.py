# SPDX-License-Identifier: Apache-2.0
"""Numbers of processes, threads and launches in an export of Nsight Systems."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BITS = 24
_MASK = (1 << _BITS) - 1


def process_of(global_id: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the process of each ``globalPid`` or ``globalTid``."""
    return (global_id >> _BITS) & _MASK


def thread_of(global_id: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the thread of each ``globalTid``."""
    return global_id & _MASK


def correlation_of(process: NDArray[np.int64], correlation: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for each launch that no other process has; 0 for none."""
    return np.where(correlation > 0, process << 32 | correlation & 0xFFFFFFFF, 0)
