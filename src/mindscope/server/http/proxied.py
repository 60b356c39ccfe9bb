# SPDX-License-Identifier: Apache-2.0
"""Who sends a request, and from where: as the connection says, or as a trusted proxy reports."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.types import Scope

LONGEST_NAME = 200


class Client(NamedTuple):
    """``address`` is of the browser or program; ``user`` is empty if no trusted proxy names one."""

    address: str
    user: str
    is_secure: bool
    """The browser came by HTTPS."""


class ProxyReports:
    """Reads the headers of proxies at some addresses, and ignores those of everyone else."""

    def __init__(self, trusted: Sequence[str], user_header: str) -> None:
        self._networks = [ipaddress.ip_network(network) for network in trusted]
        self._user_header = user_header

    def client_of(self, scope: Scope) -> Client:
        """Return the client of a request."""
        peer = (scope.get("client") or ("", 0))[0]
        is_secure = scope.get("scheme") == "https"
        if not self._is_trusted(peer):
            return Client(peer, "", is_secure)
        headers = Headers(scope=scope)
        hops = [hop.strip() for value in headers.getlist("x-forwarded-for") for hop in value.split(",") if hop.strip()]
        address = next((hop for hop in reversed(hops) if not self._is_trusted(hop)), (hops or [peer])[0])
        protocols = headers.get("x-forwarded-proto", "").split(",")
        return Client(address[:LONGEST_NAME], self._user(headers), is_secure or protocols[-1].strip() == "https")

    def _user(self, headers: Headers) -> str:
        """Return the name of the user; several headers are a sign of a forged one, and give no name."""
        names = headers.getlist(self._user_header)
        name = _as_utf8(names[0]).strip() if len(names) == 1 else ""
        return name if len(name) <= LONGEST_NAME and name.isprintable() else ""

    def _is_trusted(self, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
        return any((mapped or parsed) in network for network in self._networks)


def _as_utf8(value: str) -> str:
    """Return a header, which Starlette decodes as Latin-1, as the UTF-8 that proxies send."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value
