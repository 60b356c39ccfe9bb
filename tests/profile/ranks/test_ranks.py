# SPDX-License-Identifier: Apache-2.0
"""Steps, collectives and stragglers of ranks, against figures computed by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.errors import FormatError
from mindscope.profile.ranks.advice import advise_ranks
from mindscope.profile.ranks.rank_data import RankData
from mindscope.profile.ranks.ranks import Ranks
from mindscope.profile.tables.communication import Communication, Links
from mindscope.profile.tables.steps import UNKNOWN_DURATION
from mindscope.table.columns import TextColumn
from tests.profile.ranks.made_ranks import SIZE, TRANSFER, training

MS = 1_000_000


def codes_of(ranks: Ranks) -> list[str]:
    return [each.code for each in advise_ranks(ranks)]


def test_a_slow_rank_makes_the_others_wait() -> None:
    ranks = Ranks(training([20 * MS, 20 * MS, 50 * MS, 20 * MS], offsets=[0, 10**9, -(10**9), 7]))
    steps = ranks.steps
    assert steps is not None
    assert len(steps) == 40
    assert steps.transfer is not None
    assert steps.synchronizing is not None
    assert set(steps.transfer.tolist()) == {TRANSFER}
    assert steps.synchronizing[steps.rank == 2].tolist() == [0] * 10
    assert steps.synchronizing[steps.rank != 2].tolist() == [30 * MS] * 30
    assert steps.own[steps.rank == 2].tolist() == [50 * MS] * 10
    stragglers = ranks.stragglers
    assert stragglers is not None
    assert stragglers.rank.tolist() == [2] * 10
    assert stragglers.lateness.tolist() == [30 * MS] * 10
    assert stragglers.waiting.tolist() == [30 * MS] * 10
    assert stragglers.step.tolist() == list(range(10))
    own = ranks.data[int(stragglers.profile[0])]
    assert own.rank == 2
    assert own.communication is not None
    assert own.communication.start is not None
    assert stragglers.own_start.tolist() == own.communication.start.tolist()
    found = {each.code: each for each in advise_ranks(ranks)}
    assert found["slow_rank"].values["rank"] == found["straggler"].values["rank"] == 2
    assert found["slow_rank"].values["excess"] == pytest.approx(30 / 27.5)
    assert found["straggler"].values["count"] == 10
    assert "Rank 2 is slow" in found["slow_rank"].finding


def test_equal_ranks_get_no_advice() -> None:
    ranks = Ranks(training([90 * MS, 91 * MS, 90 * MS]))
    assert codes_of(ranks) == []


@pytest.mark.parametrize(
    ("other", "codes"),
    [([20 * MS] * 4, ["rank_interval"]), ([40 * MS] * 4, []), (None, []), ([40 * MS] * 3 + [UNKNOWN_DURATION], [])],
)
def test_a_long_interval_is_one_beside_those_of_all_ranks(other: list[int] | None, codes: list[str]) -> None:
    data = training([90 * MS, 90 * MS], steps=4)
    intervals = [np.array([40 * MS] * 4), None if other is None else np.array(other)]
    ranks = Ranks([
        replace(each, steps=replace(each.steps, interval=interval))
        for each, interval in zip(data, intervals, strict=True)
        if each.steps is not None
    ])  # fmt: skip
    assert codes_of(ranks) == codes


def test_a_false_fast_rank_is_named_by_its_host() -> None:
    data = training([20 * MS, 20 * MS, 60 * MS])
    steps = data[2].steps
    assert steps is not None
    data[2] = replace(data[2], steps=replace(steps, compute=steps.compute - 40 * MS, idle=steps.idle + 40 * MS))
    advice = next(each for each in advise_ranks(Ranks(data)) if each.code == "slow_host")
    assert (advice.values["rank"], advice.values["cause"]) == (2, "idle")
    assert advice.values["cause_time"] == 40 * MS


def test_the_collective_with_the_longest_wait_counts() -> None:
    """A late rank is in time for the last collective of a step, since the first one made all others wait."""
    first, second = training([10 * MS, 40 * MS], 1), training([70 * MS, 69 * MS], 1)
    data = [
        replace(one, communication=_both(one.communication, other.communication))
        for one, other in zip(first, second, strict=True)
    ]
    stragglers = Ranks(data).stragglers
    assert stragglers is not None
    assert (stragglers.rank.tolist(), stragglers.waiting.tolist()) == ([1], [30 * MS])


def _both(one: Communication | None, other: Communication | None) -> Communication:
    assert one is not None
    assert other is not None
    assert one.start is not None
    assert other.start is not None
    return replace(
        one, name=TextColumn.constant("a", 2), kind=TextColumn.constant("allreduce", 2),
        group=TextColumn.constant("dp", 2), group_ranks=TextColumn.constant("0,1", 2), sequence=None,
        step=np.zeros(2, np.int64), device=TextColumn.constant("GPU 0", 2),
        start=np.concatenate([one.start, other.start]), duration=np.concatenate([one.duration, other.duration]),
        size=None, dtype=None,
    )  # fmt: skip


def test_collectives_have_the_bandwidths_of_nccl_tests() -> None:
    ranks = Ranks(training([0, 0, 30 * MS, 0]))
    collectives = ranks.collectives
    assert collectives is not None
    row = collectives.row(0)
    assert (row["kind"], row["group"], row["dtype"], row["size_class"]) == ("allreduce", "dp", "Float", "<= 1 MiB")
    assert (row["count"], row["ranks"], row["size"]) == (10, 4, 10 * SIZE)
    assert row["transfer"] == 10 * TRANSFER
    assert row["synchronizing"] == 10 * 30 * MS * 3 // 4
    assert row["algorithm_bandwidth"] == pytest.approx(SIZE / TRANSFER)
    assert row["bus_bandwidth"] == pytest.approx(SIZE / TRANSFER * 2 * 3 / 4)
    data = [replace(each, communication=_of_kind(each, "allgather")) for each in training([0, 0, 0, 0])]
    gathered = Ranks(data).collectives
    assert gathered is not None
    assert gathered.algorithm_bandwidth[0] == pytest.approx(4 * SIZE / TRANSFER), "of the whole result"
    assert gathered.bus_bandwidth[0] == pytest.approx(3 * SIZE / TRANSFER)


def _of_kind(each: RankData, kind: str) -> Communication:
    assert each.communication is not None
    return replace(each.communication, kind=TextColumn.constant(kind, len(each.communication)))


def test_what_one_rank_has_alone_is_not_compared() -> None:
    data = training([0, 0])
    assert data[1].communication is not None
    data[1] = replace(data[1], communication=data[1].communication.select(np.arange(4)))
    ranks = Ranks(data)
    assert ranks.collectives is not None
    assert ranks.collectives.count.sum() == 10
    assert ranks.clocks.collectives.tolist() == [4, 4]


def test_cycles_are_told_apart_by_their_steps() -> None:
    early, late = training([0, 0, 0], 5, first_step=10), training([0, 0, 0], 5, first_step=100)
    ranks = Ranks([late[1], early[0], late[0], early[1], late[2]])
    assert [(each.rank, each.cycle) for each in ranks.data] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1)]
    assert ranks.cycles == 2
    assert ranks.missing_ranks == []


def test_a_restart_is_a_cycle_of_its_own() -> None:
    """Both hold the same steps. Rank 1 lacks the first one."""
    first, second = training([0, 0], 5), training([0, 0], 5)
    second = [replace(each, origin_ns=(each.origin_ns or 0) + 10**12, path=each.path + "2") for each in second]
    ranks = Ranks([first[0], *second])
    assert [(each.rank, each.cycle) for each in ranks.data] == [(0, 0), (0, 1), (1, 1)]
    assert ranks.clocks.offset.tolist() == [0, 0], "profiles of different cycles do not match"


def test_missing_ranks_and_gaps() -> None:
    data = training([0] * 6)
    ranks = Ranks(replace(data[rank], world_size=8) for rank in (5, 1, 2))
    assert (ranks.ranks, ranks.missing_ranks) == ([1, 2, 5], [0, 3, 4, 6, 7])
    assert ranks.reference == 1
    unknown = Ranks([data[0], replace(data[1], rank=-1), replace(data[2], rank=-1)])
    assert unknown.ranks == [0, 1, 2], "ranks that no profile names follow, one for each directory"


def test_without_any_data() -> None:
    with pytest.raises(FormatError, match="no profile with steps or communication"):
        Ranks([])


def test_links_are_merged_and_the_slow_one_is_named() -> None:
    def links(source: int, transit: list[int]) -> Links:
        others = [rank for rank in range(4) if rank != source]
        return Links(
            kind=TextColumn.constant("HCCS", 4), source=np.full(4, source),
            destination=np.array([*others, source]), size=np.full(4, 18_000_000, np.int64),
            transit=np.array([*transit, 1], np.int64),
        )  # fmt: skip

    data = [
        replace(each, links=links(each.rank, [MS, MS, 2 * MS if each.rank == 1 else MS])) for each in training([0] * 4)
    ]
    ranks = Ranks([*data, replace(data[1], origin_ns=5)])
    found = ranks.links
    assert found is not None
    assert len(found) == 12, "copies on one device are no link"
    rows = {(row["source"], row["destination"]): row for row in found.rows()}
    assert rows[0, 1]["bandwidth"] == 18.0
    assert rows[1, 3]["bandwidth"] == 9.0
    assert rows[1, 3]["size"] == 36_000_000, "of both profiles of the rank"
    advice = next(each for each in advise_ranks(ranks) if each.code == "slow_link")
    assert (advice.values["source"], advice.values["destination"]) == (1, 3)
    assert "from rank 1 to rank 3 has 9 GB/s, 47.8 % below the mean of 17.2 GB/s" in advice.finding


def test_stages_of_a_pipeline() -> None:
    data = [
        replace(each, stages=2, receive=np.full(10, 25 * MS)) for each in training([20 * MS, 20 * MS, 50 * MS, 50 * MS])
    ]
    ranks = Ranks(data)
    stages = ranks.stages
    assert stages is not None
    assert stages.ranks.tolist() == [2, 2]
    assert stages.compute.tolist() == [20 * MS, 50 * MS]
    assert stages.receive.tolist() == [25 * MS, 25 * MS]
    assert stages.collective.tolist() == [10 * MS, 0]
    assert {"stage_waiting", "stage_communication", "uneven_stages"} <= set(codes_of(ranks))


@settings(max_examples=40)
@given(st.lists(st.integers(0, 90 * MS), min_size=2, max_size=8), st.integers(1, 6))
def test_parts_sum_to_the_whole(compute: list[int], steps: int) -> None:
    ranks = Ranks(training(compute, steps))
    table, means = ranks.steps, ranks.means
    assert table is not None
    assert means is not None
    assert table.transfer is not None
    assert table.synchronizing is not None
    assert (table.transfer + table.synchronizing == table.communication).all()
    assert (table.own + table.communication == table.duration).all()
    assert means.own.tolist() == compute
    assert ranks.collectives is not None
    assert int(ranks.collectives.time.sum()) == pytest.approx(int(table.communication.sum()) / len(compute), abs=steps)
    if ranks.stragglers is not None:
        assert {compute[rank] for rank in ranks.stragglers.rank.tolist()} == {max(compute)}


@pytest.mark.scale
@pytest.mark.timeout(60)
def test_512_ranks_are_quick() -> None:
    data = training([20 * MS] * 511 + [60 * MS], 20)
    data = [replace(each, communication=_repeated(each, 50)) for each in data]
    ranks = Ranks(data)
    assert ranks.steps is not None
    assert len(ranks.steps) == 512 * 20
    assert ranks.clocks.is_aligned.all()
    assert codes_of(ranks)[:1] != []


def _repeated(each: RankData, times: int) -> Communication:
    """The same collectives, many times in a step."""
    found = each.communication
    assert found is not None
    many = found.select(np.repeat(np.arange(len(found)), times))
    return replace(many, sequence=np.arange(len(many)))


def test_the_order_of_profiles_does_not_matter() -> None:
    data = training([3 * MS, 9 * MS, 4 * MS], offsets=[0, 5, -(10**9)])
    tables = [Ranks(order).steps for order in (data, data[::-1], [data[1], data[0], data[2]])]
    for one, other in pairwise(tables):
        assert one is not None
        assert other is not None
        assert one.start.tolist() == other.start.tolist()
        assert one.own.tolist() == other.own.tolist()
