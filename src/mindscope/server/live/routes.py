# SPDX-License-Identifier: Apache-2.0
"""Changes as they happen, as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.live.event_stream import LiveEvents
from mindscope.server.live.schema import LiveHello

PING_S = 15.0

router = APIRouter()


class EventStreamResponse(StreamingResponse):
    """Events of the WHATWG server-sent events format."""

    media_type = "text/event-stream"


@router.get(
    "/live",
    response_class=EventStreamResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def get_live(viewer: CurrentViewer) -> EventStreamResponse:
    """Send ``hello`` once; ``change`` when a run grows, appears or disappears; ``annotations``, ``alerts`` on their
    changes.

    A comment every 15 s keeps connections through proxies open.
    """
    return EventStreamResponse(_events(viewer), headers={"cache-control": "no-store", "x-accel-buffering": "no"})


async def _events(viewer: Viewer) -> AsyncIterator[str]:
    stream = viewer.shared(LiveEvents)
    subscription = stream.subscribe()
    try:
        # Read after subscribing, so that each newer change becomes an event.
        yield _event("hello", LiveHello(version=viewer.catalog.version))
        while not subscription.is_closed:
            events = await subscription.next(PING_S)
            for name, message in events:
                yield _event(name, message)
            if not events and not subscription.is_closed:
                yield ": ping\n\n"
    finally:
        stream.unsubscribe(subscription)


def _event(name: str, data: BaseModel) -> str:
    return f"event: {name}\ndata: {data.model_dump_json()}\n\n"
