# SPDX-License-Identifier: Apache-2.0
"""How often a store is listed: soon while something changes, and for cents a day at rest."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from mindscope.storage.listing_schedule import WHOLE, ListingSchedule

DAY_S = 86_400.0
DOLLARS = 0.005 / 1000
"""Of one request for a listing, in the list of prices of S3."""


def listings(
    pages: int, ages_s: dict[str, float], changed: Callable[[str, float], list[str]], span_s: float = DAY_S
) -> list[tuple[float, str]]:
    """The listings of a day, by their times."""
    schedule, now, done = ListingSchedule(3.0), 0.0, list[tuple[float, str]]()
    while now < span_s:
        for path in schedule.due(now):
            done.append((now, path))
            schedule.listed(path, pages if path == WHOLE else 1, changed(path, now), ages_s, now)
        now += max(schedule.wait_s(now), 0.05)
    return done


def requests(done: list[tuple[float, str]], pages: int) -> int:
    return sum(pages if path == WHOLE else 1 for _, path in done)


@pytest.mark.parametrize("pages", [1, 10, 100])
def test_an_idle_day_takes_four_requests_a_minute_at_most(pages: int) -> None:
    count = requests(listings(pages, {"old": 1e6}, lambda path, now: []), pages)
    assert count <= 4.1 * DAY_S / 60
    assert count * DOLLARS < 0.05


def test_a_live_run_is_listed_alone_and_often() -> None:
    def changed(path: str, now: float) -> list[str]:
        return ["live/x"] if path in (WHOLE, "live") and now > 0 else []

    done = listings(10, {"old": 1e6, "live": 1.0}, changed)
    live = [now for now, path in done if path in (WHOLE, "live")]
    assert max(after - before for before, after in itertools.pairwise(live)) < 4.0
    assert requests(done, 10) * DOLLARS < 0.25


def test_many_live_runs_are_listed_together_once_that_costs_less() -> None:
    ages = {f"run{number}": 1.0 for number in range(500)}
    done = listings(1, ages, lambda path, now: [f"run{number}/x" for number in range(500)] if now else [], 300)
    assert {path for _, path in done} == {WHOLE}
    assert requests(done, 1) <= 101


def test_a_run_that_ended_is_listed_ever_more_seldom() -> None:
    done = [now for now, path in listings(10, {"run": 1.0}, lambda path, now: []) if path == "run"]
    gaps = [after - before for before, after in itertools.pairwise(done)]
    assert gaps[0] == pytest.approx(3.0)
    assert max(gaps) > 30
    assert max(done) < 1000


def test_failures_wait_ever_longer_until_the_store_answers() -> None:
    schedule, now, waits = ListingSchedule(1.0), 0.0, list[float]()
    for _ in range(9):
        assert schedule.due(now) == [WHOLE]
        schedule.failed(now)
        waits.append(schedule.wait_s(now))
        now += waits[-1]
    assert waits[:4] == [2.0, 4.0, 8.0, 16.0]
    assert max(waits) == 60.0
    schedule.listed(WHOLE, 1, ["run/x"], {"run": 0.0}, now)
    assert schedule.wait_s(now) == 1.0


def test_something_new_is_followed_soon() -> None:
    schedule = ListingSchedule(3.0)
    schedule.listed(WHOLE, 2, [], {"old": 1e6}, 0.0)
    schedule.listed(WHOLE, 2, ["new/x"], {"old": 1e6, "new": 0.0}, 60.0)
    assert schedule.due(63.0) == ["new"]
    assert schedule.due(66.0) == [WHOLE]
