# SPDX-License-Identifier: Apache-2.0
"""LRU cache of statistics of groups of runs. Recomputes only the x where a run has changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

import numpy as np

from mindscope.analysis.groups import GroupExpression
from mindscope.ingest import Catalog
from mindscope.reasons import Reason
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.series_errors import series_reason
from mindscope.stats.alignment import Floats, Trace
from mindscope.stats.group_statistics import TraceStatistics
from mindscope.stats.growing_statistics import GrowingStatistics
from mindscope.stats.x_axis import Range
from mindscope.store import RunStore

KEPT_BYTES = 512 << 20
"""Statistics take 72 bytes per x, and each run 16 bytes per point: twenty runs of a million points fit."""
NO_POINTS = Trace(np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class RunTrace:
    """The points of a run at a version of its store; ``problem`` says why it has none."""

    store: RunStore | None
    version: int
    trace: Trace = NO_POINTS
    problem: Reason | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GroupSpread:
    """The statistics at each ``x`` over ``runs`` runs; ``problems`` says by run id why other runs have no points.

    ``computed`` counts the x at which this query computed them; at all others they come from the cache.
    """

    x: Floats
    statistics: TraceStatistics
    runs: int
    problems: Mapping[str, Reason]
    computed: int


@dataclass(frozen=True, slots=True)
class GroupKey:
    """What the statistics of a group depend on, besides the points of its runs."""

    runs: tuple[str, ...]
    expression: GroupExpression


@dataclass(frozen=True, slots=True, eq=False)
class KnownGroup:
    """A group over all x, and the points of its runs."""

    traces: tuple[RunTrace, ...]
    grown: GrowingStatistics


class GroupCache:
    """The last used groups, within ``kept_bytes``. For any thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._lock = Lock()
        self._known: OrderedDict[GroupKey, KnownGroup] = OrderedDict()  # the last used one at the end

    def get(
        self, catalog: Catalog, runs: tuple[str, ...], expression: GroupExpression, range: Range | None
    ) -> GroupSpread:
        """The statistics at least in ``range``, with a neighbor on each side of it.

        Reads only runs that have changed, and computes statistics only where they have changed.
        """
        key = GroupKey(runs, expression)
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
        before = (None,) * len(runs) if known is None else known.traces
        traces = tuple(
            _trace(catalog, id, expression, old) for id, old in zip(while_connected(runs), before, strict=True)
        )
        if known is not None and all(new is old for new, old in zip(traces, known.traces, strict=True)):
            return _answer(runs, traces, known.grown.x, known.grown.statistics, 0)
        points = [each.trace for each in traces]
        if known is None and range is not None:
            x, statistics = expression.statistics(points, range)
            return _answer(runs, traces, x, statistics, x.size)
        grown = expression.grown(points, None if known is None else known.grown)
        self._keep(key, KnownGroup(traces, grown))
        return _answer(runs, traces, grown.x, grown.statistics, grown.computed)

    def _keep(self, key: GroupKey, known: KnownGroup) -> None:
        with self._lock:
            self._known[key] = known
            self._known.move_to_end(key)
            size = sum(each.grown.nbytes for each in self._known.values())
            while size > self._kept_bytes:
                _, oldest = self._known.popitem(last=False)
                size -= oldest.grown.nbytes


def _trace(catalog: Catalog, id: str, expression: GroupExpression, known: RunTrace | None) -> RunTrace:
    """The points of a run; ``known`` itself if its store has not changed."""
    store = catalog.runs.get(id)
    version = -1 if store is None else store.version  # read before the points, so that no append is missed
    if known is not None and known.store is store and known.version == version:
        return known
    try:
        return RunTrace(store, version, expression.trace(catalog.run(id)))
    except Exception as error:
        return RunTrace(store, version, problem=series_reason(error, id, expression.y))


def _answer(
    runs: tuple[str, ...], traces: tuple[RunTrace, ...], x: Floats, stats: TraceStatistics, computed: int
) -> GroupSpread:
    problems = {id: each.problem for id, each in zip(runs, traces, strict=True) if each.problem is not None}
    return GroupSpread(x, stats, len(runs) - len(problems), problems, computed)
