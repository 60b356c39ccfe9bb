# SPDX-License-Identifier: Apache-2.0
"""Nests slices: which lie in which others, the rows that they are drawn in, and their times without children."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace._nesting import nest
from mindscope.profile.trace.trace import Slices


@dataclass(frozen=True, slots=True)
class Nesting:
    """Columns beside n slices."""

    order: NDArray[np.int32]
    """The slices by track, then start; of those that begin at once, the longer first."""
    parent: NDArray[np.int32]
    """The innermost slice of the track that contains each; -1 without one."""
    row: NDArray[np.uint16]
    """Within the track: below those of all slices that are open when it begins, so that none hides another."""
    own: NDArray[np.int64]
    """Nanoseconds of each without its children."""
    overlaps: int
    """Slices that begin in another one of their track and end after it."""


def nesting_of(slices: Slices, overhang: int = 0) -> Nesting:
    """Return the nesting of all slices; O(n log n), and O(n) for each level of depth.

    A slice may end ``overhang`` nanoseconds after the one that contains it.
    """
    order = np.lexsort((-slices.duration, slices.start, slices.track)).astype(np.int32)
    return Nesting(order, *nest(slices.start, slices.duration, slices.track, order, overhang))


def busy(starts: NDArray[np.int64], durations: NDArray[np.int64]) -> int:
    """Return nanoseconds in which at least one of n slices runs: their union."""
    if not len(starts):
        return 0
    order = np.argsort(starts, kind="stable")
    begins, ends = starts[order], (starts + durations)[order]
    reached = np.concatenate([begins[:1], np.maximum.accumulate(ends)[:-1]])
    return int(np.maximum(ends - np.maximum(begins, reached), 0).sum())
