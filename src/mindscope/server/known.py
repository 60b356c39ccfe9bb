# SPDX-License-Identifier: Apache-2.0
"""What is slow to read of a run, and stays true as long as the run does not grow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from mindscope.reading import Run
from mindscope.store import RunStore

T = TypeVar("T")

LIMIT = 10_000


class KnownByRun(Generic[T]):
    """Remembers one thing of each run by the run's version. For any thread; two may read the same at once."""

    def __init__(self, read: Callable[[Run], T], limit: int = LIMIT) -> None:
        self._read = read
        self._limit = limit
        self._lock = Lock()
        self._known: OrderedDict[str, tuple[RunStore, int, T]] = OrderedDict()  # by run, the longest unused first

    def get(self, store: RunStore) -> T:
        """What is read of a run now, or was when it had the same version."""
        version = store.version  # first, so that what grows meanwhile is read again
        with self._lock:
            known = self._known.get(store.id)
            if known is not None and known[0] is store and known[1] == version:
                self._known.move_to_end(store.id)
                return known[2]
        value = self._read(Run(store, lambda: False))
        with self._lock:
            self._known[store.id] = (store, version, value)
            self._known.move_to_end(store.id)
            while len(self._known) > self._limit:
                self._known.popitem(last=False)
        return value
