# SPDX-License-Identifier: Apache-2.0
"""Live changes, from the thread that watches files to any number of clients, without a thread or a backlog for each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from mindscope.server.schema import LiveChange


class Subscription:
    """What one client has not been told yet. Belongs to the event loop."""

    def __init__(self) -> None:
        self._runs: set[str] = set()
        self._run_list_changed = False
        self._version = 0
        self._news = asyncio.Event()
        self.is_closed = False

    def add(self, change: LiveChange) -> None:
        """Join a change to those not told yet: a slow client is told less often, never late for more than one read."""
        self._runs.update(change.runs)
        self._run_list_changed |= change.run_list_changed
        self._version = max(self._version, change.version)
        self._news.set()

    def close(self) -> None:
        self.is_closed = True
        self._news.set()

    async def next(self, patience_s: float) -> LiveChange | None:
        """All changes since the last call as one; None when there is none for ``patience_s`` or the feed has closed."""
        try:
            await asyncio.wait_for(self._news.wait(), patience_s)
        except asyncio.TimeoutError:
            return None
        if self.is_closed:
            return None
        change = LiveChange(version=self._version, runs=sorted(self._runs), run_list_changed=self._run_list_changed)
        self._runs.clear()
        self._run_list_changed = False
        self._news.clear()
        return change


class Feed:
    """Carries changes to all subscriptions. ``publish`` may be called from any thread, all else from the event loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._subscriptions: set[Subscription] = set()
        self._is_closed = False

    def open(self) -> None:
        """Bind to the running event loop; changes published before are nobody's news."""
        self._loop = asyncio.get_running_loop()

    def publish(self, version: int, runs: Iterable[str], run_list_changed: bool) -> None:
        """Tell every client. Does nothing before ``open`` and after the event loop has ended."""
        change = LiveChange(version=version, runs=sorted(runs), run_list_changed=run_list_changed)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._deliver, change)

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

    def _deliver(self, change: LiveChange) -> None:
        for subscription in self._subscriptions:
            subscription.add(change)
