# SPDX-License-Identifier: Apache-2.0
"""Advice on ranks: which one is slow, who is waited for, which link is slow, where a pipeline waits.

To add a rule: a function here, its name in ``RULES``, its text in ``profile/texts.py``, a row in docs/profiling.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mindscope.profile.advice.advice import Advice, RankTable
from mindscope.profile.ranks.ranks import Ranks
from mindscope.table.columns import integers_of

SLOW_RANK_SHARE = 0.05
"""msprof-analyze: (max - min) / mean."""
OUTLIER_SHARE = 0.2
"""MindInsight: by which the worst rank, link or stage differs from the mean."""
COMMUNICATION_SHARE = 0.1
"""MindInsight: of computation and communication together."""
STRAGGLER_SHARE = 0.5
"""Ours: of the steps in which one rank is the last."""
LATE_SHARE = 0.05
"""Ours: of the mean step, that the others wait for a straggler."""
_FREE = ("copy", "data_waiting", "host", "idle")
"""msprof-analyze's free: what is neither computation nor communication."""


def slow_rank(ranks: Ranks) -> Iterator[Advice]:
    """One rank needs more time of its own than the others, which wait for it.

    A rank that computes as long as the others, but whose host is late, looks fast by its communication: msprof-analyze
    calls it a false fast rank.
    """
    means = ranks.means
    if means is None or len(means) < 2:
        return
    own = means.own
    mean = float(own.mean())
    row, fastest = int(np.argmax(own)), int(np.argmin(own))
    excess = (int(own[row]) - int(own[fastest])) / mean if mean else 0.0
    if excess <= SLOW_RANK_SHARE:
        return
    columns = {name: getattr(means, name) for name in ("compute", *_FREE)}
    grown = {name: float(column[row] - column.mean()) for name, column in columns.items()}
    cause = max(grown, key=lambda name: grown[name])
    yield Advice(
        code="slow_host" if cause in _FREE else "slow_rank",
        values={
            "rank": int(means.rank[row]), "time": int(own[row]), "mean": mean, "excess": excess, "cause": cause,
            "cause_time": int(columns[cause][row]), "cause_mean": float(columns[cause].mean()),
            "fastest": int(means.rank[fastest]), "threshold": SLOW_RANK_SHARE,
        },
        threshold=SLOW_RANK_SHARE, part=RankTable.MEANS, rows=[row],
        share=(int(own[row]) - mean) / float(means.duration.mean()) if means.duration.any() else 0.0,
    )  # fmt: skip


def straggler(ranks: Ranks) -> Iterator[Advice]:
    """The others wait for the same rank in most steps."""
    found, steps = ranks.stragglers, ranks.steps
    if found is None or steps is None:
        return
    numbers, counts = np.unique(found.rank, return_counts=True)
    rank, count = int(numbers[np.argmax(counts)]), int(counts.max())
    rows = np.flatnonzero(found.rank == rank)
    mean, waiting = float(steps.duration.mean()), float(found.waiting[rows].mean())
    if count > STRAGGLER_SHARE * len(found) and mean and waiting > LATE_SHARE * mean:
        yield Advice(
            code="straggler",
            values={
                "rank": rank, "count": count, "steps": len(found), "waiting": waiting,
                "lateness": float(found.lateness[rows].mean()), "share": waiting / mean, "threshold": LATE_SHARE,
            },
            threshold=LATE_SHARE, part=RankTable.STRAGGLERS, rows=integers_of(rows), share=min(waiting / mean, 1.0),
        )  # fmt: skip


def slow_link(ranks: Ranks) -> Iterator[Advice]:
    """Yield the slowest link of each kind, if it is far below the mean of its kind."""
    links = ranks.links
    if links is None:
        return
    for code, kind in enumerate(links.kind.values):
        rows = np.flatnonzero((links.kind.codes == code) & np.isfinite(links.bandwidth) & (links.size > 0))
        if len(rows) < 2:
            continue
        mean = float(links.bandwidth[rows].mean())
        row = int(rows[np.argmin(links.bandwidth[rows])])
        below = 1 - float(links.bandwidth[row]) / mean if mean else 0.0
        if below > OUTLIER_SHARE:
            yield Advice(
                code="slow_link",
                values={
                    "kind": kind, "source": int(links.source[row]), "destination": int(links.destination[row]),
                    "bandwidth": float(links.bandwidth[row]), "mean": mean, "below": below, "threshold": OUTLIER_SHARE,
                },
                threshold=OUTLIER_SHARE, part=RankTable.LINKS, rows=[row],
            )  # fmt: skip


