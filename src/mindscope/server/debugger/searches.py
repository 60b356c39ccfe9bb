# SPDX-License-Identifier: Apache-2.0
"""Searches over the steps of sources that continue with the next request, and take up steps that came since."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.errors import FormatError
from mindscope.lru import LRU
from mindscope.server.debugger.scans import BUDGET_S
from mindscope.server.debugger.sources import MOST_OPEN, OpenSource
from mindscope.server.http.disconnect import check_connected


class Search(Protocol):
    """A search in one version of a source."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to read."""
        ...

    def take_over(self, earlier: Any) -> None:
        """Continue a search in an earlier version."""
        ...

    def read_next(self) -> None: ...


S = TypeVar("S", bound=Search)
A = TypeVar("A")


@dataclass(eq=False)
class _Slot(Generic[S]):
    search: S | None = None
    version: Hashable = None
    lock: Lock = field(default_factory=Lock)


class Searches(Generic[S]):
    """The searches that were used last. For any thread."""

    def __init__(self, budget_s: float = BUDGET_S) -> None:
        self._budget_s = budget_s
        self._slots: LRU[Hashable, _Slot[S]] = LRU(MOST_OPEN)

    def advance(self, key: Hashable, version: Hashable, make: Callable[[], S], look: Callable[[S], A]) -> A:
        """Search further, at least one step, and return what ``look`` sees in the search of ``key``.

        Another ``version`` than that of the last request makes a search that continues the last one. Raises as
        ``Search.read_next``, and ClientDisconnectedError.
        """
        slot = self._slots.get_or_add(key, _Slot[S])
        with slot.lock:
            if slot.search is None or slot.version != version:
                made = make()
                if slot.search is not None:
                    made.take_over(slot.search)
                slot.search, slot.version = made, version
            deadline = time.monotonic() + self._budget_s
            while not slot.search.is_complete:
                check_connected()  # before the step, which counts as read when it fails
                slot.search.read_next()
                if time.monotonic() > deadline:
                    break
            return look(slot.search)


class StepReader:
    """Reads steps of a source, and counts those that it can't read."""

    def __init__(self, opened: OpenSource) -> None:
        self._opened = opened
        self.unreadable: set[int] = set()

    def __call__(self, step: int, rank: int) -> StepStatistics | None:
        """Return the step, None where it can't be read. Raises DebugDataError."""
        try:
            return self._opened.read(step, rank)
        except (FormatError, OSError):
            self.unreadable.add(step)
            return None
