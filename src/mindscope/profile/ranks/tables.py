# SPDX-License-Identifier: Apache-2.0
"""Tables over all ranks of a training. Durations are nanoseconds, sizes bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.columns import Column, Counts, Durations, Rows, Sizes, Table, TextColumn, Times

Figures = NDArray[np.float64]


class RankTable(str, Enum):
    """The tables, by the names of the fields of ``Ranks``."""

    CLOCKS = "clocks"
    STEPS = "steps"
    MEANS = "means"
    COLLECTIVES = "collectives"
    LINKS = "links"
    STRAGGLERS = "stragglers"
    STAGES = "stages"


@dataclass(frozen=True, kw_only=True)
class ClockOffsets(Table):
    """One row for each rank: how far its clock is ahead of the clock of the reference rank."""

    rank: Counts
    is_aligned: NDArray[np.bool_]
    """False if no chain of collectives connects the rank with the reference; its offset is 0 then."""
    offset: Durations
    """Offset in the middle of the rank's collectives: what to subtract from its times."""
    uncertainty: Durations
    """Spread of the single collectives around the offset: 1.48 x their median absolute deviation."""
    drift: Figures
    """Nanoseconds that the clock gains in a second; 0 if no drift is visible."""
    center: Times
    """The time of ``offset``, by the rank's own clock, nanoseconds since 1970."""
    collectives: Counts
    """Number of collectives on which the offset rests."""

    def derived(self) -> dict[str, Column]:
        """``drift_ppm``: parts in a million."""
        return {"drift_ppm": self.drift / 1000}


@dataclass(frozen=True, kw_only=True)
class RankSteps(Table):
    """One row for each step of each rank: the cells of the heat map."""

    rank: Counts
    cycle: Counts
    step: Counts
    profile: Rows
    """Into ``Ranks.data``: the profile that holds it."""
    own_start: Times
    """Since the origin of that profile, by the rank's own clock."""
    start: Times
    """Start by the reference clock, nanoseconds since ``Ranks.origin_ns``."""
    duration: Durations
    compute: Durations
    communication: Durations
    """Communication that no computation hides."""
    copy: Durations
    data_waiting: Durations
    host: Durations
    idle: Durations
    overlapped: Durations
    """Communication during which the rank also computes."""
    transfer: Durations | None = None
    """Sum over the rank's collectives of the shortest duration among all ranks: data transfer."""
    synchronizing: Durations | None = None
    """Sum of the rest of their durations: waits for other ranks."""
    receive: Durations | None = None
    """Waits for other stages of the pipeline."""
    is_warm_up: NDArray[np.bool_] | None = None
    """Whether the step warms up on any rank: means leave it out."""
    interval: Durations | None = None
    """Time until the first operator after the batch arrived."""

    def derived(self) -> dict[str, Column]:
        """``own``: the step without communication that is not hidden, which waits of other ranks are part of."""
        return {"own": self.own}

    @property
    def own(self) -> Durations:
        """Time that the rank itself needs for the step: all but the communication that is not hidden."""
        return self.duration - self.communication


@dataclass(frozen=True, kw_only=True)
class RankMeans(Table):
    """One row for each rank: means over its steps."""

    rank: Counts
    stage: Counts
    """Stage of the pipeline, from 1 on; all 1 without a pipeline."""
    steps: Counts
    duration: Durations
    compute: Durations
    communication: Durations
    copy: Durations
    data_waiting: Durations
    host: Durations
    idle: Durations
    overlapped: Durations
    transfer: Durations | None = None
    synchronizing: Durations | None = None
    receive: Durations | None = None
    interval: Durations | None = None
    flops_per_second: Figures | None = None
    """Floating-point operations, as the profiler counted them; NaN for a rank whose profile does not say it."""

    def derived(self) -> dict[str, Column]:
        """``own`` as of ``RankSteps``; ``excess``: by which share it exceeds the mean of the ranks."""
        return {"own": self.own, "excess": self.excess}

    @property
    def own(self) -> Durations:
        """The step without communication that is not hidden."""
        return self.duration - self.communication

    @property
    def excess(self) -> Figures:
        """Share by which ``own`` exceeds the mean of all ranks; negative for fast ranks."""
        mean = float(self.own.mean()) if len(self) else 0.0
        return self.own / mean - 1 if mean else np.zeros(len(self))


@dataclass(frozen=True, kw_only=True)
class CollectiveSizes(Table):
    """One row for each kind, group, data type and class of sizes of collectives; the greatest time first."""

    kind: TextColumn
    group: TextColumn
    group_ranks: TextColumn
    dtype: TextColumn
    size_class: TextColumn
    """``<= 64 KiB`` and its like; empty where sizes are unknown."""
    ranks: Counts
    """Ranks that take part, as the group says it, else of those that are profiled."""
    count: Counts
    """Collectives, each counted once for all ranks."""
    size: Sizes
    """Size of what one rank contributes, over all of them; -1 where unknown."""
    time: Durations
    """Mean over ranks of their durations, summed over the collectives."""
    transfer: Durations
    """The shortest duration among the ranks, summed."""
    synchronizing: Durations
    """``time`` without ``transfer``: waits for the last rank."""
    algorithm_bandwidth: Figures
    """GB/s: size of the result or the input, the greater one, by transfer; NaN where unknown."""
    bus_bandwidth: Figures
    """GB/s on each link if the algorithm is optimal: comparable between kinds and numbers of ranks."""


@dataclass(frozen=True, kw_only=True)
class RankLinks(Table):
    """One row for each kind and direction between two ranks, over all steps."""

    kind: TextColumn
    source: Counts
    destination: Counts
    size: Sizes
    transit: Durations
    bandwidth: Figures
    """GB/s: size by transit; NaN without transit."""


@dataclass(frozen=True, kw_only=True)
class Stragglers(Table):
    """One row for each step and group: the collective for which most was waited, and who began it last."""

    cycle: Counts
    step: Counts
    group: TextColumn
    group_ranks: TextColumn
    kind: TextColumn
    rank: Counts
    """Rank that began it last."""
    lateness: Durations
    """Lateness after the median of the other ranks, by the reference clock."""
    waiting: Durations
    """The longest wait of another rank for it."""
    profile: Rows
    """Into ``Ranks.data``."""
    own_start: Times
    """Since the origin of that profile."""
    own_duration: Durations


@dataclass(frozen=True, kw_only=True)
class Stages(Table):
    """One row for each stage of the pipeline: means over its ranks and steps."""

    stage: Counts
    ranks: Counts
    compute: Durations
    receive: Durations
    """Waits for other stages."""
    collective: Durations
    """Communication within the stage that no computation hides."""
