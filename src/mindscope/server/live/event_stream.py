# SPDX-License-Identifier: Apache-2.0
"""Sends live changes from the watcher thread to any number of clients, without a thread or a queue per client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from pydantic import BaseModel

from mindscope.server.live.schema import LiveChange

Event = tuple[str, BaseModel]
"""Name and message."""
Listener = Callable[[str, BaseModel], None]
"""Called with the name and the message of an event."""


class Subscription:
    """The pending events of one client. Only for the event loop."""

    def __init__(self) -> None:
        self._change: LiveChange | None = None  # all changes of runs as one
        self._announced: dict[str, BaseModel] = {}  # by event name, the newest of each
        self._news = asyncio.Event()
        self.is_closed = False

    def add(self, change: LiveChange) -> None:
        """Merge a change into the pending one, so that a slow client gets fewer events and no backlog."""
        self._change = change if self._change is None else _joined(self._change, change)
        self._news.set()

    def announce(self, name: str, message: BaseModel) -> None:
        """Replace the pending message of this name."""
        self._announced[name] = message
        self._news.set()

    def close(self) -> None:
        self.is_closed = True
        self._news.set()

    async def next(self, patience_s: float) -> list[Event]:
        """Return the events since the last call.

        They are none after ``patience_s`` without an event, or when the stream is closed.
        """
        try:
            await asyncio.wait_for(self._news.wait(), patience_s)
        except asyncio.TimeoutError:
            return []
        if self.is_closed:
            return []
        events: list[Event] = [] if self._change is None else [("change", self._change)]
        events += self._announced.items()
        self._change, self._announced = None, {}
        self._news.clear()
        return events


class LiveEvents:
    """Carries messages to all clients and listeners.

    ``publish``, ``announce`` and ``listen`` are for any thread, the rest for its event loop.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._subscriptions: set[Subscription] = set()
        self._is_closed = False
        self._listeners: list[Listener] = []

    def open(self) -> None:
        """Bind to the running event loop. Changes published before reach no client."""
        self._loop = asyncio.get_running_loop()

    def listen(self, listener: Listener) -> None:
        """Call ``listener`` with every message, on the thread that sends it."""
        self._listeners.append(listener)

    def publish(self, version: int, runs: Iterable[str], run_list_changed: bool) -> None:
        """Send changed runs to all clients. Clients get nothing before ``open`` and after the end of the event loop."""
        change = LiveChange(version=version, runs=sorted(runs), run_list_changed=run_list_changed)
        self._to_all("change", change, lambda subscription: subscription.add(change))

    def announce(self, name: str, message: BaseModel) -> None:
        """Send every client the newest message of its name, as ``publish`` does."""
        self._to_all(name, message, lambda subscription: subscription.announce(name, message))

    def _to_all(self, name: str, message: BaseModel, add: Callable[[Subscription], None]) -> None:
        for listener in self._listeners:
            listener(name, message)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._deliver, add)

    def subscribe(self) -> Subscription:
        subscription = Subscription()
        if self._is_closed:
            subscription.close()
        self._subscriptions.add(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        self._subscriptions.discard(subscription)

    def close(self) -> None:
        """End every stream, so that a server with open connections can stop at once."""
        self._is_closed = True
        for subscription in self._subscriptions:
            subscription.close()

    def _deliver(self, add: Callable[[Subscription], None]) -> None:
        for subscription in self._subscriptions:
            add(subscription)


def _joined(one: LiveChange, other: LiveChange) -> LiveChange:
    return LiveChange(
        version=max(one.version, other.version),
        runs=sorted({*one.runs, *other.runs}),
        run_list_changed=one.run_list_changed or other.run_list_changed,
    )
