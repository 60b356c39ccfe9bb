# SPDX-License-Identifier: Apache-2.0
"""Refuses requests from pages of other sites, and sets security headers.

A page of another site can make a browser send requests to 127.0.0.1 in two ways. With DNS rebinding, its own name
resolves to 127.0.0.1; such a request has a foreign Host header. A plain form can't declare JSON without the consent of
the server, which sends no CORS header. Browsers also send the origin of a request, which must be the viewer.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mindscope.reasons import Reason
from mindscope.server.http.errors import refuse
from mindscope.server.http.headers import SECURITY_HEADERS
from mindscope.setting_values import LOOPBACK_NAMES

HOST = re.compile(r"(?:(?P<name>[^\s:@/\[\]]+)|\[(?P<address>[0-9A-Fa-f:.]+)\])(?::[0-9]*)?", re.ASCII)
WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


class SecurityMiddleware:
    """Refuses foreign hosts; adds the security headers to each response."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._is_open_to_others = host not in LOOPBACK_NAMES
        self._names = LOOPBACK_NAMES | {host.lower()} | (_own_names() if host in ("0.0.0.0", "::") else frozenset())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    answer.setdefault(name, value)  # recorded HTML has a stricter policy of its own
                answer.setdefault("cache-control", "no-store")
            await send(message)

        host = Headers(scope=scope).get("host", "")
        if not self._is_ours(host):
            await refuse(
                scope,
                receive,
                send_with_headers,
                403,
                Reason("foreign_host", host=host),
                "open the address that `mindscope status` prints, or start with --host",
            )
        else:
            await self._app(scope, receive, send_with_headers)

    def _is_ours(self, host: str) -> bool:
        """Return whether a host is this viewer.

        DNS rebinding needs a name. A viewer that other machines can reach accepts any IP address.
        """
        name = host_name(host)
        return name in self._names or (self._is_open_to_others and _is_address(name))


def host_name(host: str) -> str:
    """Return the name in a Host header without its port and brackets, in lower case; empty if it is not a host."""
    match = HOST.fullmatch(host)
    return (match["name"] or match["address"]).lower() if match else ""


async def require_json(request: Request) -> None:
    """Refuse a body that is not declared as JSON: a form of another site can't declare it.

    Asynchronous, because FastAPI runs synchronous dependencies in a thread.
    """
    declared = request.headers.get("content-type", "")
    if request.method in WITH_BODY and declared.partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, f"content-type is {declared!r}, want application/json")


async def require_own_page(request: Request) -> None:
    """Refuse a change from a page of another site, by the headers of the browser. Programs send no such header."""
    if request.method in ("GET", "HEAD"):
        return
    site = request.headers.get("sec-fetch-site", "none")
    origin = request.headers.get("origin")
    is_own = origin is None or urlsplit(origin).netloc.lower() == request.headers.get("host", "").lower()
    if site not in ("same-origin", "none") or not is_own:
        raise HTTPException(403, f"the request comes from {origin or site}, want a page of this viewer")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _own_names() -> frozenset[str]:
    return frozenset({socket.gethostname().lower(), socket.getfqdn().lower()})
