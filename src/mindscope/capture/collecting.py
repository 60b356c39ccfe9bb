# SPDX-License-Identifier: Apache-2.0
"""Values between ``add_value`` and ``record``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from mindscope.capture.taking import Taken


class Collection:
    """What one thread added since it last recorded.

    Its thread adds without a lock: for that each change here is one operation on a dict or list, which Python makes
    whole. Two threads that record hold the recorder's lock.
    """

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self.records = False
        """Whether the thread has called ``record`` itself, so that no other one records its values while it lives."""
        self.scalars: dict[str, float] = {}
        self.values: dict[tuple[str, str], Taken] = {}
        """Other tagged values by plugin and tag."""
        self.messages: list[Taken] = []
        """Graphs and lineage."""

    def absorb(self, other: Collection) -> None:
        """Take over the values of another thread, which may add more in the meantime: piece by piece."""
        for tag in list(other.scalars):
            self.scalars[tag] = other.scalars.pop(tag)
        for key in list(other.values):
            self.values[key] = other.values.pop(key)
        while other.messages:
            self.messages.append(other.messages.pop(0))

    def take(self) -> tuple[dict[str, float], dict[tuple[str, str], Taken], list[Taken]]:
        """What was collected; begins anew. Only the collection's own thread calls it."""
        scalars, values, messages = self.scalars, self.values, self.messages
        self.scalars, self.values, self.messages = {}, {}, []
        return scalars, values, messages

    def filter(self, is_wanted: Callable[[str], bool]) -> None:
        """Throw away the values of the plugins of which ``is_wanted(plugin)`` says False."""
        unwanted = {plugin for plugin in dict.fromkeys(self._plugins()) if not is_wanted(plugin)}
        if "scalar" in unwanted:
            self.scalars = {}
        self.values = {key: taken for key, taken in self.values.items() if key[0] not in unwanted}
        self.messages = [taken for taken in self.messages if taken.plugin not in unwanted]

    def _plugins(self) -> Iterator[str]:
        if self.scalars:
            yield "scalar"
        yield from (plugin for plugin, _ in self.values)
        yield from (taken.plugin for taken in self.messages)


class _Local(threading.local):
    mine: Collection | None = None


class Collections:
    """The collections of all threads that use a recorder."""

    def __init__(self) -> None:
        self.local = _Local()
        """``mine`` is the collection of the current thread, None before its first value."""
        self._everyone: list[Collection] = []
        self._maker = threading.current_thread()  # of the recorder

    def begin(self) -> Collection:
        """The current thread's collection, made if there is none."""
        mine = self.local.mine
        if mine is None:
            mine = self.local.mine = Collection()
            self._everyone.append(mine)
        return mine

    def gather(self) -> Collection:
        """What a ``record`` of the current thread writes. Hold the recorder's lock.

        That is what it added itself, what threads that ended left, and for the thread that made the recorder also what
        threads added that never record.
        """
        mine = self.local.mine or self.begin()
        mine.records = True
        if len(self._everyone) > 1:
            self._gather_others(mine)
        return mine

    def _gather_others(self, mine: Collection) -> None:
        for other in [other for other in self._everyone if other is not mine]:
            is_over = not other.thread.is_alive()
            if is_over or (mine.thread is self._maker and not other.records):
                mine.absorb(other)
            if is_over:
                self._everyone.remove(other)
