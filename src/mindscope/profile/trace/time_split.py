# SPDX-License-Identifier: Apache-2.0
"""Splits time among what happens in it: each moment counts once, for the first of several layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.table.columns import Durations, Times

Intervals = tuple[Times, Times]
"""Starts and ends, (n,) each, in any order; they may overlap."""
NO_INTERVALS: Intervals = (np.empty(0, np.int64), np.empty(0, np.int64))


def union(*layers: Intervals) -> Intervals:
    """Return disjoint intervals in order of time that cover what any of the intervals covers."""
    starts = np.concatenate([np.empty(0, np.int64), *(layer[0] for layer in layers)])
    ends = np.concatenate([np.empty(0, np.int64), *(layer[1] for layer in layers)])
    is_some = ends > starts
    order = np.argsort(starts[is_some], kind="stable")
    starts, ends = starts[is_some][order], ends[is_some][order]
    if not len(starts):
        return starts, ends
    reached = np.maximum.accumulate(ends)
    first = np.concatenate([[True], starts[1:] > reached[:-1]])
    return starts[first], reached[np.concatenate([np.flatnonzero(first)[1:] - 1, [len(starts) - 1]])]


def covered(intervals: Intervals, starts: Times, ends: Times) -> Durations:
    """Return the nanoseconds of each window [start, end) that disjoint, ordered intervals cover."""
    begins, finishes = intervals
    if not len(begins):
        return np.zeros(len(starts), np.int64)
    before = np.concatenate([[0], np.cumsum(finishes - begins)])

    def until(times: Times) -> Durations:
        index = np.searchsorted(begins, times, side="right")
        last = np.maximum(index - 1, 0)
        beyond = np.where(index > 0, np.maximum(finishes[last] - times, 0), 0)
        return before[index] - beyond

    return np.where(ends > starts, until(ends) - until(starts), 0)


def split_time(layers: Sequence[Intervals], starts: Times, ends: Times) -> list[Durations]:
    """Return for each layer the nanoseconds of each window in which it is the first one that covers.

    Args:
        layers: the first has priority.
        starts: (n,) of the windows.
        ends: (n,)

    Returns:
        (n,) for each layer, and what none of them covers.
    """
    found: list[Durations] = []
    until_now, whole = NO_INTERVALS, np.zeros(len(starts), np.int64)
    for layer in layers:
        until_now = union(until_now, layer)
        now = covered(until_now, starts, ends)
        found.append(now - whole)
        whole = now
    return [*found, np.maximum(ends - starts, 0) - whole]


def masked(starts: Times, durations: Durations, mask: NDArray[np.bool_]) -> Intervals:
    """Return the intervals of the rows where ``mask`` is True."""
    return starts[mask], starts[mask] + durations[mask]
