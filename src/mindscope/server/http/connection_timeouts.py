# SPDX-License-Identifier: Apache-2.0
"""Closes connections whose client sends a request, or takes an answer, too slowly: each would hold memory and a socket.

The body of a request has a limit of its own in ``body_limit.py``, because it can be refused with an answer.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""From the connection, or from the answer before, until the head of a request is complete."""
STALLED_SECONDS = 60.0
"""How long a client may take nothing of an answer that waits for it."""


class TimedProtocol(H11Protocol):
    """HTTP/1.1 with a limit for the head of a request and for an answer that nobody takes."""

    head_seconds = HEAD_SECONDS
    stalled_seconds = STALLED_SECONDS

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._head: asyncio.TimerHandle | None = None  # runs while the head of a request is awaited
        self._stalled: asyncio.TimerHandle | None = None  # runs while the client takes nothing

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
