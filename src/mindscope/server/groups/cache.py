# SPDX-License-Identifier: Apache-2.0
"""LRU cache of statistics of groups of runs. Recomputes only the x where a run has changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mindscope.analysis.groups import GroupExpression
from mindscope.ingest import Catalog
from mindscope.lru import LRU
from mindscope.reasons import Reason
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.series_errors import series_reason
from mindscope.stats.alignment import Floats, XYSeries
from mindscope.stats.group_statistics import TraceStatistics
from mindscope.stats.growing_statistics import GrowingStatistics
from mindscope.stats.x_axis import Range
from mindscope.store import RunStore

KEPT_BYTES = 512 << 20
"""Statistics take 72 bytes per x, and each run 16 bytes per point: twenty runs of a million points fit."""
NO_POINTS = XYSeries(np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class RunTrace:
    """The points of a run at a version of its store; ``problem`` says why it has none."""

    store: RunStore | None
    version: int
    trace: XYSeries = NO_POINTS
    problem: Reason | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GroupSpread:
    """The statistics at each ``x`` over ``runs`` runs; ``problems`` says by run id why other runs have no points.

    ``computed`` counts the x at which this query computed them; at all others they come from the cache.
    ``is_interpolated``: straight lines give values of runs that have no point at an x of another run.
    """

    x: Floats
    statistics: TraceStatistics
    runs: int
    problems: Mapping[str, Reason]
    computed: int
    is_interpolated: bool


@dataclass(frozen=True, slots=True)
class GroupKey:
    """The key of the statistics of a group, besides the points of its runs."""

    runs: tuple[str, ...]
    expression: GroupExpression


@dataclass(frozen=True, slots=True, eq=False)
class KnownGroup:
    """A group over all x, and the points of its runs."""

    traces: tuple[RunTrace, ...]
    grown: GrowingStatistics
    is_interpolated: bool  # over all x; False settles it for every range


class GroupCache:
    """The last used groups, within ``kept_bytes``. For any thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._groups: LRU[GroupKey, KnownGroup] = LRU(kept_bytes, lambda group: group.grown.nbytes)

    def __len__(self) -> int:
        return len(self._groups)

    def get(
        self, catalog: Catalog, runs: tuple[str, ...], expression: GroupExpression, range: Range | None
    ) -> GroupSpread:
        """Return the statistics at least in ``range``, with a neighbor on each side of it.

        Reads only runs that have changed, and computes statistics only where they have changed.
        """
        key = GroupKey(runs, expression)
        known = self._groups.get(key)
        before = (None,) * len(runs) if known is None else known.traces
        traces = tuple(
            _trace(catalog, id, expression, old) for id, old in zip(while_connected(runs), before, strict=True)
        )
        if known is not None and all(new is old for new, old in zip(traces, known.traces, strict=True)):
            return _answer(known, runs, 0, expression, range)
        points = [trace.trace for trace in traces]
        if known is None and range is not None:
            x, statistics = expression.statistics(points, range)
            part = GrowingStatistics(tuple(points), x, statistics, x.size)
            return _answer(KnownGroup(traces, part, is_interpolated=True), runs, x.size, expression, range)
        grown = expression.grown(points, None if known is None else known.grown)
        group = self._groups.add(key, KnownGroup(traces, grown, expression.is_interpolated(points, grown.x)))
        return _answer(group, runs, grown.computed, expression, range)


def _trace(catalog: Catalog, id: str, expression: GroupExpression, known: RunTrace | None) -> RunTrace:
    """Return the points of a run; ``known`` itself if its store has not changed."""
    store = catalog.runs.get(id)
    version = -1 if store is None else store.version  # read before the points, so that no append is missed
    if known is not None and known.store is store and known.version == version:
        return known
    try:
        return RunTrace(store, version, expression.trace(catalog.run(id)))
    except Exception as error:
        return RunTrace(store, version, problem=series_reason(error, id, expression.y))


def _answer(
    group: KnownGroup, runs: tuple[str, ...], computed: int, expression: GroupExpression, range: Range | None
) -> GroupSpread:
    problems = {id: trace.problem for id, trace in zip(runs, group.traces, strict=True) if trace.problem is not None}
    x, is_interpolated = group.grown.x, group.is_interpolated
    if is_interpolated and range is not None:
        start, stop = int(np.searchsorted(x, min(range), "left")), int(np.searchsorted(x, max(range), "right"))
        is_interpolated = expression.is_interpolated(group.grown.traces, x[max(start - 1, 0) : stop + 1])
    return GroupSpread(x, group.grown.statistics, len(runs) - len(problems), problems, computed, is_interpolated)
