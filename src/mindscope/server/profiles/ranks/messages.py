# SPDX-License-Identifier: Apache-2.0
"""The comparison of ranks as a message with columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from mindscope.profile.advice import Advice
from mindscope.profile.advice.places import PlaceKind
from mindscope.profile.ranks.advice import advise_ranks
from mindscope.profile.ranks.rank_data import RankData
from mindscope.profile.ranks.ranks import Ranks
from mindscope.profile.ranks.step_table import warm_up_steps
from mindscope.profile.ranks.tables import CollectiveSizes, RankLinks, RankMeans, RankSteps, Stragglers
from mindscope.server.http.columns import Packed, pack
from mindscope.server.http.json_numbers import finite
from mindscope.server.profiles.ranks.schema import (
    ClockEntry,
    CollectiveEntry,
    LinkColumns,
    RankMeanEntry,
    RankProfile,
    RanksHeader,
    RanksProgress,
    RankStepColumns,
    StageEntry,
    StragglerEntry,
    UnreadRank,
)
from mindscope.server.profiles.tables.query import MOST_ADVICE_ROWS, advice_entry
from mindscope.server.profiles.tables.schema import AdviceRow
from mindscope.table.columns import integers_of

TIMES = (
    "duration", "own", "compute", "communication", "overlapped", "transfer", "synchronizing", "copy", "data_waiting",
    "host", "idle", "receive", "interval",
)  # fmt: skip
"""Columns of ranks and steps, in the order in which a user chooses one."""
MOST_COLLECTIVES = 2_000


class RankOrigin(NamedTuple):
    """The path of the profile of a rank, and the begin of its timeline since its origin."""

    run: str
    profile: str
    zero: int


def pack_progress(progress: RanksProgress | None, unread: list[UnreadRank]) -> Packed:
    """Return no comparison: profiles are still read, or none has steps or communication."""
    header = RanksHeader(
        progress=progress, unread=unread, profiles=[], ranks=[], missing_ranks=[], cycles=0, reference=0, steps=None,
        warm_up=[], means=[], clocks=[], collectives=[], links=None, stragglers=[], stages=[], advice=[],
    )  # fmt: skip
    return pack(header)


def pack_ranks(ranks: Ranks, origins: Mapping[str, RankOrigin], unread: list[UnreadRank]) -> Packed:
    """Return all tables. ``origins`` are by the paths of profiles."""
    own = [_origin(each, origins) for each in ranks.data]
    zeros = np.array([each.zero for each in own], np.int64)
    header = RanksHeader(
        progress=None,
        unread=unread,
        profiles=[
            RankProfile(run=origin.run, profile=origin.profile, rank=each.rank, cycle=each.cycle)
            for each, origin in zip(ranks.data, own, strict=True)
        ],
        ranks=ranks.ranks,
        missing_ranks=ranks.missing_ranks,
        cycles=ranks.cycles,
        reference=ranks.reference,
        steps=None if ranks.steps is None else _steps(ranks.steps, zeros),
        warm_up=[] if ranks.steps is None else warm_up_steps(ranks.steps),
        means=[] if ranks.means is None else list(_means(ranks.means)),
        clocks=[
            ClockEntry(
                rank=row["rank"], is_aligned=row["is_aligned"], offset_ns=row["offset"],
                uncertainty_ns=row["uncertainty"], drift_ppm=row["drift_ppm"], collectives=row["collectives"],
            )
            for row in ranks.clocks.rows()
        ],
        collectives=[] if ranks.collectives is None else list(_collectives(ranks.collectives)),
        links=None if ranks.links is None else _links(ranks.links),
        stragglers=[] if ranks.stragglers is None else list(_stragglers(ranks.stragglers, zeros)),
        stages=[
            StageEntry(
                stage=row["stage"], ranks=row["ranks"], compute_ns=row["compute"], receive_ns=row["receive"],
                collective_ns=row["collective"],
            )
            for row in (() if ranks.stages is None else ranks.stages.rows())
        ],
        advice=[advice_entry(advice, _advice_rows(ranks, advice, zeros)) for advice in advise_ranks(ranks)],
    )  # fmt: skip
    return pack(header)


def _origin(data: RankData, origins: Mapping[str, RankOrigin]) -> RankOrigin:
    return origins.get(data.path, RankOrigin("", "", 0)) if data.is_profile else RankOrigin("", "", 0)


def _steps(steps: RankSteps, zeros: np.ndarray[tuple[int], np.dtype[np.int64]]) -> RankStepColumns:
    return RankStepColumns(
        rank=steps.rank,
        cycle=steps.cycle,
        step=steps.step,
        profile=steps.profile,
        begin=steps.own_start - zeros[steps.profile],
        columns={name: column for name in TIMES if (column := getattr(steps, name)) is not None and column.any()},
    )


def _means(means: RankMeans) -> Iterator[RankMeanEntry]:
    for row in means.rows():
        yield RankMeanEntry(
            rank=row["rank"],
            stage=row["stage"],
            steps=row["steps"],
            excess=finite(row["excess"]) or 0.0,
            flops_per_second=finite(row.get("flops_per_second")),
            times={name: row[name] for name in TIMES if name in row},
        )


def _collectives(found: CollectiveSizes) -> Iterator[CollectiveEntry]:
    for row in found.head(MOST_COLLECTIVES).rows():
        yield CollectiveEntry(
            kind=row["kind"], group=row["group"], group_ranks=row["group_ranks"], dtype=row["dtype"],
            size_class=row["size_class"], ranks=row["ranks"], count=row["count"],
            bytes=row["size"] if row["size"] >= 0 else None, time_ns=row["time"], transfer_ns=row["transfer"],
            synchronizing_ns=row["synchronizing"], algorithm_bandwidth=finite(row["algorithm_bandwidth"]),
            bus_bandwidth=finite(row["bus_bandwidth"]),
        )  # fmt: skip


def _links(links: RankLinks) -> LinkColumns:
    return LinkColumns(
        kinds=list(links.kind.values),
        kind=links.kind.codes,
        source=links.source,
        destination=links.destination,
        bytes=links.size,
        bandwidth=links.bandwidth,
    )


def _stragglers(found: Stragglers, zeros: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Iterator[StragglerEntry]:
    """Yield each rank that is waited for, the one of most steps first."""
    numbers, counts = np.unique(found.rank, return_counts=True)
    for rank, count in sorted(zip(integers_of(numbers), integers_of(counts), strict=True), key=lambda each: -each[1]):
        rows = np.flatnonzero(found.rank == rank)
        row = int(rows[np.argmax(found.waiting[rows])])
        profile = int(found.profile[row])
        yield StragglerEntry(
            rank=rank, steps=count, all_steps=len(found), waiting_ns=round(float(found.waiting[rows].mean())),
            lateness_ns=round(float(found.lateness[rows].mean())), kind=found.kind[row], step=int(found.step[row]),
            profile=profile, begin_ns=int(found.own_start[row] - zeros[profile]),
            duration_ns=int(found.own_duration[row]),
        )  # fmt: skip


def _advice_rows(
    ranks: Ranks, advice: Advice, zeros: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> Iterator[AdviceRow]:
    """Yield ranks with their first profile, links by their ends, stages, and steps of a straggler."""
    table = getattr(ranks, advice.part.value)
    profile_of = {each.rank: profile for profile, each in reversed(list(enumerate(ranks.data)))}
    for row in advice.rows[:MOST_ADVICE_ROWS]:
        if isinstance(table, Stragglers):
            profile = int(table.profile[row])
            yield _advice_row(
                "step", str(int(table.step[row])), of=f"rank {int(table.rank[row])}", row=profile,
                begin=int(table.own_start[row] - zeros[profile]), duration=int(table.own_duration[row]),
            )  # fmt: skip
        elif isinstance(table, RankMeans):
            rank = int(table.rank[row])
            yield _advice_row("rank", str(rank), row=profile_of.get(rank, -1))
        elif isinstance(table, RankLinks):
            ends = f"{int(table.source[row])} → {int(table.destination[row])}"
            yield _advice_row("link", ends, of=table.kind[row], row=row)
        else:
            yield _advice_row("stage", str(int(table.stage[row])), row=row)


def _advice_row(
    kind: PlaceKind, name: str, *, of: str = "", row: int, begin: int | None = None, duration: int | None = None
) -> AdviceRow:
    return AdviceRow(kind=kind, name=name, of=of, row=row, begin_ns=begin, duration_ns=duration, slice=None)
