# SPDX-License-Identifier: Apache-2.0
"""Hits of a watchpoint, joined to episodes step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mindscope.alerts.alert import Finding
from mindscope.alerts.episodes import MOST_EPISODES
from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.watchpoints import Hit

MOST_RANGES = 50
"""Limit of the ranges of one episode: later hits extend the last one."""


@dataclass(slots=True, eq=False)
class HitEpisode:
    """Hits with few recorded steps without any between them."""

    first: Hit
    tensor: DebugTensor
    """Tensor of the first hit."""
    wall_time: float
    ranges: list[tuple[int, int]]
    """First and last of consecutive recorded steps with hits."""
    last_index: int
    """Index of the last step with hits among the recorded steps of its rank."""
    count: int
    finding: Finding | None = None
    """The last one; it stays the same object while nothing changes, because NaN does not equal itself."""

    def add(self, index: int, step: int, count: int) -> None:
        """Add the hits of a step. A rank that is later than the others only adds to the count."""
        self.count += count
        if index <= self.last_index:
            return
        begin, last = self.ranges[-1]
        if index == self.last_index + 1 or len(self.ranges) == MOST_RANGES:
            self.ranges[-1] = begin, max(last, step)
        else:
            self.ranges.append((step, step))
        self.last_index = index

    def as_finding(self, *, is_active: bool) -> Finding:
        """Return the episode as of now."""
        last = self.ranges[-1][1]
        finding = self.finding
        if finding is not None and (finding.count, finding.last_step, finding.is_active) == (
            self.count,
            last,
            is_active,
        ):
            return finding
        first = self.first
        self.finding = Finding(first.step, self.wall_time, first.actual, last, self.count, is_active)
        return self.finding


class HitEpisodes:
    """The episodes of one watchpoint: one ends before ``calm`` recorded steps without a hit."""

    def __init__(self, calm: int) -> None:
        self._calm = calm
        self.all: list[HitEpisode] = []
        """Episodes, the oldest first."""

    def add(self, index: int, first: Hit, count: int, describe: Callable[[Hit], tuple[DebugTensor, float]]) -> None:
        """Add the hits of the step at an index among the recorded steps; ``describe`` gives tensor and wall time."""
        last = self.all[-1] if self.all else None
        if last is not None and (index - last.last_index <= self._calm or len(self.all) == MOST_EPISODES):
            last.add(index, first.step, count)
            return
        tensor, wall_time = describe(first)
        self.all.append(HitEpisode(first, tensor, wall_time, [(first.step, first.step)], index, count))

    def findings(self, steps: int) -> list[tuple[HitEpisode, Finding]]:
        """Return all episodes after this number of recorded steps."""
        return [
            (each, each.as_finding(is_active=each is self.all[-1] and steps - 1 - each.last_index < self._calm))
            for each in self.all
        ]
