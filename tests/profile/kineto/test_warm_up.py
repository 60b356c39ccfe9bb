# SPDX-License-Identifier: Apache-2.0
"""The first step, which warms up: means and advice leave it out, and say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mindscope.profile.advice import advise
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from mindscope.profile.ranks.open import read_ranks
from mindscope.profile.ranks.step_table import warm_up_steps
from mindscope.profile.tables.kernels import Kernels
from mindscope.table.columns import NO_STEP, TextColumn
from tests.profile.kineto_events import Events


def steps_of(durations: Sequence[float], first: int = 1) -> Events:
    """Steps of these microseconds, whose device is busy for the last 40 us of each."""
    events, begin = Events(), 0.0
    for number, duration in enumerate(durations, first):
        events.step(number, begin, duration)
        events.op("aten::mm", begin, 50)
        events.launch(begin + 1, 1, number)
        events.kernel("a_kernel", begin + duration - 41, 40, number)
        begin += duration
    return events


def codes(profile: Profile) -> dict[str, list[int]]:
    return {each.code: list(each.rows) for each in advise(profile)}


def test_a_first_step_that_warms_up_is_no_finding(tmp_path: Path) -> None:
    profile = steps_of([900, 100, 110, 90]).read(tmp_path)
    overview = overview_of(profile)
    assert (overview.steps, overview.step_time, overview.warm_up) == (3, 100_000, [1])
    assert overview.device_busy == pytest.approx(120 / 300)
    assert overview.to_json()["warm_up_steps"] == [1]
    assert len(profile.steps) == 4, "the table has all"
    found = codes(profile)
    assert "uneven_steps" not in found
    assert found["host_bound"] == [2, 1, 3], "rows of the whole table, the most idle first"


@pytest.mark.parametrize(("durations", "count"), [([100, 100, 100], 3), ([119, 100, 100, 100], 4), ([900, 100], 2)])
def test_equal_or_too_few_steps_all_count(tmp_path: Path, durations: list[float], count: int) -> None:
    overview = overview_of(steps_of(durations).read(tmp_path))
    assert (overview.steps, overview.warm_up) == (count, [])
    assert overview.step_time == pytest.approx(1000 * sum(durations) / count)


def test_another_slow_step_is_a_finding_beside_a_warm_up(tmp_path: Path) -> None:
    profile = steps_of([900, 100, 100, 200, 100]).read(tmp_path)
    assert codes(profile)["uneven_steps"] == [3]
    (advice,) = (each for each in advise(profile) if each.code == "uneven_steps")
    assert (advice.values["step"], advice.values["mean"]) == (4, 125_000)


def test_a_difference_compares_what_is_warm(tmp_path: Path) -> None:
    one, other = (steps_of([first, 100, 100, 100]).read(tmp_path) for first in (900, 100))
    assert one.diff(other).step.before == one.diff(other).step.after == 100_000


def test_ranks_leave_out_the_step_that_warms_up_on_one(tmp_path: Path) -> None:
    for rank, first in enumerate((900, 130)):
        events = steps_of([first, 100, 110, 90], first=5)
        (tmp_path / f"rank_{rank}").mkdir()
        events.write(tmp_path / f"rank_{rank}" / "a.pt.trace.json", distributedInfo={"rank": rank, "world_size": 2})
    ranks = read_ranks(tmp_path)
    assert ranks.means is not None
    assert ranks.steps is not None
    assert (ranks.means.duration.tolist(), ranks.means.steps.tolist()) == ([100_000, 100_000], [3, 3])
    assert (len(ranks.steps), warm_up_steps(ranks.steps)) == (8, [5])


def test_the_step_of_a_row_is_a_number() -> None:
    table = Kernels(
        name=TextColumn.of("ab"), kind=TextColumn.of(["compute"] * 2), device=TextColumn.of(["NPU 0"] * 2),
        count=np.ones(2, np.int64), total=np.ones(2, np.int64),
    )  # fmt: skip
    found = replace(table, step=TextColumn.of(["12", ""]))
    assert [row["step"] for row in found.rows()] == [12, NO_STEP]
    assert found.to_pandas()["step"].tolist() == [12, NO_STEP]
