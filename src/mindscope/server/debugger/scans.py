# SPDX-License-Identifier: Apache-2.0
"""Passes over all steps of a source that continue with the next request, and take up steps that came since."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Protocol, TypeVar, cast

from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.errors import FormatError
from mindscope.lru import LRU
from mindscope.server.debugger.sources import OpenSource
from mindscope.server.http.disconnect import check_connected

BUDGET_S = 0.4
"""A request reads steps for this long, and answers with what it has."""
MOST_SCANS = 6


class StepCollector(Protocol):
    """Takes the steps of a source one after the other."""

    steps: list[int]
    """All that were added."""

    def add(self, recorded: StepStatistics) -> None: ...

    def skip(self, step: int) -> None: ...


C = TypeVar("C", bound=StepCollector)


@dataclass(eq=False)
class _Scan:
    collector: StepCollector
    lock: Lock = field(default_factory=Lock)


class Scans:
    """The collectors of the last passes, by source, rank and what they collect. For any thread."""

    def __init__(self, budget_s: float = BUDGET_S) -> None:
        self._budget_s = budget_s
        self._scans: LRU[Hashable, _Scan] = LRU(MOST_SCANS)

    def advance(
        self, opened: OpenSource, rank: int, what: Hashable, make: Callable[[], C], look: Callable[[C], Any]
    ) -> Any:
        """Read further steps into the collector of ``what``, at least one, and return what ``look`` sees in it.

        A collector that holds other steps than the source, as after a restart of the training, begins again.
        """
        key = (opened.key, rank, what)
        scan = self._scans.get_or_add(key, lambda: _Scan(make()))
        with scan.lock:
            steps = opened.source.steps(rank)
            if list(steps[: len(scan.collector.steps)]) != scan.collector.steps:
                scan.collector = make()
            deadline = time.monotonic() + self._budget_s
            for step in steps[len(scan.collector.steps) :]:
                check_connected()
                _read(opened, scan.collector, step, rank)
                if time.monotonic() > deadline:
                    break
            return look(cast("C", scan.collector))


def _read(opened: OpenSource, collector: StepCollector, step: int, rank: int) -> None:
    try:
        collector.add(opened.read(step, rank))
    except (FormatError, OSError):
        collector.skip(step)  # the table of this step says why
