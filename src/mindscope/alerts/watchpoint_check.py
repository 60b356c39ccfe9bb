# SPDX-License-Identifier: Apache-2.0
"""Watchpoints over the debugging data of a run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from mindscope.alerts.alert import Finding
from mindscope.alerts.rules import Rule
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.watchpoints import WatchpointSearch
from mindscope.debug.watchpoints.hit_groups import HitGroup
from mindscope.errors import FormatError
from mindscope.formats.tensor_statistics import steps_tag
from mindscope.reading.debug import RecordedSource, has_statistics
from mindscope.store import ReferenceSeries, RunStore
from mindscope.types import Kind

_MOST_GROUPS = 10_000


class WatchpointCheck:
    """Evaluates new steps of a run. One thread at a time."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._watchpoints = [rule.watchpoint for rule in self.rules if rule.watchpoint is not None]
        self._search: WatchpointSearch | None = None
        self._source: RecordedSource | None = None

    def read(self, store: RunStore) -> None:
        """Evaluate the steps that were recorded since the last time."""
        if not self._watchpoints or not has_statistics(store):
            return
        self._source = source = RecordedSource([store])

        def at(step: int, rank: int) -> StepStatistics | None:
            try:
                return source.at(step, rank)
            except (FormatError, OSError):
                return None  # the run's damage says why

        is_growing = store.state(time.time()) == "live"
        search = WatchpointSearch(source, self._watchpoints, most_hits=0, read=at, is_growing=is_growing)
        if self._search is not None:
            search.take_over(self._search)
        while not search.is_over:
            search.read_next()
        self._search = search

    def findings(self, store: RunStore) -> Iterator[tuple[Rule, str, Finding]]:
        """Of each rule with hits: the tensor of the first one, and all of them as one finding."""
        if self._search is None or self._source is None:
            return
        for number, rule in enumerate(self.rules):
            count, groups = self._search.groups.page(0, _MOST_GROUPS, number)
            if not count:
                continue
            first = groups[0].first
            tensor = self._source.tensors[first.tensor]
            yield rule, f"{tensor.operator} {tensor.role} {tensor.slot}", self._finding(store, groups)

    def _finding(self, store: RunStore, groups: Sequence[HitGroup]) -> Finding:
        first, last_step = groups[0].first, max(each.last.step for each in groups)
        steps: Sequence[int] = self._source.steps(first.rank) if self._source else ()
        return Finding(
            step=first.step,
            wall_time=_wall_time(store, first.step, first.rank),
            value=first.actual,
            last_step=last_step,
            count=sum(each.count for each in groups),
            is_active=bool(steps) and last_step >= steps[-1],
        )


def _wall_time(store: RunStore, step: int, rank: int) -> float:
    """When a step was recorded; NaN where that is not known."""
    series = store.series.get((Kind.TENSOR_STATISTICS, steps_tag(rank)))
    if not isinstance(series, ReferenceSeries):
        return float("nan")
    places = series.visible()
    rows = np.flatnonzero(places.step == step)
    return float(places.wall_time[rows[-1]]) if rows.size else float("nan")
