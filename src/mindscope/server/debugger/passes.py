# SPDX-License-Identifier: Apache-2.0
"""Work over the steps of sources that continues with the next request, and takes up steps that came since."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.errors import FormatError
from mindscope.lru import LRU
from mindscope.server.debugger.sources import MOST_OPEN, OpenSource
from mindscope.server.http.disconnect import check_connected

BUDGET_S = 0.4
"""A request reads steps for this long, and answers with what it has."""


class Pass(Protocol):
    """Work over one version of a source."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to read."""
        ...

    def take_over(self, earlier: Any) -> None:
        """Continue the work over an earlier version."""
        ...

    def read_next(self) -> None: ...


P = TypeVar("P", bound=Pass)
A = TypeVar("A")


@dataclass(eq=False)
class _Slot(Generic[P]):
    work: P | None = None
    version: object = None
    lock: Lock = field(default_factory=Lock)


class Passes(Generic[P]):
    """The ``most`` passes that were used last. For any thread."""

    most = MOST_OPEN

    def __init__(self, budget_s: float = BUDGET_S) -> None:
        self._budget_s = budget_s
        self._slots: LRU[Hashable, _Slot[P]] = LRU(self.most)

    def use(self, key: Hashable, version: object, make: Callable[[], P], look: Callable[[P], A]) -> A:
        """Return what ``look`` sees in the pass of ``key``. No other thread uses it during the call.

        Another ``version`` than that of the last request makes a pass that continues the last one.
        """
        slot = self._slots.get_or_add(key, _Slot[P])
        with slot.lock:
            if slot.work is None or slot.version != version:
                made = make()
                if slot.work is not None:
                    made.take_over(slot.work)
                slot.work, slot.version = made, version
            return look(slot.work)

    def advance(self, key: Hashable, version: object, make: Callable[[], P], look: Callable[[P], A]) -> A:
        """As ``use``, after reading further, at least one step. Raises as ``read_further``."""

        def advanced(work: P) -> A:
            self.read_further(work)
            return look(work)

        return self.use(key, version, make, advanced)

    def read_further(self, work: P) -> None:
        """Read at least one step of a pass that is used. Raises as ``Pass.read_next``, and ClientDisconnectedError."""
        deadline = time.monotonic() + self._budget_s
        while not work.is_complete:
            check_connected()  # before the step, which counts as read when it fails
            work.read_next()
            if time.monotonic() > deadline:
                break


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
