# SPDX-License-Identifier: Apache-2.0
"""Hashes of columns. Sums and products wrap around at 2^64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_FACTOR, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)


def mix(values: NDArray[np.uint64]) -> Hashes:
    """Return other hashes, in which each bit depends on all bits. Source: the last step of MurmurHash3."""
    mixed = values ^ values >> _SHIFT
    mixed *= _FIRST
    mixed ^= mixed >> _SHIFT
    mixed *= _SECOND
    return mixed ^ mixed >> _SHIFT


def combine(*columns: NDArray[np.generic]) -> Hashes:
    """Return a hash of each row of ``columns``, integers or hashes, shape (n,)."""
    result = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        result = mix(result * _FACTOR + column.astype(np.int64).view(np.uint64) + np.uint64(1))
    return result


def sums_by_row(hashes: Hashes, row: NDArray[np.integer], count: int) -> Hashes:
    """Return the sum of the hashes with each row, shape (count,). ``row`` ascends."""
    first = np.searchsorted(row, np.arange(count + 1))
    return sums_of_ranges(hashes, first)


def sums_of_ranges(hashes: Hashes, first: NDArray[np.integer]) -> Hashes:
    """Return (len(first) - 1,) The sums of ``hashes[first[i]:first[i + 1]]``."""
    total = np.zeros(len(hashes) + 1, np.uint64)
    np.cumsum(hashes, out=total[1:])
    return total[first[1:]] - total[first[:-1]]
