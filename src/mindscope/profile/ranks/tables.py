# SPDX-License-Identifier: Apache-2.0
"""Tables over all ranks of a training. Durations are nanoseconds, sizes bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from mindscope.table.columns import Counts, Durations, Figures, Flags, Ids, Rows, Sizes, Texts, Times
from mindscope.table.schema import EQUAL, MAX, MIN, SUM, Unit, mean_by
from mindscope.table.table import Table

StepMeans = Annotated[NDArray[np.int64], Unit.NS, mean_by("steps")]
"""Nanoseconds of a step, over the steps of a rank."""
StageMeans = Annotated[NDArray[np.int64], Unit.NS, mean_by("ranks")]
"""Nanoseconds of a step, over the ranks of a stage."""


@dataclass(frozen=True, kw_only=True)
class ClockOffsets(Table):
    """One row for each rank: how far its clock is ahead of the clock of the reference rank."""

    rank: Ids
    is_aligned: Annotated[NDArray[np.bool_], Unit.FLAG, MIN]
    """False if no chain of collectives connects the rank with the reference; its offset is 0 then."""
    offset: Annotated[Durations, EQUAL]
    """Offset in the middle of the rank's collectives: what to subtract from its times."""
    uncertainty: Annotated[Durations, EQUAL]
    """Spread of the single collectives around the offset: 1.48 x their median absolute deviation."""
    drift: Annotated[Figures, Unit.NUMBER, EQUAL]
    """Nanoseconds that the clock gains in a second; 0 if no drift is visible."""
    center: Annotated[Times, EQUAL]
    """The time of ``offset``, by the rank's own clock, nanoseconds since 1970."""
    collectives: Counts
    """Number of collectives on which the offset rests."""

    DERIVED = ("drift_ppm",)

    @property
    def drift_ppm(self) -> Annotated[Figures, Unit.NUMBER, EQUAL]:
        """Drift in parts per million."""
        return self.drift / 1000


@dataclass(frozen=True, kw_only=True)
class RankSteps(Table):
    """One row for each step of each rank: the cells of the heat map."""

    rank: Ids
    cycle: Ids
    step: Ids
    profile: Rows
    """Into ``Ranks.data``: the profile that holds it."""
    own_start: Annotated[Times, EQUAL]
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
    is_warm_up: Flags | None = None
    """Whether the step warms up on any rank: means leave it out."""
    interval: Durations | None = None
    """Time until the first operator after the batch arrived."""

    DERIVED = ("own",)

    @property
    def own(self) -> Durations:
        """Time that the rank itself needs for the step: all but the communication that is not hidden, which waits of
        other ranks are part of.
        """
        return self.duration - self.communication


@dataclass(frozen=True, kw_only=True)
class RankMeans(Table):
    """One row for each rank: means over its steps."""

    rank: Ids
    stage: Ids
    """Stage of the pipeline, from 1 on; all 1 without a pipeline."""
    steps: Counts
    duration: StepMeans
    compute: StepMeans
    communication: StepMeans
    copy: StepMeans
    data_waiting: StepMeans
    host: StepMeans
    idle: StepMeans
    overlapped: StepMeans
    transfer: StepMeans | None = None
    synchronizing: StepMeans | None = None
    receive: StepMeans | None = None
    interval: StepMeans | None = None
    flops_per_second: Annotated[Figures, Unit.NUMBER, SUM] | None = None
    """Floating-point operations, as the profiler counted them; NaN for a rank whose profile does not say it."""

    DERIVED = ("own", "excess")

    @property
    def own(self) -> StepMeans:
        """The step without communication that is not hidden."""
        return self.duration - self.communication

    @property
    def excess(self) -> Annotated[Figures, Unit.SHARE, EQUAL]:
        """Share by which ``own`` exceeds the mean of all ranks; negative for fast ranks."""
        mean = float(self.own.mean()) if len(self) else 0.0
        return self.own / mean - 1 if mean else np.zeros(len(self))


@dataclass(frozen=True, kw_only=True)
class CollectiveSizes(Table):
    """One row for each kind, group, data type and class of sizes of collectives; the greatest time first."""

    kind: Texts
    group: Texts
    group_ranks: Texts
    dtype: Texts
    size_class: Texts
    """``<= 64 KiB`` and its like; empty where sizes are unknown."""
    ranks: Annotated[Counts, EQUAL]
    """Ranks that take part, as the group says it, else of those that are profiled."""
    count: Counts
    """Collectives, each counted once for all ranks."""
    size: Annotated[Sizes, EQUAL]
    """Size of what one rank contributes, over all of them; -1 where unknown."""
    time: Durations
    """Mean over ranks of their durations, summed over the collectives."""
    transfer: Durations
    """The shortest duration among the ranks, summed."""
    synchronizing: Durations
    """``time`` without ``transfer``: waits for the last rank."""
    algorithm_bandwidth: Annotated[Figures, Unit.GB_PER_SECOND, mean_by("transfer")]
    """GB/s: size of the result or the input, the greater one, by transfer; NaN where unknown."""
    bus_bandwidth: Annotated[Figures, Unit.GB_PER_SECOND, mean_by("transfer")]
    """GB/s on each link if the algorithm is optimal: comparable between kinds and numbers of ranks."""


@dataclass(frozen=True, kw_only=True)
class RankLinks(Table):
    """One row for each kind and direction between two ranks, over all steps."""

    kind: Texts
    source: Ids
    destination: Ids
    size: Sizes
    transit: Durations
    bandwidth: Annotated[Figures, Unit.GB_PER_SECOND, mean_by("transit")]
    """GB/s: size by transit; NaN without transit."""


@dataclass(frozen=True, kw_only=True)
class Stragglers(Table):
    """One row for each step and group: the collective for which most was waited, and who began it last."""

    cycle: Ids
    step: Ids
    group: Texts
    group_ranks: Texts
    kind: Texts
    rank: Ids
    """Rank that began it last."""
    lateness: Annotated[Durations, MAX]
    """Lateness after the median of the other ranks, by the reference clock."""
    waiting: Annotated[Durations, MAX]
    """The longest wait of another rank for it."""
    profile: Rows
    """Indexes into ``Ranks.data``."""
    own_start: Annotated[Times, EQUAL]
    """Since the origin of that profile."""
    own_duration: Annotated[Durations, EQUAL]


@dataclass(frozen=True, kw_only=True)
class Stages(Table):
    """One row for each stage of the pipeline: means over its ranks and steps."""

    stage: Ids
    ranks: Counts
    compute: StageMeans
    receive: StageMeans
    """Waits for other stages."""
    collective: StageMeans
    """Communication within the stage that no computation hides."""
