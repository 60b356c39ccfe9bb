# SPDX-License-Identifier: Apache-2.0
"""Messages about the ranks of a training. Durations are nanoseconds; a figure that is not known is null."""

from __future__ import annotations

from pydantic import Field

from mindscope.server.http.columns import Float64
from mindscope.server.http.schema import MAX_RUNS, Answer, Query, ReasonEntry
from mindscope.server.jobs.schema import TaskProgress
from mindscope.server.profiles.tables.schema import AdviceEntry


class RanksQuery(Query):
    """The runs of one training: one with the profiles of all ranks, or one for each rank."""

    runs: list[str] = Field(max_length=MAX_RUNS)


class RanksProgress(Answer):
    """``read`` of ``total`` profiles are read; ``current`` is read now."""

    read: int
    total: int
    current: TaskProgress | None


class UnreadRank(Answer):
    """A profile or summary that could not be read; ``profile`` is empty for a file of a summary."""

    run: str
    profile: str
    problem: ReasonEntry


class RankProfile(Answer):
    """The profile of one cycle of a rank; ``profile`` is empty if only a summary describes the rank."""

    run: str
    profile: str
    rank: int
    cycle: int


class RankStepColumns(Answer):
    """One row for each step of each rank, by rank, cycle and step.

    ``profile`` is a place in ``profiles``, ``begin`` the time of the step in the timeline of that profile. ``columns``
    are nanoseconds by names such as ``duration``, ``own``, ``compute`` or ``synchronizing``.
    """

    rank: Float64
    cycle: Float64
    step: Float64
    profile: Float64
    begin: Float64
    columns: dict[str, Float64]


class RankMeanEntry(Answer):
    """Means over the steps of a rank. ``excess``: by which share its own time exceeds the mean of the ranks."""

    rank: int
    stage: int
    steps: int
    excess: float
    flops_per_second: float | None
    times: dict[str, int]


class ClockEntry(Answer):
    """The lead of the clock of a rank over that of the reference, by collectives that end together.

    ``drift_ppm`` is 0 if no drift is visible. Without ``is_aligned`` the clock is believed.
    """

    rank: int
    is_aligned: bool
    offset_ns: int
    uncertainty_ns: int
    drift_ppm: float
    collectives: int


class CollectiveEntry(Answer):
    """Collectives of one kind, group, data type and class of sizes. Bandwidths are GB/s."""

    kind: str
    group: str
    group_ranks: str
    dtype: str
    size_class: str
    ranks: int
    count: int
    bytes: int | None
    time_ns: int
    transfer_ns: int
    synchronizing_ns: int
    algorithm_bandwidth: float | None
    bus_bandwidth: float | None


class LinkColumns(Answer):
    """Transfers by kind and direction; ``kind`` is a place in ``kinds``. Bandwidths are GB/s, NaN without time."""

    kinds: list[str]
    kind: Float64
    source: Float64
    destination: Float64
    bytes: Float64
    bandwidth: Float64


class StragglerEntry(Answer):
    """The rank for which others waited most in the steps of a group.

    It was this rank in ``steps`` of ``all_steps``.

    ``waiting_ns`` and ``lateness_ns`` are means. The longest wait is in ``step`` of ``profile``, a place in
    ``profiles``, where the rank begins the collective at ``begin_ns`` of its timeline.
    """

    rank: int
    steps: int
    all_steps: int
    waiting_ns: int
    lateness_ns: int
    kind: str
    step: int
    profile: int
    begin_ns: int
    duration_ns: int


class StageEntry(Answer):
    """A stage of the pipeline: means over its ranks."""

    stage: int
    ranks: int
    compute_ns: int
    receive_ns: int
    collective_ns: int


class RanksHeader(Answer):
    """The JSON header of ranks as ``application/vnd.mindscope.columns``.

    As long as ``progress`` is there, the rest is empty: ask again. ``reference`` is the rank whose clock counts.
    ``warm_up`` are numbers of steps that means leave out.
    """

    progress: RanksProgress | None
    unread: list[UnreadRank]
    profiles: list[RankProfile]
    ranks: list[int]
    missing_ranks: list[int]
    cycles: int
    reference: int
    steps: RankStepColumns | None
    warm_up: list[int]
    means: list[RankMeanEntry]
    clocks: list[ClockEntry]
    collectives: list[CollectiveEntry]
    links: LinkColumns | None
    stragglers: list[StragglerEntry]
    stages: list[StageEntry]
    advice: list[AdviceEntry]
