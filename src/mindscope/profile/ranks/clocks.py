# SPDX-License-Identifier: Apache-2.0
"""Offsets of the clocks of ranks, from collectives that end on all ranks at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import hypot

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.ranks.operations import Operations
from mindscope.profile.ranks.tables import ClockOffsets
from mindscope.table.grouping import groups_of

DEVIATION = 1.4826
"""Standard deviation of a normal distribution by its median absolute deviation."""
_FEWEST_FOR_SPREAD = 3
_FEWEST_FOR_DRIFT = 8
_VISIBLE_DRIFT = 4
"""Times the spread that a clock must gain over all collectives."""
_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class _Clock:
    """The offset to subtract from times of a rank: ``offset + drift * (time - center) / 1 s``."""

    offset: int = 0
    uncertainty: float = 0.0
    drift: float = 0.0
    """Drift in nanoseconds a second."""
    center: int = 0
    collectives: int = 0

    def at(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the offset at these times of the rank's clock."""
        return self.offset + np.rint(self.drift * ((times - self.center) / _S)).astype(np.int64)


@dataclass(slots=True)
class _Group:
    """The ends of the collectives of one process group."""

    ranks: NDArray[np.int64]
    ends: NDArray[np.int64]
    """(members, collectives), by the clocks of the members."""
    is_known: NDArray[np.bool_]
    """Whether the times are known, shape (members, collectives)."""
    durations: NDArray[np.int64]
    """Durations in nanoseconds, shape (members, collectives)."""
    done: set[int] = field(default_factory=set[int])


