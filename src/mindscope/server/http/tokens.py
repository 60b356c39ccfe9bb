# SPDX-License-Identifier: Apache-2.0
"""Tokens of editors and readers, and the sessions of browsers that showed one.

A session is an expiry time with a code (HMAC) that only the holder of its token can compute. So it survives a restart
of the viewer with the same tokens, ends with them, and takes no memory.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from enum import Enum

SESSION_S = 7 * 24 * 3600
"""Seconds after which a browser has to show the token again."""


class Permission(str, Enum):
    """What a user may do: read only, or also change notes, views and runs."""

    READ = "read"
    EDIT = "edit"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens by what they permit. An empty one permits nothing."""

    edit: str = ""
    read: str = ""

    def permission_of(self, token: str) -> Permission | None:
        """Return what a token permits; None for a wrong one. Takes the same time for every wrong token."""
        matches = [
            permission
            for permission, mine in self._permissions()
            if hmac.compare_digest(_code(mine, "token"), _code(token, "token"))
        ]
        return matches[0] if matches and token else None

    def session(self, permission: Permission, now: float) -> str:
        """Return the session of a browser that showed the token of a permission at the wall time ``now``."""
        expiry = str(int(now) + SESSION_S)
        return f"{expiry}.{_code(dict(self._permissions())[permission], expiry)}"

    def permission_of_session(self, session: str, now: float) -> Permission | None:
        """Return what a session permits; None for one that has ended or that these tokens did not make."""
        expiry, _, code = session.partition(".")
        matches = [
            permission
            for permission, mine in self._permissions()
            if hmac.compare_digest(_code(mine, expiry).encode(), code.encode())
        ]
        is_current = expiry.isascii() and expiry.isdigit() and len(expiry) < 20 and int(expiry) > now
        return matches[0] if matches and is_current else None

    def _permissions(self) -> list[tuple[Permission, str]]:
        pairs = ((Permission.EDIT, self.edit), (Permission.READ, self.read))
        return [(permission, token) for permission, token in pairs if token]


def _code(token: str, text: str) -> str:
    return hmac.new(token.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()
