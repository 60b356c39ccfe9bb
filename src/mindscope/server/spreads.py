# SPDX-License-Identifier: Apache-2.0
"""Statistics of groups of runs, remembered while their runs stay as they are."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, fields
from threading import Lock

from mindscope.errors import ExpressionError, RunNotFoundError
from mindscope.ingest import Catalog
from mindscope.reasons import Reason, reason_of
from mindscope.server.derived_points import derive_points
from mindscope.server.derived_schema import Alignment, DerivedView
from mindscope.stats.abscissa import Range
from mindscope.stats.alignment import Floats, Trace, common_x, trace
from mindscope.stats.spread import Spread, spread
from mindscope.store import RunStore

KEPT_BYTES = 256 << 20
Versions = tuple[tuple[RunStore | None, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class GroupSpread:
    """The statistics at each ``x``, of so many ``runs``; ``problems`` says by run why others have no points."""

    x: Floats
    spread: Spread
    runs: int
    problems: dict[str, Reason]

    @property
    def nbytes(self) -> int:
        return self.x.nbytes * (1 + len(fields(Spread)))


@dataclass(frozen=True, slots=True)
class GroupKey:
    """What the statistics of a group depend on beside the points of its runs."""

    runs: tuple[str, ...]
    y: str
    view: str  # axis, x and smoothing as JSON
    alignment: Alignment


class GroupSpreads:
    """The statistics that were asked for last, over all x, within ``kept_bytes``. For any thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._lock = Lock()
        self._known: OrderedDict[GroupKey, tuple[Versions, GroupSpread]] = OrderedDict()  # the one used last at the end

    def get(
        self, catalog: Catalog, runs: tuple[str, ...], y: str, view: DerivedView, alignment: Alignment
    ) -> GroupSpread:
        """The statistics at least in the range of ``view``, with a neighbour on each side of it."""
        key = GroupKey(runs, y, view.model_dump_json(include={"axis", "x", "smoothing"}), alignment)
        stores = [catalog.runs.get(id) for id in runs]
        versions = tuple((store, -1 if store is None else store.version) for store in stores)  # before the points
        with self._lock:
            known = self._known.get(key)
            if known is not None and known[0] == versions:
                self._known.move_to_end(key)
                return known[1]
        computed = _compute(catalog, runs, y, view, alignment)
        if view.range is None:
            self._keep(key, versions, computed)
        return computed

    def _keep(self, key: GroupKey, versions: Versions, computed: GroupSpread) -> None:
        with self._lock:
            self._known[key] = (versions, computed)
            self._known.move_to_end(key)
            size = sum(each.nbytes for _, each in self._known.values())
            while size > self._kept_bytes:
                _, (_, oldest) = self._known.popitem(last=False)
                size -= oldest.nbytes


def _compute(catalog: Catalog, runs: tuple[str, ...], y: str, view: DerivedView, alignment: Alignment) -> GroupSpread:
    traces: list[Trace] = []
    problems: dict[str, Reason] = {}
    for id in runs:
        try:
            points = derive_points(catalog.run(id), y, view)
        except (RunNotFoundError, ExpressionError) as error:
            problems[id] = reason_of(error)
        else:
            traces.append(trace(points.x, points.smoothed))
    range: Range | None = view.range
    x = common_x(traces, range)
    return GroupSpread(x, spread(traces, x, alignment is Alignment.LINEAR), len(traces), problems)
