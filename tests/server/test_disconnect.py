# SPDX-License-Identifier: Apache-2.0
"""What nobody waits for any more is not computed to its end."""

from __future__ import annotations

import asyncio
from threading import Event

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Message, Scope

from mindscope.server.http.disconnect import ClientDisconnectedError, DisconnectMiddleware, while_connected
from mindscope.server.http.errors import add_error_handlers

from .live_viewer import DEADLINE_S, LiveViewer

ASKED: Scope = {
    "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/",
    "raw_path": b"/", "query_string": b"", "root_path": "", "headers": [(b"host", b"localhost")],
}  # fmt: skip


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_the_parts_behind_a_departure_are_left_out(method: str):
    done: list[int] = []
    begun, may_go_on = Event(), Event()
    app = FastAPI()
    add_error_handlers(app)

    def answer(parts: list[int]) -> None:
        for part in while_connected(parts):
            done.append(part)
            begun.set()
            assert may_go_on.wait(DEADLINE_S)

    app.add_api_route("/", answer, methods=["POST"])
    app.add_api_route("/", lambda: answer([1, 2, 3]), methods=["GET"])

    async def leave_early() -> list[Message]:
        sent: list[Message] = []
        left = asyncio.Event()
        body: list[Message] = [{"type": "http.request", "body": b"[1, 2, 3]", "more_body": False}]

        async def receive() -> Message:
            if body:
                return body.pop()
            await left.wait()
            asyncio.get_running_loop().call_soon(may_go_on.set)  # once it is noticed
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        asked = {**ASKED, "method": method, "headers": [*ASKED["headers"], (b"content-type", b"application/json")]}
        answering = asyncio.create_task(DisconnectMiddleware(app)(asked, receive, send))
        await asyncio.to_thread(begun.wait, DEADLINE_S)
        left.set()
        if method == "GET":
            may_go_on.set()
        await answering
        return sent

    status = asyncio.run(leave_early())[0]["status"]
    assert (done, status) == (([1], 499) if method == "POST" else ([1, 2, 3], 200))


def test_without_a_request_nobody_leaves():
    assert list(while_connected("abc")) == ["a", "b", "c"]
    assert issubclass(ClientDisconnectedError, Exception)


def test_whoever_leaves_holds_nobody_up(viewer: LiveViewer):
    names = [{"run": "mindspore/custom_loop", "tag": "train/loss"}] * 10_000
    with httpx.Client(base_url=viewer.http.base_url) as impatient, pytest.raises(httpx.TimeoutException):
        impatient.post("/api/curves", json={"series": names, "pixels": 8000}, timeout=0.001)
    assert viewer.curves(("mindspore/custom_loop", "train/loss")).header["series"][0]["error"] is None
