# SPDX-License-Identifier: Apache-2.0
"""Closes connections of clients that send a request head or read a response too slowly; gives each request a context.

Each of them would hold memory and a socket. ``body_limit.py`` limits the body of a request, with a proper refusal.
"""

from __future__ import annotations

import asyncio
from contextvars import Context
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""Seconds from the connection, or from the previous response, until the head of a request is complete."""
STALLED_SECONDS = 60.0
"""Seconds for which a client may read nothing of a response."""


class TimedProtocol(H11Protocol):
    """HTTP/1.1 with a time limit for the head of a request and for a client that does not read."""

    head_seconds = HEAD_SECONDS
    stalled_seconds = STALLED_SECONDS

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._head: asyncio.TimerHandle | None = None  # runs until the head of a request is complete
        self._stalled: asyncio.TimerHandle | None = None  # runs while the client reads nothing

    def handle_events(self) -> None:
        """Begin the requests that have come, each in an empty context.

        asyncio reads on in the context in which reading was resumed: that of the request before, if its client sent
        the next one early. Without this, all later requests of the connection would have the deadline of that one.
        """
        Context().run(super().handle_events)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head = _cancelled(self._head)
        self._stalled = _cancelled(self._stalled)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_head()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self._stalled or self.loop.call_later(self.stalled_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stalled = _cancelled(self._stalled)

    def _watch_head(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._head = _cancelled(self._head)
        elif self._head is None and not self.transport.is_closing():
            self._head = self.loop.call_later(self.head_seconds, self.transport.close)


def _cancelled(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
