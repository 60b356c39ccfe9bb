# SPDX-License-Identifier: Apache-2.0
"""Invented trainings of many ranks whose times are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.ranks.rank_data import RankData
from mindscope.profile.tables.communication import Communication
from mindscope.profile.tables.steps import Steps
from mindscope.table.columns import TextColumn

EPOCH = 1_800_000_000_000_000_000
"""Nanoseconds since 1970 of the first step, by a perfect clock."""
STEP = 100_000_000
TRANSFER = 5_000_000
SIZE = 1_000_000


def training(
    compute: Sequence[int],
    steps: int = 10,
    *,
    offsets: Sequence[int] | None = None,
    drifts: Mapping[int, float] | None = None,
    noise: int = 0,
    groups: Sequence[Sequence[int]] | None = None,
    first_step: int = 0,
    is_numbered: bool = True,
    seed: int = 0,
) -> list[RankData]:
    """Ranks that compute for so many nanoseconds in each step, then wait for each other in an allreduce.

    Args:
        compute: (ranks,) nanoseconds.
        steps: number of steps, a tenth of a second each.
        offsets: (ranks,) nanoseconds by which clocks are ahead; 0 if None.
        drifts: nanoseconds that the clock of a rank gains in a second.
        noise: nanoseconds after the others that a rank ends a collective, at most.
        groups: process groups; one of all ranks if None.
        first_step: number.
        is_numbered: whether collectives have their number in the group.
        seed: of the noise.
    """
    random = np.random.default_rng(seed)
    ranks = len(compute)
    groups = groups or [range(ranks)]
    begin = EPOCH + STEP * (first_step + np.arange(steps, dtype=np.int64))
    starts = begin[None, :] + np.array(compute, np.int64)[:, None]
    ends = [
        {rank: starts[list(group)].max(axis=0) + TRANSFER + random.integers(0, noise + 1, steps) for rank in group}
        for group in groups
    ]
    found: list[RankData] = []
    for rank in range(ranks):
        own = [number for number, group in enumerate(groups) if rank in group]

        def clock(times: NDArray[np.int64], rank: int = rank) -> NDArray[np.int64]:
            ahead = offsets[rank] if offsets is not None else 0
            gained = np.rint((times - EPOCH) / 1e9 * (drifts or {}).get(rank, 0.0)).astype(np.int64)
            return times + ahead + gained

        found.append(_rank(rank, [(groups[number], ends[number][rank]) for number in own], starts[rank], begin, clock,
                           first_step, is_numbered))  # fmt: skip
    return found


def _rank(
    rank: int,
    ends: Sequence[tuple[Sequence[int], NDArray[np.int64]]],
    starts: NDArray[np.int64],
    begin: NDArray[np.int64],
    clock: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    first_step: int,
    is_numbered: bool,
) -> RankData:
    origin = EPOCH - 12_345
    number = first_step + np.arange(len(begin), dtype=np.int64)
    own_begin, own_start = clock(begin), clock(starts)
    finish = np.max([end for _, end in ends], axis=0) if ends else starts
    duration, waiting = clock(finish) - own_begin, clock(finish) - own_start
    steps = Steps(
        number=number, start=own_begin - origin, duration=duration, compute=duration - waiting, communication=waiting,
        idle=np.zeros(len(begin), np.int64),
    )  # fmt: skip
    return RankData(
        rank=rank, name=f"rank{rank}", path=f"/runs/rank_{rank}/trace", origin_ns=origin, steps=steps,
        communication=_communication(ends, own_start - origin, clock, origin, number, is_numbered) if ends else None,
    )  # fmt: skip


def _communication(
    ends: Sequence[tuple[Sequence[int], NDArray[np.int64]]],
    start: NDArray[np.int64],
    clock: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    origin: int,
    number: NDArray[np.int64],
    is_numbered: bool,
) -> Communication:
    count = len(number) * len(ends)
    starts = np.tile(start, len(ends))
    stops = np.concatenate([clock(end) - origin for _, end in ends])
    members = [",".join(map(str, group)) for group, _ in ends for _ in range(len(number))]
    return Communication(
        name=TextColumn.constant("ncclAllReduce", count), kind=TextColumn.constant("allreduce", count),
        group=TextColumn.constant("dp", count), group_ranks=TextColumn.of(members),
        sequence=np.tile(number, len(ends)) if is_numbered else None, step=np.tile(number, len(ends)),
        device=TextColumn.constant("GPU 0", count), start=starts, duration=stops - starts,
        size=np.full(count, SIZE, np.int64), dtype=TextColumn.constant("Float", count),
    )  # fmt: skip
