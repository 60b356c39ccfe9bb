# SPDX-License-Identifier: Apache-2.0
"""Cancels a query when the client disconnects, for example a page that was scrolled on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextvars import Context, ContextVar
from threading import Event
from typing import TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mindscope.errors import MindscopeError
from mindscope.server.http.response_limit import check_deadline

T = TypeVar("T")

_HAS_LEFT: ContextVar[Callable[[], bool]] = ContextVar("has_left")
"""Whether the client of the current request has disconnected. The thread that computes the response inherits it."""


class ClientDisconnectedError(MindscopeError):
    """The client has disconnected."""


def while_connected(parts: Iterable[T]) -> Iterator[T]:
    """Yields the parts of a query while its client is connected.

    Raises ClientDisconnectedError if the client has disconnected, AnswerTooSlowError after the deadline.
    """
    for part in parts:
        check_connected()
        yield part


def check_connected() -> None:
    """Raises ClientDisconnectedError if the client has disconnected, AnswerTooSlowError after the deadline."""
    has_left = _HAS_LEFT.get(None)
    if has_left is not None and has_left():
        raise ClientDisconnectedError("the client closed its connection before the response")
    check_deadline()


def call_for_clients(have_left: Callable[[], bool], function: Callable[[], T]) -> T:
    """Call a function for other clients than that of the current request, and without its deadline.

    ``check_connected`` raises in it once they have left.
    """
    context = Context()
    context.run(_HAS_LEFT.set, have_left)
    return context.run(function)


class DisconnectMiddleware:
    """Detects that the client of a POST request disconnects before the response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        watched = _WatchedReceive(receive)
        token = _HAS_LEFT.set(watched.left.is_set)
        try:
            await self._app(scope, watched, send)
        finally:
            _HAS_LEFT.reset(token)
            watched.end()


class _WatchedReceive:
    """Passes the body to the app, then waits for the disconnect."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._end: asyncio.Task[Message] | None = None  # the message after the body
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
