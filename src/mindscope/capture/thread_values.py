# SPDX-License-Identifier: Apache-2.0
"""Values between ``add_value`` and ``record``, by thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from mindscope.capture.pending import PendingValue


class ThreadValues:
    """Values that one thread added since its last ``record``.

    The thread adds without a lock: each change here is one atomic operation on a dict or list. Threads that call
    ``record`` hold the recorder's lock.
    """

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self.records = False
        """Whether the thread has called ``record``; then no other thread records its values while it is alive."""
        self.scalars: dict[str, float] = {}
        self.values: dict[tuple[str, str], PendingValue] = {}
        """Tagged values that are no scalars, by plugin and tag."""
        self.messages: list[PendingValue] = []
        """Messages of graphs and lineage."""

    def merge(self, other: ThreadValues) -> None:
        """Move the values of another thread here one by one, because that thread may add more at the same time."""
        for tag in list(other.scalars):
            self.scalars[tag] = other.scalars.pop(tag)
        for key in list(other.values):
            self.values[key] = other.values.pop(key)
        while other.messages:
            self.messages.append(other.messages.pop(0))

    def pop_all(self) -> tuple[dict[str, float], dict[tuple[str, str], PendingValue], list[PendingValue]]:
        """Remove and return all values. Call it only on their own thread."""
        scalars, values, messages = self.scalars, self.values, self.messages
        self.scalars, self.values, self.messages = {}, {}, []
        return scalars, values, messages

    def filter(self, is_wanted: Callable[[str], bool]) -> None:
        """Discard the values of plugins for which ``is_wanted(plugin)`` is False."""
        unwanted = {plugin for plugin in dict.fromkeys(self._plugins()) if not is_wanted(plugin)}
        if "scalar" in unwanted:
            self.scalars = {}
        self.values = {key: pending for key, pending in self.values.items() if key[0] not in unwanted}
        self.messages = [pending for pending in self.messages if pending.plugin not in unwanted]

    def _plugins(self) -> Iterator[str]:
        if self.scalars:
            yield "scalar"
        yield from (plugin for plugin, _ in self.values)
        yield from (pending.plugin for pending in self.messages)


class _Local(threading.local):
    own: ThreadValues | None = None


class ValuesByThread:
    """The values of all threads that use a recorder."""

    def __init__(self) -> None:
        self.local = _Local()
        """``own`` holds the values of the current thread, None before its first value."""
        self._all: list[ThreadValues] = []
        self._creator = threading.current_thread()  # of the recorder

    def current(self) -> ThreadValues:
        """Return the values of the current thread; creates them if needed."""
        own = self.local.own
        if own is None:
            own = self.local.own = ThreadValues()
            self._all.append(own)
        return own

    def collect(self) -> ThreadValues:
        """Return the values that a ``record`` of the current thread writes. Hold the recorder's lock.

        These are its own values and those of ended threads. For the thread that created the recorder, also the values
        of threads that never call ``record``.
        """
        own = self.local.own or self.current()
        own.records = True
        if len(self._all) > 1:
            self._collect_others(own)
        return own

    def _collect_others(self, own: ThreadValues) -> None:
        for other in [other for other in self._all if other is not own]:
            is_over = not other.thread.is_alive()
            if is_over or (own.thread is self._creator and not other.records):
                own.merge(other)
            if is_over:
                self._all.remove(other)
