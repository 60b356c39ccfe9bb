# SPDX-License-Identifier: Apache-2.0
"""Incremental statistics over growing series: recomputed only where a series changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from mindscope.stats.alignment import Floats, XYSeries, common_x
from mindscope.stats.group_statistics import TraceStatistics, trace_statistics


@dataclass(frozen=True, slots=True, eq=False)
class GrowingStatistics:
    """The statistics of ``traces`` at every ``x`` of any of them, ascending.

    ``computed`` counts the x that this call computed instead of reusing an earlier result.
    """

    traces: tuple[XYSeries, ...]
    x: Floats
    statistics: TraceStatistics
    computed: int

    @property
    def nbytes(self) -> int:
        """Memory in bytes; arrays that traces share count for each."""
        return self.x.nbytes * (1 + len(fields(TraceStatistics))) + sum(
            trace.x.nbytes + trace.y.nbytes for trace in self.traces
        )


def grow_statistics(
    traces: Sequence[XYSeries], is_joined: bool, before: GrowingStatistics | None = None
) -> GrowingStatistics:
    """Return the statistics of ``traces``, as ``trace_statistics`` returns them; ``before`` is an earlier result.

    A series may have grown, or differ from some point on. Reuses what lies before the first change and after all ends.
    """
    current = tuple(traces)
    if before is None or len(before.traces) != len(current):
        x = common_x(current, None)
        return GrowingStatistics(current, x, trace_statistics(current, x, is_joined), x.size)
    low, high = _changed(before.traces, current)
    if low > high:
        return GrowingStatistics(current, before.x, before.statistics, 0)
    start, stop = int(np.searchsorted(before.x, low, "left")), int(np.searchsorted(before.x, high, "right"))
    x = common_x([_within(each, low, high) for each in current], None)
    new = trace_statistics(current, x, is_joined)
    columns = {
        field.name: _spliced(getattr(before.statistics, field.name), start, stop, getattr(new, field.name))
        for field in fields(TraceStatistics)
    }
    return GrowingStatistics(current, _spliced(before.x, start, stop, x), TraceStatistics(**columns), x.size)


def _spliced(known: Floats, start: int, stop: int, new: Floats) -> Floats:
    """Return ``known`` with other numbers from ``start`` to ``stop``."""
    return np.concatenate([known[:start], new, known[stop:]])


def _within(trace: XYSeries, low: float, high: float) -> XYSeries:
    start, stop = int(np.searchsorted(trace.x, low, "left")), int(np.searchsorted(trace.x, high, "right"))
    return XYSeries(trace.x[start:stop], trace.y[start:stop])


def _changed(before: Sequence[XYSeries], now: Sequence[XYSeries]) -> tuple[float, float]:
    """Return the x between which anything may have changed.

    They are from the last point that stayed to the last one that is or was.

    From infinity to minus infinity where nothing did.
    """
    low, high = math.inf, -math.inf
    for old, new in zip(before, now, strict=True):
        same = _same_points(old, new)
        if same < max(old.x.size, new.x.size):
            low = min(low, float(new.x[same - 1]) if same else -math.inf)
            high = max([high, *(float(each.x[-1]) for each in (old, new) if each.x.size)])
    return low, high


def _same_points(old: XYSeries, new: XYSeries) -> int:
    """Return the number of points that both begin with."""
    if old is new:
        return old.x.size
    size = min(old.x.size, new.x.size)
    was, now = old.y[:size].view(np.int64), new.y[:size].view(np.int64)  # a NaN is equal to itself
    if np.array_equal(old.x[:size], new.x[:size]) and np.array_equal(was, now):
        return size
    return int(np.argmax((old.x[:size] != new.x[:size]) | (was != now)))
