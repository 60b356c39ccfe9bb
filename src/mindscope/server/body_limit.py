# SPDX-License-Identifier: Apache-2.0
"""No request may fill the memory: one that is too large is refused before it is read, or as soon as that is seen."""

from __future__ import annotations

from typing import cast

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mindscope.reasons import Reason
from mindscope.server.failures import failure, refuse

MOST_BYTES = 32 << 20
"""Of a body; a question about as many runs as may be asked for, with names of usual length, has a fraction of it."""

REMEDY = "ask for less at once, as for fewer runs"


class BodyTooLargeError(HTTPException):
    """A body that goes on after the most that is taken; the framework lets only its own errors through as they are."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(413, reason)
        self.reason = reason


class BodyLimitMiddleware:
    """Refuses bodies of more than ``most_bytes``, by what they declare and by what comes."""

    def __init__(self, app: ASGIApp, most_bytes: int = MOST_BYTES) -> None:
        self._app = app
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = int(Headers(scope=scope).get("content-length", 0))  # the parser takes no other than digits
        if declared > self._most_bytes:
            await refuse(scope, receive, send, 413, self._reason(scope, declared), REMEDY)
        else:
            await self._app(scope, self._counted(scope, receive), send)

    def _counted(self, scope: Scope, receive: Receive) -> Receive:
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self._most_bytes:
                raise BodyTooLargeError(self._reason(scope, size))
            return message

        return counted

    def _reason(self, scope: Scope, size: int) -> Reason:
        request = f"{scope['method']} {scope['path']}"
        return Reason("body_too_large", request=request, size=size, most=self._most_bytes)


def answer_too_large(app: FastAPI) -> None:
    """Make a body that turned out to be too large a ``FailureAnswer``."""
    app.add_exception_handler(BodyTooLargeError, _too_large)


async def _too_large(request: Request, error: Exception) -> JSONResponse:
    return failure(413, cast("BodyTooLargeError", error).reason, REMEDY)
