# SPDX-License-Identifier: Apache-2.0
"""Who may look and who may change something: tokens, sessions, limits of requests, and the log of changes.

A page shows the token once: in a link, or in the form of ``login_page.py``. The viewer answers with a cookie, and leads
to the same address without the token. Programs send ``Authorization: Bearer``. A user whom a trusted proxy names needs
no token, because the proxy requests a password.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from html import escape
from typing import Annotated, Any, NamedTuple
from urllib.parse import parse_qs

from fastapi import Depends, Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mindscope.reasons import Reason
from mindscope.server.http.errors import RefusedError, failure
from mindscope.server.http.login_page import login_page
from mindscope.server.http.proxied import Client, ProxyReports
from mindscope.server.http.rate_limit import RateLimit, network_of
from mindscope.server.http.tokens import SESSION_S, Permission, Tokens
from mindscope.setting_values import is_loopback
from mindscope.settings import Settings

READS: dict[str, Any] = {"x-reads": True}
"""``openapi_extra`` of a route that reads although its method is POST. Any other route but GET changes something."""
PUBLIC = frozenset({"/theme.js", "/mark.svg"})
"""Files of the page that the login page shows."""
MOST_REQUESTS, REQUESTS_PER_S = 2000, 100
"""The heaviest page sends a few hundred requests in all; see ``tests/browser/test_access.py``."""
MOST_WRONG_TOKENS, WRONG_TOKENS_PER_S = 10, 0.2
LONGEST_FORM, LOGIN_S = 1000, 10
"""Bytes of a login, and seconds until they are here."""
CHANGE_CHARACTERS = 2000
"""Of the body of a change that the log keeps."""
FORM = "application/x-www-form-urlencoded"

changes_log = logging.getLogger("mindscope.changes")


class Visitor(NamedTuple):
    """Who sends a request. ``user`` is empty if no trusted proxy names one."""

    permission: Permission
    user: str
    address: str
    is_read_only: bool
    """The viewer refuses the changes of everyone."""

    @property
    def refusal(self) -> Reason | None:
        """Why the visitor may not change anything; None if they may."""
        if self.is_read_only:
            return Reason("viewer_read_only")
        return None if self.permission is Permission.EDIT else Reason("reader_changes")


class AccessMiddleware:
    """Lets requests with a token, a session or a user of a trusted proxy pass, and gives routes their visitor."""

    def __init__(self, app: ASGIApp, settings: Settings, requests: RateLimit | None = None) -> None:
        self._app = app
        self._demands_token = settings.demands_token
        self._is_read_only = settings.read_only
        self._tokens = Tokens(settings.token, settings.reader_token)
        self._proxies = ProxyReports(settings.trust_proxy, settings.user_header)
        self._path = settings.path_prefix
        self._cookie = f"mindscope-{settings.port}"  # browsers send cookies to all ports of a host
        self._is_limited = settings.demands_token or not is_loopback(settings.host)
        self._requests = requests or RateLimit(MOST_REQUESTS, REQUESTS_PER_S)
        self._wrong_tokens = RateLimit(MOST_WRONG_TOKENS, WRONG_TOKENS_PER_S)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = self._proxies.client_of(scope)
        response = self._excess(client) or await self._login(scope, receive, client)
        if response is None:
            visitor = self._visitor(scope, client)
            response = visitor if isinstance(visitor, Response) else None
            if isinstance(visitor, Visitor):
                scope.setdefault("state", {})["visitor"] = visitor
        if response is not None:
            await response(scope, receive, send)
        else:
            await self._app(scope, receive, _logging_changes(scope, send))

    def _excess(self, client: Client) -> Response | None:
        """Return a refusal if the client sends too many requests."""
        wait_s = self._requests.take(_key(client), time.monotonic()) if self._is_limited else 0
        if wait_s == 0:
            return None
        reason = Reason("too_many_requests", seconds=wait_s)
        return failure(429, reason, reason.remedy, wait_s)

    async def _login(self, scope: Scope, receive: Receive, client: Client) -> Response | None:
        """Return the response to a page request that shows a token, in its address or as the form; None for others."""
        if _is_api(scope["path"]):
            return None
        headers, token = Headers(scope=scope), ""
        if scope["method"] == "POST" and headers.get("content-type", "").partition(";")[0].strip().lower() == FORM:
            with suppress(asyncio.TimeoutError):
                token = _field(await asyncio.wait_for(_body(receive), LOGIN_S), "token")
            headers = None
        elif scope["method"] in ("GET", "HEAD") and len(_without_token(scope)) < len(_address(scope)):
            token = _field(scope["query_string"], "token")
        else:
            return None
        permission = self._checked(token, client) if self._demands_token else None
        if isinstance(permission, Reason):
            return login_page(scope, permission)
        response = _redirect(_without_token(scope), headers)
        if permission is not None:
            response.set_cookie(
                self._cookie, self._tokens.session(permission, time.time()), max_age=SESSION_S, path=self._path,
                secure=client.is_secure, httponly=True, samesite="strict",
            )  # fmt: skip
        return response

    def _visitor(self, scope: Scope, client: Client) -> Visitor | Response | None:
        """Return who sends a request, or a refusal; None for a public file without a login."""
        permission = self._permission(scope, client)
        if isinstance(permission, Permission):
            return Visitor(permission, client.user, client.address, self._is_read_only)
        if _is_api(scope["path"]):
            return _refusal(permission)
        return None if scope["path"] in PUBLIC else login_page(scope, None)

    def _permission(self, scope: Scope, client: Client) -> Permission | Reason:
        """Return what a request may do; the reason without a permission."""
        if not self._demands_token:
            return Permission.EDIT
        headers = Headers(scope=scope)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() in ("bearer", "token"):
            return self._checked(token.strip(), client)
        session = Request(scope).cookies.get(self._cookie, "")
        permission = self._tokens.permission_of_session(session, time.time())
        return permission or (Permission.EDIT if client.user else Reason("token_missing"))

    def _checked(self, token: str, client: Client) -> Permission | Reason:
        """Return what a token permits. After some wrong ones no token of the client is checked for a while."""
        key, now = _key(client), time.monotonic()
        wait_s = self._wrong_tokens.wait_s(key, now)
        if wait_s:
            return Reason("token_too_often", seconds=wait_s)
        permission = self._tokens.permission_of(token)
        if permission is None:
            self._wrong_tokens.take(key, now)
            return Reason("token_wrong")
        return permission


async def visitor_of(request: Request) -> Visitor:
    """Return who sends a request. Asynchronous, because FastAPI runs a synchronous dependency in a thread."""
    return request.state.visitor


CurrentVisitor = Annotated[Visitor, Depends(visitor_of)]


async def require_editor(request: Request, visitor: CurrentVisitor) -> None:
    """Refuse the changes of readers; keep what others change for the log."""
    if not changes(request.method, request.scope["route"].openapi_extra):
        return
    refusal = visitor.refusal
    if refusal is not None:
        raise RefusedError(403, refusal, refusal.remedy)
    body = await request.body()
    request.state.change = body.decode(errors="replace")[:CHANGE_CHARACTERS]


def changes(method: str, openapi_extra: dict[str, Any] | None) -> bool:
    """Return whether a route changes something: every one does but GET, and those marked with ``READS``."""
    return method not in ("GET", "HEAD") and not (method == "POST" and "x-reads" in (openapi_extra or {}))


def _logging_changes(scope: Scope, send: Send) -> Send:
    """Return a function that sends, and logs the change that a route has kept with the status of its response."""

    async def send_and_log(message: Message) -> None:
        state: dict[str, Any] = scope.get("state", {})
        if message["type"] == "http.response.start" and "change" in state:
            visitor: Visitor = state["visitor"]
            changes_log.info(
                "", extra={
                    "user": visitor.user, "permission": visitor.permission.value, "address": visitor.address,
                    "method": scope["method"], "path": scope["path"], "status": message["status"],
                    "what": state["change"],
                },
            )  # fmt: skip
        await send(message)

    return send_and_log


def _refusal(reason: Reason) -> Response:
    wait_s = reason.values.get("seconds")
    answer = failure(401 if wait_s is None else 429, reason, reason.remedy, None if wait_s is None else int(wait_s))
    if wait_s is None:
        MutableHeaders(raw=answer.raw_headers)["www-authenticate"] = "Bearer"
    return answer


def _key(client: Client) -> str:
    """Return what counts as one client for limits."""
    return f"{client.user}@{network_of(client.address)}"


def _is_api(path: str) -> bool:
    return path == "/api" or path.startswith("/api/")


def _address(scope: Scope, query: str | None = None) -> str:
    """Return the address of a request, relative to itself: a proxy may put a path before it."""
    query = scope["query_string"].decode("latin-1") if query is None else query
    return "./" + scope["raw_path"].decode("latin-1").partition("?")[0].rpartition("/")[2] + (query and f"?{query}")


def _without_token(scope: Scope) -> str:
    pairs = scope["query_string"].decode("latin-1").split("&")
    return _address(scope, "&".join(pair for pair in pairs if not pair.startswith("token=")))


def _redirect(address: str, headers: Headers | None) -> Response:
    """Return a response that leads to an address; ``headers`` are those of a link, None for a form.

    After the link of another site, browsers send no strict cookie to the target of a redirect, but to that of a page.
    """
    if headers is None or headers.get("sec-fetch-site") in ("none", "same-origin"):
        return RedirectResponse(address, 303)
    return HTMLResponse(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(address)}">')


def _field(encoded: bytes, name: str) -> str:
    try:
        return parse_qs(encoded.decode("latin-1"), max_num_fields=1000).get(name, [""])[0].strip()
    except ValueError:
        return ""


async def _body(receive: Receive) -> bytes:
    """Return the body of a login; empty for one that is too long."""
    body, more = b"", True
    while more and len(body) <= LONGEST_FORM:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body if len(body) <= LONGEST_FORM else b""
