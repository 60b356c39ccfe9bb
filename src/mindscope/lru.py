# SPDX-License-Identifier: Apache-2.0
"""The cache of the values that were used last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


def _one(value: Any) -> int:
    return 1


class LRU(Generic[K, V]):
    """A mapping that drops the least recently used values beyond ``limit``. For any thread.

    ``weigh`` gives what a value counts when it is added, such as its bytes; without it each counts 1. The value that
    was added last stays, whatever it weighs.
    """

    def __init__(self, limit: int, weigh: Callable[[V], int] = _one) -> None:
        self._limit, self._weigh = limit, weigh
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()  # the least recently used first
        self._weight = 0
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, key: K) -> V:
        with self._lock:
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def get(self, key: K) -> V | None:
        """Return the value of a key, None without one."""
        with self._lock:
            return self[key] if key in self._entries else None

    def add(self, key: K, value: V) -> V:
        """Adds a value, or weighs and replaces the one of its key. Returns it."""
        with self._lock:
            self.drop(key)
            self._entries[key] = value, self._weigh(value)
            self._weight += self._entries[key][1]
            while self._weight > self._limit and len(self._entries) > 1:
                self.drop(next(iter(self._entries)))
        return value

    def get_or_add(self, key: K, make: Callable[[], V], is_current: Callable[[V], bool] = lambda value: True) -> V:
        """Return the value of a key if it ``is_current``, else the one that ``make`` returns.

        Other threads that want the key wait for it.
        """
        with self._lock:
            if key in self._entries and is_current(self[key]):
                return self[key]
            return self.add(key, make())

    def drop(self, key: K) -> None:
        """Remove the value of a key, if there is one."""
        with self._lock:
            self._weight -= self._entries.pop(key, (None, 0))[1]

    def values(self) -> list[V]:
        """Return all values, the least recently used first."""
        with self._lock:
            return [value for value, _ in self._entries.values()]

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._entries.clear()
            self._weight = 0
