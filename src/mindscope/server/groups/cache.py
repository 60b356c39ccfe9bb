# SPDX-License-Identifier: Apache-2.0
"""Statistics of groups of runs, remembered, and brought up to date where their runs grew."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

import numpy as np

from mindscope.analysis.groups import Alignment
from mindscope.ingest import Catalog
from mindscope.reasons import Reason
from mindscope.server.expressions.schema import ExpressionView
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.series_errors import series_reason
from mindscope.stats.alignment import Floats, Trace, common_x, trace
from mindscope.stats.growing_spread import GrowingSpread, grow_spread
from mindscope.stats.spread import Spread, spread
from mindscope.store import RunStore

KEPT_BYTES = 512 << 20
"""Statistics take 72 bytes for each x, and each run 16 bytes a point: twenty runs of a million points fit."""
NO_POINTS = Trace(np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class RunTrace:
    """The points of a run, as of a version of its store; ``problem`` says why it has none."""

    store: RunStore | None
    version: int
    trace: Trace = NO_POINTS
    problem: Reason | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GroupSpread:
    """The statistics at each ``x``, of so many ``runs``; ``problems`` says by run why others have no points.

    ``computed`` is at how many x they were computed for this look; else they are known from an earlier one.
    """

    x: Floats
    spread: Spread
    runs: int
    problems: Mapping[str, Reason]
    computed: int


@dataclass(frozen=True, slots=True)
class GroupKey:
    """What the statistics of a group depend on beside the points of its runs."""

    runs: tuple[str, ...]
    y: str
    view: str  # axis, x and smoothing as JSON
    alignment: Alignment


@dataclass(frozen=True, slots=True, eq=False)
class KnownGroup:
    """A group over all x, and the points of its runs."""

    traces: tuple[RunTrace, ...]
    grown: GrowingSpread


class GroupCache:
    """The groups that were asked for last, within ``kept_bytes``. For any thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._lock = Lock()
        self._known: OrderedDict[GroupKey, KnownGroup] = OrderedDict()  # the one used last at the end

    def get(
        self, catalog: Catalog, runs: tuple[str, ...], y: str, view: ExpressionView, alignment: Alignment
    ) -> GroupSpread:
        """The statistics at least in the range of ``view``, with a neighbour on each side of it.

        Of runs that did not change nothing is read, and of those that grew statistics are computed where they did.
        """
        key = GroupKey(runs, y, view.model_dump_json(include={"axis", "x", "smoothing"}), alignment)
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
        before = (None,) * len(runs) if known is None else known.traces
        traces = tuple(_trace(catalog, id, y, view, old) for id, old in zip(while_connected(runs), before, strict=True))
        is_joined = alignment is Alignment.LINEAR
        if known is not None and all(new is old for new, old in zip(traces, known.traces, strict=True)):
            return _answer(runs, traces, known.grown.x, known.grown.spread, 0)
        if known is None and view.range is not None:
            points = [each.trace for each in traces]
            x = common_x(points, view.range)
            return _answer(runs, traces, x, spread(points, x, is_joined), x.size)
        grown = grow_spread([each.trace for each in traces], is_joined, None if known is None else known.grown)
        self._keep(key, KnownGroup(traces, grown))
        return _answer(runs, traces, grown.x, grown.spread, grown.computed)

    def _keep(self, key: GroupKey, known: KnownGroup) -> None:
        with self._lock:
            self._known[key] = known
            self._known.move_to_end(key)
            size = sum(each.grown.nbytes for each in self._known.values())
            while size > self._kept_bytes:
                _, oldest = self._known.popitem(last=False)
                size -= oldest.grown.nbytes


def _trace(catalog: Catalog, id: str, y: str, view: ExpressionView, known: RunTrace | None) -> RunTrace:
    """The points of a run; ``known`` itself while its store is as it was."""
    store = catalog.runs.get(id)
    version = -1 if store is None else store.version  # before the points
    if known is not None and known.store is store and known.version == version:
        return known
    try:
        points = view.points(catalog.run(id), y)
    except Exception as error:
        return RunTrace(store, version, problem=series_reason(error, id, y))
    return RunTrace(store, version, trace(points.x, points.smoothed))


def _answer(
    runs: tuple[str, ...], traces: tuple[RunTrace, ...], x: Floats, stats: Spread, computed: int
) -> GroupSpread:
    problems = {id: each.problem for id, each in zip(runs, traces, strict=True) if each.problem is not None}
    return GroupSpread(x, stats, len(runs) - len(problems), problems, computed)
