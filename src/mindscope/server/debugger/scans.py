# SPDX-License-Identifier: Apache-2.0
"""Scans over all steps of a source that collect something of each."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeVar, cast

from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.errors import FormatError
from mindscope.server.debugger.sources import OpenSource
from mindscope.server.jobs.jobs import Jobs


class StepReceiver(Protocol):
    """Takes the steps of a source one after the other."""

    steps: list[int]
    """All steps that were added."""

    def add(self, recorded: StepStatistics) -> None: ...

    def skip(self, step: int) -> None: ...


C = TypeVar("C", bound=StepReceiver)


class _Scan:
    """Adds the steps of one rank to a collector."""

    def __init__(self, opened: OpenSource, rank: int, steps: tuple[int, ...], collector: StepReceiver) -> None:
        self._opened = opened
        self._rank = rank
        self._steps = steps
        self.collector = collector

    @property
    def is_complete(self) -> bool:
        return len(self.collector.steps) == len(self._steps)

    def take_over(self, earlier: _Scan) -> None:
        """Continue, unless the source has other steps now, as after a restart of the training."""
        collected = earlier.collector.steps
        if list(self._steps[: len(collected)]) == collected:
            self.collector = earlier.collector

    def run_step(self) -> None:
        step = self._steps[len(self.collector.steps)]
        try:
            self.collector.add(self._opened.read(step, self._rank))
        except (FormatError, OSError):
            self.collector.skip(step)  # the table of this step says why


class Scans(Jobs[Hashable, _Scan]):
    """The collectors of the last scans, by source, rank and what they collect. For any thread."""

    most = 6

    def collect(
        self, opened: OpenSource, rank: int, what: Hashable, make: Callable[[], C], look: Callable[[C], Any]
    ) -> Any:
        """Read further steps into the collector of ``what``, at least one, and return what ``look`` sees in it."""
        steps = tuple(opened.source.steps(rank))
        return self.advance(
            (opened.key, rank, what),
            (opened, steps),
            lambda: _Scan(opened, rank, steps, make()),
            lambda scan: look(cast("C", scan.collector)),
        )
