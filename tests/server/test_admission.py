# SPDX-License-Identifier: Apache-2.0
"""A flood of requests: who is refused, who waits, and who left is not answered."""

from __future__ import annotations

import asyncio
import json

import pytest
from starlette.types import Message, Receive, Scope, Send

from mindscope.server.http.admission import AdmissionMiddleware

SCOPE: Scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}


class Client:
    """One request; ``leave`` closes its connection."""

    def __init__(self, app: AdmissionMiddleware, name: str, method: str = "GET") -> None:
        self.sent: list[Message] = []
        self._left = asyncio.Event()
        self._messages: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]
        scope = {**SCOPE, "path": f"/{name}", "method": method}
        self.task = asyncio.create_task(app(scope, self._receive, self._send))

    def leave(self) -> None:
        self._left.set()

    @property
    def status(self) -> int | None:
        return self.sent[0]["status"] if self.sent else None

    async def _receive(self) -> Message:
        if self._messages:
            return self._messages.pop()
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self.sent.append(message)


class Work:
    """An application that begins requests and ends them when it may."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_end = asyncio.Event()
        self.may_close = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.request"
        self.begun.append(scope["path"])
        await self.may_end.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await self.may_close.wait()
        await send({"type": "http.response.body", "body": b""})


async def settle() -> None:
    """Let all tasks go on until they wait."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_further_requests_wait_and_then_are_refused(method: str) -> None:
    async def run() -> None:
        work = Work()
        app = AdmissionMiddleware(work, running=1, waiting=2)
        clients = [Client(app, str(number), method) for number in range(3)]
        await settle()
        late = Client(app, "late", method)
        await settle()
        assert work.begun == ["/0"]
        assert late.status == 503
        assert json.loads(late.sent[1]["body"])["error"]["code"] == "server_busy"
        work.may_end.set()
        await settle()
        assert work.begun == ["/0", "/1", "/2"]
        work.may_close.set()
        await asyncio.gather(*(client.task for client in clients), late.task)
        assert [client.status for client in clients] == [200] * 3

    asyncio.run(run())


def test_who_leaves_while_waiting_is_never_computed() -> None:
    async def run() -> None:
        work = Work()
        app = AdmissionMiddleware(work, running=1, waiting=100)
        first, *flood, honest = [Client(app, str(number)) for number in range(50)]
        await settle()
        for client in flood:
            client.leave()
        await settle()
        assert all(client.task.done() and not client.sent for client in flood)
        work.may_end.set()
        work.may_close.set()
        await asyncio.gather(first.task, honest.task)
        assert work.begun == ["/0", "/49"]
        assert (first.status, honest.status) == (200, 200)

    asyncio.run(run())


def test_a_stream_holds_no_place_after_its_head() -> None:
    async def run() -> None:
        work = Work()
        work.may_end.set()
        app = AdmissionMiddleware(work, running=1, waiting=1)
        streams = [Client(app, str(number)) for number in range(2)]
        await settle()
        streams.append(Client(app, "2"))
        await settle()
        assert [client.status for client in streams] == [200] * 3
        work.may_close.set()
        await asyncio.gather(*(client.task for client in streams))

    asyncio.run(run())


def test_a_request_that_fails_frees_its_place() -> None:
    async def run() -> None:
        async def fail(scope: Scope, receive: Receive, send: Send) -> None:
            raise RuntimeError

        app = AdmissionMiddleware(fail, running=1)
        for number in range(3):
            with pytest.raises(RuntimeError):
                await Client(app, str(number)).task

    asyncio.run(run())


def test_a_body_of_a_get_request_is_passed_on() -> None:
    async def run() -> None:
        bodies: list[bytes] = []

        async def read(scope: Scope, receive: Receive, send: Send) -> None:
            while (message := await receive())["more_body"]:
                bodies.append(message["body"])
            bodies.append(message["body"])

        parts: list[Message] = [
            {"type": "http.request", "body": b"b", "more_body": False},
            {"type": "http.request", "body": b"a", "more_body": True},
        ]

        async def receive() -> Message:
            return parts.pop()

        async def send(_: Message) -> None:
            raise AssertionError

        await AdmissionMiddleware(read)(SCOPE, receive, send)
        assert bodies == [b"a", b"b"]

    asyncio.run(run())
