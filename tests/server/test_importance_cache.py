# SPDX-License-Identifier: Apache-2.0
"""Equal questions for an importance share a computation, and a client that has left waits for none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from starlette.types import Message, Receive, Scope, Send

from mindscope.errors import MindscopeError
from mindscope.ingest import Catalog
from mindscope.server.http.context import Viewer
from mindscope.server.http.disconnect import ClientDisconnectedError, DisconnectMiddleware
from mindscope.server.http.response_limit import AnswerTooSlowError, DeadlineMiddleware
from mindscope.server.lineage.importance_cache import ImportanceCache
from mindscope.server.lineage.routes import query_importance
from mindscope.server.lineage.schema import ImportanceAnswer, ImportanceQuery
from mindscope.settings import Settings
from tests.event_log import LINEAGE_NAME, append
from tests.reading.lineage_cache import custom

from .live_viewer import DEADLINE_S

SCOPE: Scope = {"type": "http", "method": "POST", "path": "/", "headers": []}


class Held:
    """A computation that ends when the test opens it, or when it is checked after its clients have left."""

    def __init__(self, error: Exception | None = None) -> None:
        self.begun, self.may_end, self.left = Event(), Event(), Event()
        self.count = 0
        self._error = error

    def __call__(self, check: Callable[[], None]) -> str:
        self.count += 1
        self.begun.set()
        while not self.may_end.wait(0.01):
            try:
                check()
            except ClientDisconnectedError:
                self.left.set()
                raise
        if self._error is not None:
            raise self._error
        return f"answer {self.count}"


async def begun(held: Held) -> None:
    assert await asyncio.to_thread(held.begun.wait, DEADLINE_S)


def test_equal_questions_share_a_computation_and_its_answer():
    async def scene() -> None:
        cache, held = ImportanceCache(), Held()
        asked = [asyncio.create_task(cache.get("a", held)) for _ in range(30)]
        await begun(held)
        held.may_end.set()
        assert set(await asyncio.gather(*asked)) == {"answer 1"}
        assert await cache.get("a", held) == "answer 1"
        assert await cache.get("b", held) == "answer 2"

    asyncio.run(scene())


def test_least_recently_used_answer_is_dropped():
    async def scene() -> None:
        cache, held = ImportanceCache(2), Held()
        held.may_end.set()
        assert [await cache.get(key, held) for key in "abacab"] == [f"answer {n}" for n in (1, 2, 1, 3, 1, 4)]

    asyncio.run(scene())


def test_error_reaches_all_clients_and_is_not_cached():
    async def scene() -> None:
        cache, held = ImportanceCache(), Held(MindscopeError("no column"))
        held.may_end.set()
        errors = await asyncio.gather(*(cache.get("a", held) for _ in range(2)), return_exceptions=True)
        assert [str(error) for error in errors] == ["no column"] * 2
        with pytest.raises(MindscopeError, match="no column"):
            await cache.get("a", held)
        assert held.count == 2

    asyncio.run(scene())


async def ask(cache: ImportanceCache, held: Held, left: asyncio.Event, seconds: float = DEADLINE_S) -> str:
    """The answer to a request whose client disconnects when ``left`` is set."""
    answers: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        answers.append(await cache.get("a", held))

    body: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not body:
            await left.wait()
            return {"type": "http.disconnect"}
        return body.pop()

    async def send(message: Message) -> None: ...

    await DeadlineMiddleware(DisconnectMiddleware(app), seconds)(SCOPE, receive, send)
    return answers[0]


def test_computation_goes_on_until_its_last_client_leaves():
    async def scene() -> None:
        cache, held, left, stays = ImportanceCache(), Held(), asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(ask(cache, held, left))
        await begun(held)
        second = asyncio.create_task(ask(cache, held, stays))
        left.set()
        with pytest.raises(ClientDisconnectedError):
            await first
        assert not held.left.is_set()
        stays.set()
        with pytest.raises(ClientDisconnectedError):
            await second
        assert await asyncio.to_thread(held.left.wait, DEADLINE_S)
        held.may_end.set()
        assert await cache.get("a", held) == "answer 2"

    asyncio.run(scene())


def test_deadline_of_the_first_client_is_not_that_of_the_others():
    async def scene() -> None:
        cache, held, stays = ImportanceCache(), Held(), asyncio.Event()
        first = asyncio.create_task(ask(cache, held, stays, seconds=0.05))
        second = asyncio.create_task(ask(cache, held, stays))
        with pytest.raises(AnswerTooSlowError):
            await first
        held.may_end.set()
        assert await second == "answer 1"

    asyncio.run(scene())


def test_client_that_leaves_before_its_turn_is_not_computed():
    async def scene() -> None:
        cache, held, waiting = ImportanceCache(), Held(), Held()
        first = asyncio.create_task(cache.get("a", held))
        await begun(held)
        second = asyncio.create_task(cache.get("b", waiting))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        held.may_end.set()
        waiting.may_end.set()
        assert await first == "answer 1"
        assert await cache.get("c", held) == "answer 2"
        assert waiting.count == 0

    asyncio.run(scene())


def test_changed_table_is_computed_again(tmp_path: Path):
    def add(run: int) -> None:
        (tmp_path / f"run_{run}").mkdir()
        append(tmp_path / f"run_{run}" / LINEAGE_NAME.format(1), custom(score=float(run)))

    async def scene() -> None:
        for run in range(3):
            add(run)
        catalog = Catalog(tmp_path)
        viewer, query = Viewer(Settings(summary_base_dir=tmp_path), catalog), ImportanceQuery(target="custom/score")
        sizes: list[int] = []
        for run in range(3, 5):
            catalog.refresh()
            answer = await query_importance(query, viewer)
            sizes.append(ImportanceAnswer.model_validate_json(bytes(answer.body)).sample_size)
            add(run)
        assert sizes == [3, 4]

    asyncio.run(scene())
