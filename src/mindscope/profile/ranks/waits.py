# SPDX-License-Identifier: Apache-2.0
"""Divides collectives into transfer of data and waiting for other ranks, and finds who is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.ranks.clocks import Clocks
from mindscope.profile.ranks.operations import Operations
from mindscope.profile.ranks.rank_data import RankData
from mindscope.profile.ranks.tables import Stragglers

LEAST_SHARE = 0.01
"""HTA: of the mean step, that a collective of a straggler takes at least."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Columns beside n operations."""

    transfer: NDArray[np.int64]
    """TensorBoard's data transfer: the shortest duration of the collective among all ranks. Of an operation that only
    one rank has, what the profiler measured, else all of it."""
    synchronizing: NDArray[np.int64]
    """The rest of the duration."""


def waits_of(operations: Operations) -> Waits:
    """Return the parts of each operation."""
    measured = np.where(operations.transit >= 0, operations.transit, operations.duration)
    transfer = np.minimum(measured, operations.duration)
    rows = np.flatnonzero(operations.collective >= 0)
    number = operations.collective[rows]
    count = int(number.max(initial=-1)) + 1
    shortest = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(shortest, number, operations.duration[rows])
    members = np.bincount(number, minlength=count)
    transfer[rows] = np.where(members[number] > 1, shortest[number], transfer[rows])
    return Waits(transfer, operations.duration - transfer)


def stragglers_of(
    operations: Operations, clocks: Clocks, mean_step: float, data: Sequence[RankData]
) -> Stragglers | None:
    """Return the rank that began the collective with the longest wait last, in each step and group.

    It is None without such collectives.

    HTA asks this of the last collective of a stream. A rank that is late for an earlier one is in time for the last,
    since the earlier one made all others wait: so the longest wait counts here. As in HTA, collectives below 1 % of the
    mean step count for nothing.
    """
    rows = np.flatnonzero(operations.is_synchronous() & (operations.collective >= 0))
    if not len(rows):
        return None
    starts = clocks.aligned(operations.rank[rows], operations.start[rows])
    order = np.lexsort((starts, operations.collective[rows]))
    rows, starts = rows[order], starts[order]
    number = operations.collective[rows]
    first = np.flatnonzero(np.diff(number, prepend=-1))
    sizes = np.diff(np.append(first, len(rows)))
    last = first + sizes - 1
    longest = np.maximum.reduceat(operations.duration[rows], first)
    below, above = first + np.maximum(sizes - 2, 0) // 2, first + (sizes - 1) // 2  # in the middle of the others
    lateness = starts[last] - (starts[below] + starts[above]) // 2
    waiting = longest - operations.duration[rows[last]]
    usable = (sizes > 1) & (longest >= LEAST_SHARE * mean_step) & (waiting > 0)
    chosen = _longest_waits(operations, rows[last], waiting, usable)
    if not len(chosen):
        return None
    own = rows[last[chosen]]
    origins = np.array([each.origin_ns or 0 for each in data], np.int64)
    return Stragglers(
        cycle=operations.cycle[own], step=operations.step[own], group=operations.group.select(own),
        group_ranks=operations.group_ranks.select(own), kind=operations.kind.select(own), rank=operations.rank[own],
        lateness=lateness[chosen], waiting=waiting[chosen], profile=operations.data[own],
        own_start=operations.start[own] - origins[operations.data[own]],
        own_duration=operations.duration[own],
    )  # fmt: skip


def _longest_waits(
    operations: Operations, own: NDArray[np.int64], waiting: NDArray[np.int64], usable: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the collective with the longest wait, of each cycle, step and group."""
    rows = np.flatnonzero(usable)
    at = own[rows]
    keys = (operations.cycle[at], operations.step[at], operations.group.codes[at], operations.group_ranks.codes[at])
    order = np.lexsort((-waiting[rows], *reversed(keys)))
    is_first = np.ones(len(order), np.bool_)
    for key in keys:
        is_first[1:] &= key[order][1:] == key[order][:-1]
    is_first[1:] = ~is_first[1:]
    return rows[order[is_first]]
