# SPDX-License-Identifier: Apache-2.0
"""The table of rank x step, and means of ranks and stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.ranks.clocks import Clocks
from mindscope.profile.ranks.operations import Operations
from mindscope.profile.ranks.rank_data import RankData
from mindscope.profile.ranks.tables import RankMeans, RankSteps, Stages
from mindscope.profile.ranks.waits import Waits
from mindscope.profile.tables.steps import PARTS, UNKNOWN_DURATION, Steps
from mindscope.table.columns import integers_of
from mindscope.table.grouping import sums_of


def rank_steps(
    data: Sequence[RankData], clocks: Clocks, operations: Operations, waits: Waits, origin_ns: int
) -> RankSteps | None:
    """Make a row for each step of each rank; None without steps. A part that a rank does not record is 0."""
    found = [(index, each, each.steps) for index, each in enumerate(data) if each.steps is not None]
    if not found:
        return None
    lengths = [len(steps) for *_, steps in found]

    def each_rank(value: Callable[[RankData], int]) -> NDArray[np.int64]:
        return np.repeat(np.array([value(own) for _, own, _ in found], np.int64), lengths)

    def each_step(column: Callable[[Steps], NDArray[np.int64]]) -> NDArray[np.int64]:
        return np.concatenate([column(steps) for *_, steps in found])

    rank, own_start = each_rank(lambda own: own.rank), each_step(lambda steps: steps.start)
    profile = np.repeat(np.array([index for index, *_ in found], np.int64), lengths)
    start = clocks.aligned(rank, own_start + each_rank(lambda own: own.origin_ns or 0)) - origin_ns
    parts = {part: each_step(lambda steps, part=part: steps.part(part)) for part in PARTS}
    waited = _communication_parts(profile, each_step(lambda steps: steps.number), operations, waits)
    has_interval, has_receive = (
        all(_has_intervals(steps) for *_, steps in found),
        any(own.receive is not None for _, own, _ in found),
    )
    table = RankSteps(
        rank=rank, cycle=each_rank(lambda own: own.cycle), step=each_step(lambda steps: steps.number), profile=profile,
        own_start=own_start, start=start, duration=each_step(lambda steps: steps.duration),
        compute=parts["compute"], communication=parts["communication"], copy=parts["copy"],
        data_waiting=parts["data_waiting"], host=parts["host"], idle=parts["idle"],
        overlapped=each_step(lambda steps: _or_zeros(steps.overlapped, steps)),
        interval=each_step(lambda steps: _or_zeros(steps.interval, steps)) if has_interval else None,
        receive=np.concatenate([_or_zeros(own.receive, steps) for _, own, steps in found]) if has_receive else None,
        transfer=waited.get("transfer"), synchronizing=waited.get("synchronizing"),
        is_warm_up=np.concatenate([np.arange(len(steps)) < steps.warm_up for *_, steps in found]),
    )  # fmt: skip
    return table.select(np.lexsort((table.step, table.cycle, table.rank)))


def means_of(steps: RankSteps, stages: int, flops: Mapping[int, float]) -> RankMeans:
    """Return means over the steps of each rank, in the order of ranks; steps that warm up on any rank are left out.

    Args:
        steps: of all ranks.
        stages: of the pipeline; each has as many ranks, one after the other.
        flops: floating-point operations in a second, by rank.
    """
    steps = _without_warm_up(steps)
    ranks, own, counts = np.unique(steps.rank, return_inverse=True, return_counts=True)

    def mean(column: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.rint(sums_of(own, column.astype(np.float64), len(ranks)) / counts).astype(np.int64)

    each_stage = max(-(-(int(ranks.max(initial=0)) + 1) // max(stages, 1)), 1)

    def mean_or_none(column: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
        return None if column is None else mean(column)

    return RankMeans(
        rank=ranks, stage=ranks // each_stage + 1, steps=counts.astype(np.int64), duration=mean(steps.duration),
        compute=mean(steps.compute), communication=mean(steps.communication), copy=mean(steps.copy),
        data_waiting=mean(steps.data_waiting), host=mean(steps.host), idle=mean(steps.idle),
        overlapped=mean(steps.overlapped), transfer=mean_or_none(steps.transfer),
        synchronizing=mean_or_none(steps.synchronizing), receive=mean_or_none(steps.receive),
        interval=mean_or_none(steps.interval),
        flops_per_second=np.array([flops.get(rank, np.nan) for rank in integers_of(ranks)]) if flops else None,
    )  # fmt: skip


def warm_up_steps(steps: RankSteps) -> list[int]:
    """Return numbers of the steps that means leave out."""
    return integers_of(np.setdiff1d(steps.step, _without_warm_up(steps).step))


def _without_warm_up(steps: RankSteps) -> RankSteps:
    """Return the same steps of all ranks without the warm-up; all of them if a rank had no others."""
    if steps.is_warm_up is None:
        return steps
    _, key = np.unique(np.stack([steps.cycle, steps.step]), axis=1, return_inverse=True)
    key = key.reshape(-1)
    kept = steps.select(~np.isin(key, key[steps.is_warm_up]))
    return kept if len(np.unique(kept.rank)) == len(np.unique(steps.rank)) else steps


def stages_of(means: RankMeans) -> Stages | None:
    """Return means over the ranks of each stage; None without a pipeline."""
    numbers, own, counts = np.unique(means.stage, return_inverse=True, return_counts=True)
    if len(numbers) < 2:
        return None
    receive = np.zeros(len(means), np.int64) if means.receive is None else means.receive

    def mean(column: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.rint(sums_of(own, column.astype(np.float64), len(numbers)) / counts).astype(np.int64)

    return Stages(
        stage=numbers, ranks=counts.astype(np.int64), compute=mean(means.compute), receive=mean(receive),
        collective=mean(np.maximum(means.communication - receive, 0)),
    )  # fmt: skip


def _communication_parts(
    profile: NDArray[np.int64], number: NDArray[np.int64], operations: Operations, waits: Waits
) -> dict[str, NDArray[np.int64]]:
    """Return transfer and waits of the collectives of each step; empty without operations."""
    if not len(operations):
        return {}
    keys = np.concatenate([profile, operations.data]), np.concatenate([number, operations.step])
    _, key = np.unique(np.stack(keys), axis=1, return_inverse=True)
    key = key.reshape(-1)
    count, steps = int(key.max(initial=0)) + 1, len(profile)
    columns = {"transfer": waits.transfer, "synchronizing": waits.synchronizing}
    return {name: sums_of(key[steps:], column, count)[key[:steps]] for name, column in columns.items()}


def _has_intervals(steps: Steps) -> bool:
    return steps.interval is not None and UNKNOWN_DURATION not in steps.interval


def _or_zeros(column: NDArray[np.int64] | None, steps: Steps) -> NDArray[np.int64]:
    return np.zeros(len(steps), np.int64) if column is None else column
