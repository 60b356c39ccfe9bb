# SPDX-License-Identifier: Apache-2.0
"""Refuses request bodies that are too large or too slow."""

from __future__ import annotations

import asyncio
from typing import cast

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mindscope.reasons import Reason
from mindscope.server.http.errors import failure, refuse

MOST_BYTES = 32 << 20
"""Limit of a body. A query of ``MAX_RUNS`` runs with names of usual length has a fraction of it."""

MAX_SECONDS = 30.0
"""Time limit of a complete body."""

REMEDY = "send a smaller query, for example with fewer runs"
SLOW_REMEDY = "send it over a faster connection, or send a smaller query"


class BodyRefusedError(HTTPException):
    """A body beyond a limit. FastAPI re-raises only an ``HTTPException`` while it reads a body."""

    def __init__(self, status: int, reason: Reason, remedy: str) -> None:
        super().__init__(status, reason)
        self.reason = reason
        self.remedy = remedy


class BodyLimitMiddleware:
    """Refuses bodies of more than ``most_bytes``, declared or received, and bodies slower than ``max_seconds``."""

    def __init__(self, app: ASGIApp, most_bytes: int = MOST_BYTES, max_seconds: float = MAX_SECONDS) -> None:
        self._app = app
        self._most_bytes = most_bytes
        self._max_seconds = max_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = int(Headers(scope=scope).get("content-length", 0))  # the parser accepts only digits
        if declared > self._most_bytes:
            await refuse(scope, receive, send, 413, self._reason(scope, declared), REMEDY)
        else:
            await self._app(scope, self._counted(scope, receive), send)

    def _counted(self, scope: Scope, receive: Receive) -> Receive:
        size = 0
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._max_seconds
        has_more = True  # the message after the body is the disconnect, which has no deadline

        async def counted() -> Message:
            nonlocal size, has_more
            try:
                message = await asyncio.wait_for(receive(), deadline - loop.time() if has_more else None)
            except asyncio.TimeoutError:
                reason = Reason("body_too_slow", request=_request(scope), most=self._max_seconds)
                raise BodyRefusedError(408, reason, SLOW_REMEDY) from None
            has_more = message.get("more_body", False)
            size += len(message.get("body", b""))
            if size > self._most_bytes:
                raise BodyRefusedError(413, self._reason(scope, size), REMEDY)
            return message

        return counted

    def _reason(self, scope: Scope, size: int) -> Reason:
        return Reason("body_too_large", request=_request(scope), size=size, most=self._most_bytes)


def _request(scope: Scope) -> str:
    return f"{scope['method']} {scope['path']}"


def add_body_error_handler(app: FastAPI) -> None:
    """Answer a body beyond a limit with a ``FailureAnswer``."""
    app.add_exception_handler(BodyRefusedError, _refused)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    refused = cast("BodyRefusedError", error)
    return failure(refused.status_code, refused.reason, refused.remedy)
