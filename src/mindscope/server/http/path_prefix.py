# SPDX-License-Identifier: Apache-2.0
"""Leaves out the path below which the viewer answers, so that routes and page know nothing of it."""

from __future__ import annotations

from urllib.parse import unquote

from fastapi.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from mindscope.reasons import Reason
from mindscope.server.http.errors import failure


class PathPrefixMiddleware:
    """Answers addresses below a prefix; leads from its parent, and from ``/``, to it."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        """``prefix`` has a slash at both ends, and may be encoded as in an address."""
        self._app, self._prefix = app, prefix
        self._decoded = unquote(prefix)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._prefix == "/":
            await self._app(scope, receive, send)
        elif scope["path"].startswith(self._decoded):
            await self._app(self._without_prefix(scope), receive, send)
        elif scope["path"] in ("/", self._decoded[:-1]):
            await RedirectResponse(self._prefix)(scope, receive, send)
        else:
            what = Reason("not_found", request=f"{scope['method']} {scope['path']}", detail="no such address")
            await failure(404, what, f"this viewer answers below {self._prefix}")(scope, receive, send)

    def _without_prefix(self, scope: Scope) -> Scope:
        # both may be encoded differently, but have the same slashes
        raw = b"/" + scope["raw_path"].split(b"/", self._prefix.count("/"))[-1]
        return {**scope, "path": scope["path"][len(self._decoded) - 1 :], "raw_path": raw}
