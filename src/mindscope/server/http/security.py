# SPDX-License-Identifier: Apache-2.0
"""Refuses requests from pages of other sites, and sets security headers.

A page of another site can make a browser send requests to 127.0.0.1 in two ways. With DNS rebinding, its own name
resolves to 127.0.0.1; such a request has a foreign Host header. A plain form can't declare JSON without the consent of
the server, which sends no CORS header. Browsers also send the origin of a request, which must be the viewer.

Behind a proxy, the browser knows the viewer by another name, which ``--allow-host`` gives. A page of another site can't
set X-Forwarded-Host without the consent of the server; the viewer takes only allowed names from it.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mindscope.reasons import Reason
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import RefusedError, refuse
from mindscope.server.http.headers import security_headers
from mindscope.setting_values import LOOPBACK_NAMES

HOST = re.compile(r"(?:(?P<name>[^\s:@/\[\]]+)|\[(?P<address>[0-9A-Fa-f:.]+)\])(?::[0-9]*)?", re.ASCII)
WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


class SecurityMiddleware:
    """Refuses foreign hosts; adds the security headers to each response."""

    def __init__(self, app: ASGIApp, host: str, allowed: Sequence[str] = (), frames: Sequence[str] = ()) -> None:
        self._app = app
        self._headers = security_headers(frames)
        self._is_open_to_others = host not in LOOPBACK_NAMES
        self._names = LOOPBACK_NAMES | {host.lower()} | (_own_names() if host in ("0.0.0.0", "::") else frozenset())
        self._names |= {host_name(name) for name in allowed}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in self._headers.items():
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
                "open the address that `mindscope status` prints; "
                f"if {host} is a name of this machine or of its proxy, start with --allow-host {host}",
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


async def require_own_page(request: Request, viewer: CurrentViewer) -> None:
    """Refuse a change from a page of another site, by the headers of the browser. Programs send no such header."""
    if request.method in ("GET", "HEAD"):
        return
    site = request.headers.get("sec-fetch-site", "none")
    origin = request.headers.get("origin")
    name = "" if origin is None else urlsplit(origin).netloc.lower()
    is_ours = origin is None or name in _external_names(request.headers, viewer.settings.allow_host)
    if site not in ("same-origin", "none") or not is_ours:
        raise RefusedError(
            403,
            Reason("foreign_origin", origin=origin or site, name=name or "NAME"),
            "open the page at the address of the viewer; "
            f"if the viewer has this name behind a proxy, start it with --allow-host {name or 'NAME'}",
        )


def _external_names(headers: Headers, allowed: Sequence[str]) -> set[str]:
    """Return the hosts, with their ports, under which the browser of a request may know the viewer."""
    names = {headers.get("host", "").lower(), *allowed}
    forwarded = headers.get("x-forwarded-host", "").partition(",")[0].strip().lower()  # of the first proxy
    if host_name(forwarded) in {host_name(name) for name in allowed}:
        names.add(forwarded)
    return names


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _own_names() -> frozenset[str]:
    return frozenset({socket.gethostname().lower(), socket.getfqdn().lower()})
