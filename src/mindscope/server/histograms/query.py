# SPDX-License-Identifier: Apache-2.0
"""Histograms over steps as columns, merged into at most the rows of a view without loss of counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.expressions import Axis
from mindscope.analysis.histograms import MergedHistogram, step_groups
from mindscope.analysis.stored_values import StoredValues, find_values, signature
from mindscope.ingest import Catalog
from mindscope.server.histograms.cache import HistogramCache
from mindscope.server.histograms.schema import HistogramColumns, HistogramSeries, HistogramsHeader, HistogramsQuery
from mindscope.server.http.columns import Packed, each_once, pack
from mindscope.server.http.cursor import cursor_of, kept_rows
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.schema import ReasonEntry, SeriesName
from mindscope.server.http.series_errors import series_reason
from mindscope.store import ReferenceColumns
from mindscope.types import Histogram, Kind

Floats = NDArray[np.float64]

NUMBERS: dict[str, Callable[[Histogram], float]] = {
    "minimum": lambda histogram: histogram.minimum,
    "maximum": lambda histogram: histogram.maximum,
    "sum": lambda histogram: histogram.sum,
    "total": lambda histogram: histogram.total,
    "nan": lambda histogram: histogram.nan_count,
    "positive_infinity": lambda histogram: histogram.positive_infinity_count,
    "negative_infinity": lambda histogram: histogram.negative_infinity_count,
}
BUCKETS: dict[str, Callable[[Histogram], Floats]] = {
    "left": lambda histogram: histogram.left,
    "right": lambda histogram: histogram.right,
    "count": lambda histogram: histogram.count,
}


@dataclass(frozen=True, slots=True)
class MergedRow:
    """A group of steps and its histogram."""

    group: slice
    merged: MergedHistogram


def pack_histograms(catalog: Catalog, query: HistogramsQuery, merged: HistogramCache | None = None) -> Packed:
    """Return the histograms of each series of the query, in its order; ``merged`` caches them between queries."""
    histogram_cache = HistogramCache() if merged is None else merged
    series = each_once(while_connected(query.series), lambda name: _series(catalog, name, query, histogram_cache))
    return pack(HistogramsHeader(series=list(series)))


def _series(catalog: Catalog, name: SeriesName, query: HistogramsQuery, merged: HistogramCache) -> HistogramSeries:
    empty = HistogramSeries(
        run=name.run, tag=name.tag, error=None, version=0, steps=0, in_range=0, returned=0, steps_per_row=0,
        problem=None, start_wall_time=None, first=None, last=None, cursor=None, kept=0, columns=None,
    )  # fmt: skip
    try:
        values = find_values(catalog.run(name.run), Kind.HISTOGRAM, name.tag)
        return _reduced(empty, values, name.since, query, merged)
    except Exception as error:
        return empty.model_copy(update={"error": ReasonEntry.of(series_reason(error, name.run, name.tag))})


def _reduced(
    empty: HistogramSeries, found: StoredValues, since: str | None, query: HistogramsQuery, merged: HistogramCache
) -> HistogramSeries:
    references = found.references
    start_wall_time = _start(references.wall_time)
    x = _positions(references, query.axis, start_wall_time or 0.0)
    first, stop = _bounds(x, query.range)
    reduction = step_groups(first, stop, query.rows)
    groups = reduction.groups
    known = [np.array([signature(found, group) for group in groups], np.uint64)]
    kept = kept_rows(known, since)
    rows = [MergedRow(group, merged.of(found, group, query.buckets)) for group in groups[kept:]]
    facts = {
        "version": found.version,
        "steps": len(references),
        "in_range": stop - first,
        "returned": len(groups),
        "steps_per_row": reduction.steps_per_group,
        "problem": ReasonEntry.of_text(next((row.merged.problem for row in rows if row.merged.problem), None)),
        "start_wall_time": start_wall_time,
        "first": _finite(x[:1]),
        "last": _finite(x[-1:]),
        "cursor": cursor_of(known, reduction.settled),
        "kept": kept,
        "columns": _columns(references, rows),
    }
    return empty.model_copy(update=facts)


def _columns(references: ReferenceColumns, rows: Sequence[MergedRow]) -> HistogramColumns:
    first = [row.group.start for row in rows]
    last = [row.group.stop - 1 for row in rows]
    histograms = [row.merged.histogram or NOTHING for row in rows]
    return HistogramColumns(
        step=references.step[first],
        last_step=references.step[last],
        wall_time=references.wall_time[first],
        last_wall_time=references.wall_time[last],
        merged=[row.group.stop - row.group.start for row in rows],
        unreadable=[row.merged.unreadable for row in rows],
        bucket_start=np.cumsum([0, *(histogram.left.size for histogram in histograms)]),
        **{name: [*map(pick, histograms)] for name, pick in NUMBERS.items()},
        **{name: np.concatenate([np.empty(0), *map(pick, histograms)]) for name, pick in BUCKETS.items()},
    )


NOTHING = Histogram(np.empty(0), np.empty(0), np.empty(0), np.nan, np.nan, 0.0, 0.0)
"""The histogram of steps that can't be read."""


def _positions(references: ReferenceColumns, axis: Axis, start_wall_time: float) -> NDArray[Any]:
    if axis is Axis.STEP:
        return references.step
    return references.wall_time - start_wall_time if axis is Axis.RELATIVE else references.wall_time


def _bounds(x: NDArray[Any], range: tuple[float, float] | None) -> tuple[int, int]:
    """Return the first row in ``range`` (inclusive), and the row after the last one."""
    if range is None:
        return 0, x.size
    inside = np.flatnonzero((x >= min(range)) & (x <= max(range)))
    return (int(inside[0]), int(inside[-1]) + 1) if inside.size else (0, 0)


def _start(wall_time: Floats) -> float | None:
    finite = wall_time[np.isfinite(wall_time)]
    return float(finite.min()) if finite.size else None


def _finite(x: NDArray[Any]) -> float | None:
    return float(x[0]) if x.size and np.isfinite(x[0]) else None