class Clocks:
    """The clocks of all ranks by that of a reference: the lowest rank with a collective."""

    def __init__(self, ranks: NDArray[np.int64], operations: Operations) -> None:
        """Estimates all offsets; ``ranks`` are those that have a profile."""
        self._clocks: dict[int, _Clock] = {}
        groups = list(_groups(operations))
        members = [int(group.ranks.min()) for group in groups]
        self.reference = min(members) if members else int(ranks.min(initial=0))
        """Rank of the reference clock."""
        self._clocks[self.reference] = _Clock(
            collectives=max((_count(group, self.reference) for group in groups), default=0)
        )
        while group := _next(groups, self._clocks):
            self._align(group)
        self.table = _table(ranks, self._clocks)

    def aligned(self, ranks: NDArray[np.int64], times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the times of the clocks of ``ranks`` by the reference clock; unaligned clocks are believed."""
        found = np.array(times)
        for rank, clock in self._clocks.items():
            if clock.offset or clock.drift:
                own = ranks == rank
                found[own] -= clock.at(times[own])
        return found

    def _align(self, group: _Group) -> None:
        """Align the clocks of all members that are not known yet, by those that are."""
        rows = [row for row, rank in enumerate(group.ranks.tolist()) if rank in self._clocks]
        times = np.zeros(group.ends.shape[1], np.int64)
        counts = group.is_known[rows].sum(axis=0)
        # One known member is enough: each row is already by the reference clock.
        for row in reversed(rows):
            own = group.is_known[row]
            times[own] = group.ends[row, own] - self._clocks[int(group.ranks[row])].at(group.ends[row, own])
        basis = min(self._clocks[int(group.ranks[row])].uncertainty for row in rows)
        limits = np.where(group.is_known[rows], group.durations[rows], 0).max(axis=0)
        for row, rank in enumerate(group.ranks.tolist()):
            shared = group.is_known[row] & (counts > 0)
            if rank not in self._clocks and shared.any():
                limit = int(np.maximum(limits[shared], group.durations[row, shared]).min())
                self._clocks[rank] = _clock_of(group.ends[row, shared], times[shared], limit, basis)
        group.done.update(group.ranks.tolist())


def _clock_of(own: NDArray[np.int64], reference: NDArray[np.int64], limit: int, basis: float) -> _Clock:
    """Return the clock whose times ``own`` are those of ``reference``.

    Args:
        own: (n,) ends of collectives by the clock.
        reference: (n,) the same ends by the reference clock.
        limit: nanoseconds of the shortest of these collectives: how far off the offset can be at most.
        basis: uncertainty of ``reference``.
    """
    difference = own - reference
    center = int(np.median(own - own[0])) + int(own[0])
    first = int(difference[0])
    change = (difference - first).astype(np.float64)  # exact, while epochs are not
    elapsed = (own - center) / _S
    drift = _drift(elapsed, change)
    rest = change - drift * elapsed
    offset = float(np.median(rest))
    has_spread = len(own) >= _FEWEST_FOR_SPREAD
    spread = DEVIATION * float(np.median(np.abs(rest - offset))) if has_spread else float(limit)
    return _Clock(first + round(offset), hypot(spread, basis), drift, center, len(own))


def _drift(elapsed: NDArray[np.float64], change: NDArray[np.float64]) -> float:
    """Return nanoseconds a second: the median slope between the halves, or 0 if it is within the spread."""
    half = len(elapsed) // 2
    if len(elapsed) < _FEWEST_FOR_DRIFT:
        return 0.0
    order = np.argsort(elapsed, kind="stable")
    early, late = order[:half], order[-half:]
    span = elapsed[late] - elapsed[early]
    if not (span > 0).all():
        return 0.0
    slopes = (change[late] - change[early]) / span
    slope = float(np.median(slopes))
    rest = change - slope * elapsed
    spread = DEVIATION * float(np.median(np.abs(rest - np.median(rest))))
    gained = abs(slope) * float(elapsed.max() - elapsed.min())
    # Also the slopes themselves must agree, else a few slow collectives look like a drift.
    is_steady = DEVIATION * float(np.median(np.abs(slopes - slope))) < abs(slope)
    return slope if is_steady and gained > _VISIBLE_DRIFT * spread and gained >= 1 else 0.0


def _groups(operations: Operations) -> Iterator[_Group]:
    """Groups of at least two ranks, with their collectives."""
    rows = np.flatnonzero(operations.is_synchronous() & (operations.collective >= 0))
    codes = [operations.group.codes[rows], operations.group_ranks.codes[rows]]
    group, first = groups_of(codes, len(rows))
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(len(first) + 1))
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        own = rows[order[begin:end]]
        ranks, member = np.unique(operations.rank[own], return_inverse=True)
        numbers, column = np.unique(operations.collective[own], return_inverse=True)
        shape = (len(ranks), len(numbers))
        ends, durations = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        is_known = np.zeros(shape, np.bool_)
        ends[member, column] = operations.end[own]
        durations[member, column] = operations.duration[own]
        is_known[member, column] = True
        shared = is_known.sum(axis=0) > 1
        if shared.any():
            yield _Group(ranks, ends[:, shared], is_known[:, shared], durations[:, shared])


def _next(groups: list[_Group], clocks: dict[int, _Clock]) -> _Group | None:
    """Return the group with the most collectives that connects known clocks with others."""
    found = [
        group
        for group in groups
        if any(rank in clocks for rank in group.ranks.tolist())
        and any(rank not in clocks and rank not in group.done for rank in group.ranks.tolist())
    ]
    return max(found, key=lambda group: group.ends.shape[1], default=None)


def _count(group: _Group, rank: int) -> int:
    return int(group.is_known[group.ranks == rank].sum())


def _table(ranks: NDArray[np.int64], clocks: dict[int, _Clock]) -> ClockOffsets:
    own = np.unique(ranks)
    found = [clocks.get(rank, _Clock()) for rank in own.tolist()]
    return ClockOffsets(
        rank=own,
        is_aligned=np.array([rank in clocks and clocks[rank].collectives > 0 for rank in own.tolist()], np.bool_),
        offset=np.array([each.offset for each in found], np.int64),
        uncertainty=np.array([round(each.uncertainty) for each in found], np.int64),
        drift=np.array([each.drift for each in found], np.float64),
        center=np.array([each.center for each in found], np.int64),
        collectives=np.array([each.collectives for each in found], np.int64),
    )
