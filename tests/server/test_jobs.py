# SPDX-License-Identifier: Apache-2.0
"""Jobs whose steps run within requests: they are shared, continue with the next request, and take over versions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from mindscope.errors import FormatError
from mindscope.server.http.disconnect import ClientDisconnectedError, call_for_clients
from mindscope.server.jobs.jobs import Jobs

from .live_viewer import DEADLINE_S


class Squares:
    """Squares of numbers, one in each step."""

    def __init__(self, numbers: list[int], bad: int | None = None) -> None:
        self.numbers, self.bad = numbers, bad
        self.squares: list[int] = []
        self.steps = 0

    @property
    def is_complete(self) -> bool:
        return len(self.squares) == len(self.numbers)

    def take_over(self, earlier: Squares) -> None:
        self.squares = earlier.squares

    def run_step(self) -> None:
        self.steps += 1
        number = self.numbers[len(self.squares)]
        self.squares.append(number**2)
        if number == self.bad:
            raise FormatError(f"{number} can't be read")


def squares(work: Squares) -> list[int]:
    return list(work.squares)


class TwoJobs(Jobs[str, Squares]):
    most = 2


def test_each_request_runs_a_step_beyond_its_budget_and_continues() -> None:
    jobs = TwoJobs(budget_s=-1)
    asked = [jobs.advance("a", 1, lambda: Squares([1, 2, 3]), squares) for _ in range(4)]
    assert asked == [[1], [1, 4], [1, 4, 9], [1, 4, 9]]


def test_a_budget_that_is_long_enough_completes_the_work() -> None:
    jobs = TwoJobs(budget_s=DEADLINE_S)
    assert jobs.advance("a", 1, lambda: Squares([1, 2, 3]), squares) == [1, 4, 9]


def test_a_look_runs_no_step() -> None:
    jobs = TwoJobs(budget_s=-1)
    jobs.advance("a", 1, lambda: Squares([1, 2]), squares)
    assert jobs.use("a", 1, lambda: Squares([1, 2]), squares) == [1]


def test_another_version_takes_over_what_the_last_one_has() -> None:
    jobs = TwoJobs(budget_s=-1)
    jobs.advance("a", 1, lambda: Squares([1, 2]), squares)
    assert jobs.advance("a", 2, lambda: Squares([1, 2, 3]), squares) == [1, 4]
    assert jobs.advance("a", 2, lambda: Squares([1, 2, 3]), squares) == [1, 4, 9]
    assert jobs.use("a", 2, lambda: Squares([1, 2, 3]), lambda work: work.steps) == 2


def test_a_version_that_can_not_be_made_leaves_the_last_one_to_the_next() -> None:
    jobs = TwoJobs(budget_s=-1)
    jobs.advance("a", 1, lambda: Squares([1, 2]), squares)

    def refuse() -> Squares:
        raise FormatError("damaged")

    for _ in range(2):
        with pytest.raises(FormatError, match="damaged"):
            jobs.advance("a", 2, refuse, squares)
    assert jobs.advance("a", 3, lambda: Squares([1, 2, 3]), squares) == [1, 4]


def test_a_failing_step_reaches_its_request_and_the_next_one_continues() -> None:
    jobs = TwoJobs(budget_s=-1)
    assert jobs.advance("a", 1, lambda: Squares([1, 2, 3], bad=2), squares) == [1]
    with pytest.raises(FormatError, match="2 can't be read"):
        jobs.advance("a", 1, lambda: Squares([1, 2, 3], bad=2), squares)
    assert jobs.advance("a", 1, lambda: Squares([1, 2, 3], bad=2), squares) == [1, 4, 9]


def test_a_request_whose_client_left_runs_no_step() -> None:
    jobs = TwoJobs()
    with pytest.raises(ClientDisconnectedError):
        call_for_clients(lambda: True, lambda: jobs.advance("a", 1, lambda: Squares([1, 2]), squares))
    assert jobs.use("a", 1, lambda: Squares([1, 2]), squares) == []


def test_the_least_recently_used_job_is_dropped() -> None:
    jobs = TwoJobs(budget_s=-1)
    asked = [len(jobs.advance(key, 1, lambda: Squares([1, 2, 3]), squares)) for key in "abacab"]
    assert asked == [1, 1, 2, 1, 3, 1]


def test_requests_of_several_threads_run_every_step_once() -> None:
    jobs = TwoJobs(budget_s=-1)
    numbers = list(range(200))
    with ThreadPoolExecutor(8) as clients:
        for version in range(4):  # some clients still request the version before
            several = [
                clients.submit(jobs.advance, "a", each, lambda: Squares(numbers), squares)
                for _ in range(25)
                for each in (version, version + 1)
            ]
            for each in several:
                assert each.result(DEADLINE_S) == [number**2 for number in numbers[: len(each.result())]]
    assert jobs.use("a", 4, lambda: Squares(numbers), squares) == [number**2 for number in numbers]


def test_jobs_of_other_keys_go_on_while_one_takes_long() -> None:
    jobs = TwoJobs(budget_s=-1)
    begun, may_end = Event(), Event()

    def wait(work: Squares) -> list[int]:
        begun.set()
        assert may_end.wait(DEADLINE_S)
        return squares(work)

    with ThreadPoolExecutor(1) as clients:
        slow = clients.submit(jobs.advance, "slow", 1, lambda: Squares([1]), wait)
        assert begun.wait(DEADLINE_S)
        assert jobs.advance("fast", 1, lambda: Squares([2]), squares) == [4]
        may_end.set()
        assert slow.result(DEADLINE_S) == [1]
