# SPDX-License-Identifier: Apache-2.0
"""Connections that send or take nothing for long are closed; others are served however long an answer takes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from mindscope.server.http.body_limit import BodyLimitMiddleware, add_body_error_handler
from mindscope.server.http.connection_timeouts import TimedProtocol

from .live_viewer import DEADLINE_S

REQUEST = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n"
LARGE = 64 << 20
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Impatient(TimedProtocol):
    head_seconds = 0.2
    stalled_seconds = 0.2


async def slow_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers after more than the time that a head may take; a large answer to /large."""
    await asyncio.sleep(2 * Impatient.head_seconds)
    size = LARGE if scope["path"] == "/large" else 2
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % size)]})
    await send({"type": "http.response.body", "body": b"x" * size})


@asynccontextmanager
async def connected(app: Any) -> AsyncGenerator[Streams]:
    config = uvicorn.Config(app, http=Impatient, log_config=None, lifespan="off")
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(lambda: Impatient(config, state, {}), "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.sockets[0].getsockname()[1])
        try:
            yield reader, writer
        finally:
            writer.close()


def run(app: Any, scenario: Callable[[Streams], Awaitable[None]]) -> None:
    async def main() -> None:
        async with connected(app) as streams:
            await asyncio.wait_for(scenario(streams), DEADLINE_S)

    asyncio.run(main())


NUMBER: ContextVar[int] = ContextVar("number")


async def numbering_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers whether a variable of the context has a value, then sets it."""
    seen = b"%d" % NUMBER.get(0)
    NUMBER.set(NUMBER.get(0) + 1)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})
    await send({"type": "http.response.body", "body": seen, "more_body": True})
    await asyncio.sleep(0.01)  # the client has the whole response, and sends the next request
    await send({"type": "http.response.body", "body": b""})


def test_no_request_of_a_connection_sees_the_context_of_an_earlier_one():
    async def scenario(streams: Streams) -> None:
        reader, writer = streams
        for _ in range(4):
            writer.write(REQUEST)
            await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(1) == b"0"

    run(numbering_app, scenario)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", REQUEST[:-2]])
def test_a_connection_without_a_whole_head_is_closed(sent: bytes):
    async def scenario(streams: Streams) -> None:
        streams[1].write(sent)
        assert await streams[0].read() == b""

    run(slow_app, scenario)


def test_a_head_that_comes_byte_by_byte_does_not_hold_a_connection():
    async def drip(writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while not writer.is_closing():
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.01)

    async def scenario(streams: Streams) -> None:
        reader, writer = streams
        writer.write(b"GET / HTTP/1.1\r\nx: ")
        dripping = asyncio.create_task(drip(writer))
        with suppress(ConnectionError):
            assert await reader.read() == b""
        dripping.cancel()

    run(slow_app, scenario)


def test_requests_one_after_the_other_are_answered_however_long_each_takes():
    async def scenario(streams: Streams) -> None:
        for _ in range(2):
            streams[1].write(REQUEST)
            assert (await streams[0].readuntil(b"\r\n\r\nxx")).startswith(b"HTTP/1.1 200")

    run(slow_app, scenario)


def test_an_answer_that_nobody_takes_is_given_up():
    async def scenario(streams: Streams) -> None:
        reader, writer = streams
        writer.write(REQUEST.replace(b"/ ", b"/large ", 1))
        transport: Any = writer.transport
        await reader.readuntil(b"\r\n\r\n")
        transport.pause_reading()
        await asyncio.sleep(3 * Impatient.stalled_seconds)
        transport.resume_reading()
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(LARGE)

    run(slow_app, scenario)


def test_a_body_that_does_not_come_is_refused_with_the_limit():
    api = FastAPI()
    add_body_error_handler(api)

    @api.post("/")
    def post(query: dict[str, Any]) -> None:
        raise AssertionError("the body was never complete")

    async def scenario(streams: Streams) -> None:
        reader, writer = streams
        writer.write(POST + b"{")
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408")
        error = json.loads(body)["error"]
        assert error["code"] == "body_too_slow"
        assert error["values"] == {"request": "POST /", "most": 0.1}

    run(BodyLimitMiddleware(api, max_seconds=0.1), scenario)