def slow_interval(ranks: Ranks) -> Iterator[Advice]:
    """The step interval of one rank is long: its data pipeline is slow."""
    means = ranks.means
    if means is None or means.interval is None or len(means) < 2:
        return
    mean, row = float(means.interval.mean()), int(np.argmax(means.interval))
    excess = int(means.interval[row]) / mean - 1 if mean else 0.0
    share = (int(means.interval[row]) - mean) / float(means.duration.mean()) if means.duration.any() else 0.0
    if excess > OUTLIER_SHARE and share > LATE_SHARE:
        yield Advice(
            code="rank_interval",
            values={
                "rank": int(means.rank[row]), "time": int(means.interval[row]), "mean": mean, "excess": excess,
                "threshold": OUTLIER_SHARE,
            },
            threshold=OUTLIER_SHARE, part=RankTable.MEANS, rows=[row], share=share,
        )  # fmt: skip


def low_flops(ranks: Ranks) -> Iterator[Advice]:
    """One rank has fewer FLOPS than the others, or those of its stage; only if the profiles of all ranks say theirs."""
    means = ranks.means
    if means is None or means.flops_per_second is None or ranks.missing_ranks:
        return
    rates = means.flops_per_second
    if len(rates) < 2 or not np.isfinite(rates).all():
        return
    mean = np.array([rates[means.stage == stage].mean() for stage in means.stage])
    below = 1 - np.divide(rates, mean, out=np.ones(len(rates)), where=mean > 0)
    row = int(np.argmax(below))
    if below[row] > OUTLIER_SHARE:
        yield Advice(
            code="stage_rank_flops" if len(np.unique(means.stage)) > 1 else "rank_flops",
            values={
                "rank": int(means.rank[row]), "rate": float(rates[row]), "mean": float(mean[row]),
                "below": float(below[row]), "threshold": OUTLIER_SHARE,
            },
            threshold=OUTLIER_SHARE, part=RankTable.MEANS, rows=[row],
        )  # fmt: skip


def communication(ranks: Ranks) -> Iterator[Advice]:
    """Communication that no computation hides takes much of all ranks, and how much of it is waiting."""
    means = ranks.means
    if means is None or len(means) < 2:
        return
    alone, compute = int(means.communication.sum()), int(means.compute.sum())
    share = alone / (alone + compute) if alone + compute else 0.0
    if share > COMMUNICATION_SHARE:
        both = ranks.collectives
        whole = 0 if both is None else int(both.time.sum())
        waiting = 0.0 if both is None or not whole else int(both.synchronizing.sum()) / whole
        yield Advice(
            code="ranks_communication", values={"share": share, "waiting": waiting, "threshold": COMMUNICATION_SHARE},
            threshold=COMMUNICATION_SHARE, part=RankTable.MEANS,
            rows=integers_of(np.argsort(-means.communication, kind="stable")),
            share=alone / int(means.duration.sum()) if means.duration.any() else 0.0,
        )  # fmt: skip


def pipeline(ranks: Ranks) -> Iterator[Advice]:
    """Stages of a pipeline wait for each other, communicate within much, or compute unevenly."""
    means, stages = ranks.means, ranks.stages
    if means is None or stages is None:
        return
    receive = 0 if means.receive is None else int(means.receive.sum())
    whole = int(means.compute.sum() + means.communication.sum())
    share = receive / whole if whole else 0.0
    if share > COMMUNICATION_SHARE:
        yield Advice(
            code="stage_waiting", values={"share": share, "threshold": COMMUNICATION_SHARE},
            threshold=COMMUNICATION_SHARE, part=RankTable.STAGES,
            rows=integers_of(np.argsort(-stages.receive, kind="stable")), share=share,
        )  # fmt: skip
    parts = stages.compute + stages.receive + stages.collective
    inner = np.divide(stages.collective, parts, out=np.zeros(len(stages)), where=parts > 0)
    row = int(np.argmax(inner))
    if inner[row] > COMMUNICATION_SHARE:
        yield Advice(
            code="stage_communication",
            values={"stage": int(stages.stage[row]), "share": float(inner[row]), "threshold": COMMUNICATION_SHARE},
            threshold=COMMUNICATION_SHARE, part=RankTable.STAGES, rows=[row], share=float(inner[row]),
        )  # fmt: skip
    mean, row = float(stages.compute.mean()), int(np.argmax(stages.compute))
    excess = int(stages.compute[row]) / mean - 1 if mean else 0.0
    if excess > OUTLIER_SHARE:
        yield Advice(
            code="uneven_stages",
            values={
                "stage": int(stages.stage[row]), "time": int(stages.compute[row]), "mean": mean, "excess": excess,
                "threshold": OUTLIER_SHARE,
            },
            threshold=OUTLIER_SHARE, part=RankTable.STAGES, rows=[row],
            share=(int(stages.compute[row]) - mean) / float(means.duration.mean()) if means.duration.any() else 0.0,
        )  # fmt: skip


RULES: tuple[Callable[[Ranks], Iterator[Advice]], ...] = (
    slow_rank, straggler, slow_link, slow_interval, low_flops, communication, pipeline,
)  # fmt: skip


def advise_ranks(ranks: Ranks) -> list[Advice]:
    """Advise what to change, by the share of time that it concerns, the greatest first."""
    return sorted((each for rule in RULES for each in rule(ranks)), key=lambda each: -each.share)
