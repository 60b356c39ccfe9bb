# SPDX-License-Identifier: Apache-2.0
"""Whoever asked may leave before he is answered, as a page that was scrolled on: then the rest need not be computed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mindscope.errors import MindscopeError
from mindscope.server.http.response_limit import check_deadline

T = TypeVar("T")

_LEFT: ContextVar[Event] = ContextVar("left")
"""Of the request that is being answered; also seen in the thread that does so."""


class ClientDisconnectedError(MindscopeError):
    """Nobody waits for this answer any more."""


def while_connected(parts: Iterable[T]) -> Iterator[T]:
    """Yields the parts of a query while its client is connected.

    Raises ClientDisconnectedError when the client disconnected, AnswerTooSlowError when the query's time is over.
    """
    for part in parts:
        check_connected()
        yield part


def check_connected() -> None:
    """Raises ClientDisconnectedError when the client disconnected, AnswerTooSlowError when the query's time is over."""
    left = _LEFT.get(None)
    if left is not None and left.is_set():
        raise ClientDisconnectedError("the client closed its connection before it was answered; nothing is to be done")
    check_deadline()


class DisconnectMiddleware:
    """Notices when the connection of a question, a POST request, is closed while it is being answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        watched = _WatchedReceive(receive)
        token = _LEFT.set(watched.left)
        try:
            await self._app(scope, watched, send)
        finally:
            _LEFT.reset(token)
            watched.end()


class _WatchedReceive:
    """Takes in the body as the app asks for it, and from then on waits for the end of the connection."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._end: asyncio.Task[Message] | None = None  # what comes behind the body
        self.left = Event()

    async def __call__(self) -> Message:
        if self._end is not None:
            return await asyncio.shield(self._end)
        message = await self._receive()
        if not message.get("more_body", False):
            self._end = asyncio.create_task(self._wait())
        return message

    async def _wait(self) -> Message:
        message = await self._receive()
        self.left.set()
        return message

    def end(self) -> None:
        if self._end is not None:
            self._end.cancel()
