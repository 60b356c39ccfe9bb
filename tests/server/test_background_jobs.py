# SPDX-License-Identifier: Apache-2.0
"""Jobs on a thread beside the requests: equal requests share one, which ends when all of its clients have left."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest
from starlette.types import Message, Receive, Scope, Send

from mindscope.errors import MindscopeError
from mindscope.server.http.disconnect import ClientDisconnectedError, DisconnectMiddleware, check_connected
from mindscope.server.http.response_limit import AnswerTooSlowError, DeadlineMiddleware
from mindscope.server.jobs.background import BackgroundJobs, Worker
from mindscope.server.jobs.task import Outcome, Task, completed, with_problem

from .live_viewer import DEADLINE_S

SCOPE: Scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
TextJobs = BackgroundJobs[str, Task[str]]


class Held:
    """A computation that ends when the test opens it, or when it is checked after its clients have left."""

    def __init__(self, error: Exception | None = None) -> None:
        self.begun, self.may_end, self.left = Event(), Event(), Event()
        self.count = 0
        self._error = error

    def task(self) -> Task[str]:
        return Task(self._compute, total_bytes=10)

    def _compute(self, task: Task[str]) -> str:
        self.count += 1
        count = self.count
        task.phase, task.read_bytes = "reading", 5
        self.begun.set()
        while not self.may_end.wait(0.01):
            try:
                check_connected()
            except ClientDisconnectedError:
                self.left.set()
                raise
        if self._error is not None:
            raise self._error
        return f"answer {count}"


@contextmanager
def jobs_of(most: int = 8, budget_s: float = math.inf, patience_s: float = 0) -> Generator[TextJobs]:
    jobs = TextJobs(most, Worker("test"), budget_s, patience_s)
    try:
        yield jobs
    finally:
        jobs.close()


@pytest.fixture
def clients() -> Generator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(30) as pool:
        yield pool


def ask(jobs: TextJobs, held: Held, key: str = "a", version: object = 1) -> str | None:
    return jobs.request(key, version, held.task).value


def joined(jobs: TextJobs, key: str, count: int) -> None:
    """Waits until so many clients wait for a job."""
    job = jobs._running[key]  # type: ignore[reportPrivateUsage]
    for _ in range(int(DEADLINE_S / 0.01)):
        if job.clients == count:
            return
        job.ended.wait(0.01)
    raise AssertionError


def test_equal_requests_share_a_computation_and_its_answer(clients: ThreadPoolExecutor) -> None:
    held = Held()
    with jobs_of() as jobs:
        several = [clients.submit(ask, jobs, held) for _ in range(30)]
        assert held.begun.wait(DEADLINE_S)
        held.may_end.set()
        assert {each.result(DEADLINE_S) for each in several} == {"answer 1"}
        assert ask(jobs, held) == "answer 1"
        assert ask(jobs, held, "b") == "answer 2"


def test_least_recently_used_answer_is_dropped() -> None:
    held = Held()
    held.may_end.set()
    with jobs_of(2) as jobs:
        assert [ask(jobs, held, key) for key in "abacab"] == [f"answer {n}" for n in (1, 2, 1, 3, 1, 4)]


def test_many_jobs_that_wait_are_all_computed_whatever_is_kept() -> None:
    held = Held()
    with jobs_of(2, budget_s=0, patience_s=math.inf) as jobs:
        for key in range(20):
            assert ask(jobs, held, str(key)) is None
        held.may_end.set()
        jobs_done = [jobs.get(str(key), 1) for key in range(20)]
        last = jobs_done[-1]
        assert last is not None
        for _ in range(int(DEADLINE_S / 0.01)):
            if last.is_complete:
                break
            held.left.wait(0.01)
        assert [each and each.value for each in jobs_done] == [f"answer {n}" for n in range(1, 21)]
        assert held.count == 20


def test_error_reaches_all_clients_and_is_not_kept(clients: ThreadPoolExecutor) -> None:
    held = Held(MindscopeError("no column"))
    with jobs_of() as jobs:
        several = [clients.submit(ask, jobs, held) for _ in range(2)]
        assert held.begun.wait(DEADLINE_S)
        joined(jobs, "a", 2)
        held.may_end.set()
        assert [str(each.exception(DEADLINE_S)) for each in several] == ["no column"] * 2
        with pytest.raises(MindscopeError, match="no column"):
            ask(jobs, held)
        assert held.count == 2


def test_error_of_a_job_in_the_background_stays_until_a_request_has_it() -> None:
    held = Held(MindscopeError("damaged"))
    held.may_end.set()
    with jobs_of(budget_s=0, patience_s=math.inf) as jobs:
        jobs._worker.threads.submit(held.begun.wait, DEADLINE_S)  # type: ignore[reportPrivateUsage]
        assert ask(jobs, held) is None
        ended = jobs._running["a"].ended  # type: ignore[reportPrivateUsage]
        held.begun.set()
        assert ended.wait(DEADLINE_S)
        with pytest.raises(MindscopeError, match="damaged"):
            jobs.get("a", 1)
        assert jobs.get("a", 1) is None


async def answer(jobs: TextJobs, held: Held, left: asyncio.Event, seconds: float = DEADLINE_S) -> str | None:
    """The answer to a request whose client disconnects when ``left`` is set."""
    answers: list[str | None] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        answers.append(await asyncio.to_thread(ask, jobs, held))

    body: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not body:
            await left.wait()
            return {"type": "http.disconnect"}
        return body.pop()

    async def send(message: Message) -> None: ...

    await DeadlineMiddleware(DisconnectMiddleware(app), seconds)(SCOPE, receive, send)
    return answers[0]


async def begun(held: Held) -> None:
    assert await asyncio.to_thread(held.begun.wait, DEADLINE_S)


def test_computation_goes_on_until_its_last_client_leaves() -> None:
    async def scene(jobs: TextJobs) -> None:
        held, left, stays = Held(), asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(answer(jobs, held, left))
        await begun(held)
        second = asyncio.create_task(answer(jobs, held, stays))
        await asyncio.to_thread(joined, jobs, "a", 2)
        left.set()
        with pytest.raises(ClientDisconnectedError):
            await first
        assert not held.left.is_set()
        stays.set()
        with pytest.raises(ClientDisconnectedError):
            await second
        assert await asyncio.to_thread(held.left.wait, DEADLINE_S)
        held.may_end.set()
        assert await asyncio.to_thread(ask, jobs, held) == "answer 2"

    with jobs_of() as jobs:
        asyncio.run(scene(jobs))


def test_deadline_of_the_first_client_is_not_that_of_the_others() -> None:
    async def scene(jobs: TextJobs) -> None:
        held, stays = Held(), asyncio.Event()
        first = asyncio.create_task(answer(jobs, held, stays, seconds=0.3))
        await begun(held)
        second = asyncio.create_task(answer(jobs, held, stays))
        await asyncio.to_thread(joined, jobs, "a", 2)
        with pytest.raises(AnswerTooSlowError):
            await first
        held.may_end.set()
        assert await second == "answer 1"

    with jobs_of() as jobs:
        asyncio.run(scene(jobs))


def test_client_that_leaves_before_its_turn_is_not_computed(clients: ThreadPoolExecutor) -> None:
    async def leaves(jobs: TextJobs, waiting: Held) -> None:
        left = asyncio.Event()
        left.set()
        with pytest.raises(ClientDisconnectedError):
            await answer(jobs, waiting, left)

    held, waiting = Held(), Held()
    with jobs_of() as jobs:
        first: Future[str | None] = clients.submit(ask, jobs, held, "b")
        assert held.begun.wait(DEADLINE_S)
        asyncio.run(leaves(jobs, waiting))
        held.may_end.set()
        waiting.may_end.set()
        assert first.result(DEADLINE_S) == "answer 1"
        assert ask(jobs, held, "c") == "answer 2"
        assert waiting.count == 0


def test_request_answers_after_its_budget_with_the_progress() -> None:
    held = Held()
    with jobs_of(budget_s=0, patience_s=math.inf) as jobs:
        assert ask(jobs, held) is None
        assert held.begun.wait(DEADLINE_S)
        task = jobs.request("a", 1, held.task)
        outcome = task.outcome
        assert (outcome.value, outcome.progress, outcome.problem) == (None, task, None)
        assert (task.phase, task.read_bytes, task.total_bytes) == ("reading", 5, 10)
        held.may_end.set()


def test_job_that_nobody_requested_for_a_while_ends() -> None:
    held = Held()
    with jobs_of(budget_s=0, patience_s=math.inf) as jobs:
        assert ask(jobs, held) is None
        assert held.begun.wait(DEADLINE_S)
        assert not held.left.is_set()
        jobs.patience_s = 0
        assert held.left.wait(DEADLINE_S)
        held.may_end.set()
        jobs.patience_s = math.inf
        assert jobs.get("a", 1) is None


def test_another_version_ends_the_job_of_the_last_one() -> None:
    first, second = Held(), Held()
    with jobs_of(budget_s=0, patience_s=math.inf) as jobs:
        assert ask(jobs, first) is None
        assert first.begun.wait(DEADLINE_S)
        assert ask(jobs, second, version=2) is None
        assert first.left.wait(DEADLINE_S)
        assert second.begun.wait(DEADLINE_S)
        assert jobs.get("a", 1) is None
        second.may_end.set()


def test_client_of_the_last_version_gets_its_answer(clients: ThreadPoolExecutor) -> None:
    first, second = Held(), Held()
    with jobs_of() as jobs:
        earlier = clients.submit(ask, jobs, first)
        assert first.begun.wait(DEADLINE_S)
        later = clients.submit(ask, jobs, second, "a", 2)
        first.may_end.set()
        second.may_end.set()
        assert (earlier.result(DEADLINE_S), later.result(DEADLINE_S)) == ("answer 1", "answer 1")
        assert (first.count, second.count) == (1, 1)


def test_closing_ends_the_job_and_its_clients(clients: ThreadPoolExecutor) -> None:
    held, waiting = Held(), Held()
    with jobs_of() as jobs:
        several = [clients.submit(ask, jobs, held), clients.submit(ask, jobs, waiting, "b")]
        assert held.begun.wait(DEADLINE_S)
    for each in several:
        assert isinstance(each.exception(DEADLINE_S), ClientDisconnectedError | RuntimeError)
    assert (held.left.is_set(), waiting.count) == (True, 0)


def test_value_that_is_there_already_needs_no_thread() -> None:
    with jobs_of() as jobs:
        assert jobs.request("a", 1, lambda: completed("saved")).value == "saved"
        assert jobs.get("a", 1) is not None


def test_errors_that_users_can_act_on_become_the_problem() -> None:
    @with_problem
    def request(error: Exception) -> Outcome[str]:
        raise error

    errors = [MindscopeError("damaged"), FileNotFoundError("gone")]
    assert [request(each).problem for each in errors] == errors
    with pytest.raises(ZeroDivisionError):
        request(ZeroDivisionError())
