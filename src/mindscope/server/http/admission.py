# SPDX-License-Identifier: Apache-2.0
"""Limits how many requests are computed and how many wait, so that a flood leaves time for other clients.

A client that leaves while its request waits costs nothing more. ``connection_timeouts.py`` and ``body_limit.py`` limit
slow clients.
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mindscope.reasons import Reason
from mindscope.server.http.errors import refuse

MAX_RUNNING = 16
"""Requests before the head of their responses; a stream of events has its head at once."""
MAX_WAITING = 256
MAX_CONNECTIONS = 1024
"""Open connections, also of pages that listen for events; further ones are refused at their first request."""
BACKLOG = 128
"""Connections that the system keeps until they are accepted."""
REMEDY = "try again in a moment"


class AdmissionMiddleware:
    """Computes at most ``running`` requests at a time. Up to ``waiting`` others wait in turn, further ones get 503."""

    def __init__(self, app: ASGIApp, running: int = MAX_RUNNING, waiting: int = MAX_WAITING) -> None:
        self._app = app
        self._free = asyncio.Semaphore(running)
        self._most_waiting = waiting
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif self._free.locked() and self._waiting >= self._most_waiting:
            await refuse(scope, receive, send, 503, Reason("server_busy", most=self._most_waiting), REMEDY)
        elif scope["method"] == "GET":
            await self._answer_if_connected(scope, receive, send)
        else:
            await self._answer_in_turn(scope, receive, send)

    async def _answer_in_turn(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        await self._answer(scope, receive, send)

    async def _answer_if_connected(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wait for the turn of a request without a body, or for the end of its connection."""
        messages = [await receive()]
        if messages[0].get("more_body", False):
            await self._answer_in_turn(scope, _after(messages, receive), send)
            return
        end = asyncio.create_task(_end_of(receive))

        async def replayed() -> Message:
            return messages.pop() if messages else await asyncio.shield(end)

        try:
            if await self._has_turn(end):
                await self._answer(scope, replayed, send)
        finally:
            end.cancel()

    async def _has_turn(self, end: asyncio.Task[Message]) -> bool:
        """Wait for a free slot, which is then taken; False if the client left before."""
        turn = asyncio.create_task(self._free.acquire())
        self._waiting += 1
        try:
            await asyncio.wait({turn, end}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._waiting -= 1
            if not turn.done():
                turn.cancel()
        if turn.done() and end.done():
            self._free.release()
        return turn.done() and not end.done()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a slot taken, which becomes free with the head of the response."""
        is_free = False

        def free() -> None:
            nonlocal is_free
            if not is_free:
                is_free = True
                self._free.release()

        async def send_freely(message: Message) -> None:
            free()
            await send(message)

        try:
            await self._app(scope, receive, send_freely)
        finally:
            free()


def _after(messages: list[Message], receive: Receive) -> Receive:
    """Return a function that receives ``messages``, then the later ones."""

    async def replayed() -> Message:
        return messages.pop() if messages else await receive()

    return replayed


async def _end_of(receive: Receive) -> Message:
    """Return the message after the request: its client has left."""
    return await receive()
