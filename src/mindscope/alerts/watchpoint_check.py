# SPDX-License-Identifier: Apache-2.0
"""Watchpoints over the debugging data of one training, step by step."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from mindscope.alerts.alert import Finding
from mindscope.alerts.hit_episodes import HitEpisode, HitEpisodes
from mindscope.alerts.rules import Rule
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.watchpoints import Hit, WatchpointSearch
from mindscope.errors import FormatError
from mindscope.reading.debug import RecordedSource


class WatchpointCheck:
    """Evaluates each step once, also of a training that records further ones. One thread at a time.

    Args:
        rules: watchpoints.
        calm: recorded steps without a hit that end an episode.
        most_rows: of data that are long at first, only the newest steps with about this many rows are evaluated.
    """

    def __init__(self, rules: Sequence[Rule], calm: int, most_rows: int | None = None) -> None:
        self.rules = tuple(rules)
        self._watchpoints = [rule.watchpoint for rule in self.rules if rule.watchpoint is not None]
        self._calm, self._most_rows = calm, most_rows
        self._first_steps: dict[int, int] = {}  # by rank: steps before it are left out
        self._steps: dict[int, Sequence[int]] = {}  # by rank
        self._source: DebugSource | None = None
        self._search: WatchpointSearch | None = None
        self._episodes: list[HitEpisodes] = []  # of each rule

    @property
    def source(self) -> DebugSource | None:
        """The data as of the last ``update``."""
        return self._source

    @property
    def is_over(self) -> bool:
        """Whether all steps are evaluated."""
        return self._search is None or self._search.is_over

    def update(self, source: DebugSource, *, is_growing: bool) -> None:
        """Continue with newer data of the same training; ``is_growing``: further steps may come."""
        self._source, self._steps = source, {rank: source.steps(rank) for rank in source.ranks}
        search = WatchpointSearch(
            source, self._watchpoints, most_hits=0, read=self._read, is_growing=is_growing, on_hits=self._add
        )
        if self._search is None or not search.take_over(self._search):
            self._episodes = [HitEpisodes(self._calm) for _ in self._watchpoints]
            self._first_steps = self._newest(source)
        self._search = search

    def read_next(self) -> None:
        """Evaluate the next step. Raises DebugDataError."""
        if self._search is not None:
            self._search.read_next()

    def findings(self) -> Iterator[tuple[Rule, HitEpisode, Finding]]:
        """Yield the episodes of each rule so far."""
        steps = max(map(len, self._steps.values()), default=0)
        for rule, episodes in zip(self.rules, self._episodes, strict=True):
            for episode, finding in episodes.findings(steps):
                yield rule, episode, finding

    def _newest(self, source: DebugSource) -> dict[int, int]:
        if self._most_rows is None:
            return {}
        most = max(1, self._most_rows // max(1, len(source.tensors) * len(self._steps)))
        return {rank: steps[-most] for rank, steps in self._steps.items() if len(steps) > most}

    def _read(self, step: int, rank: int) -> StepStatistics | None:
        if self._source is None or step < self._first_steps.get(rank, step):
            return None
        try:
            return self._source.at(step, rank)
        except (FormatError, OSError):
            return None  # the run's damage says why

    def _add(self, first: Hit, count: int) -> None:
        index = bisect_left(self._steps[first.rank], first.step)
        self._episodes[first.watchpoint].add(index, first, count, self._describe)

    def _describe(self, hit: Hit) -> tuple[DebugTensor, float]:
        source = self._source
        assert source is not None
        wall_time = source.wall_time(hit.step, hit.rank) if isinstance(source, RecordedSource) else float("nan")
        return source.tensors[hit.tensor], wall_time
