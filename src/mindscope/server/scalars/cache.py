# SPDX-License-Identifier: Apache-2.0
"""LRU cache of long curves with their reduction pyramids, so that a query costs as much as its pixels."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from threading import Lock

import numpy as np
from anyio import CapacityLimiter

from mindscope.lru import LRU
from mindscope.stats import ChunkedArray, Columns, GrowingCurve, Task, run_serially
from mindscope.store import SCALAR_LAYOUT, Hidden, ScalarSeries, VisibleRows

LONG = 1 << 16
"""A curve with fewer points is not cached: its reduction takes less than a millisecond."""

SHORT_QUERY = 1 << 20
"""Queries with at most this number of points run one by one; each takes at most some tens of milliseconds."""

KEPT_BYTES = 512 << 20
"""Memory of the cache: two curves of 50 M points, each with a smoothed line, or hundreds of 1 M points."""

THREADS = min(4, os.cpu_count() or 1)

Key = tuple[str, str, bool]
"""Run, tag, and whether the curve has overwritten points."""


class CachedCurve:
    """A curve; its users hold ``lock``."""

    def __init__(self, is_long: bool) -> None:
        self.lock = Lock()
        self.curve = GrowingCurve(has_pyramids=is_long)
        self.hidden = Hidden(0, 0)
        """Points of the series that are not in the curve."""
        self._series: ScalarSeries | None = None  # of the curve
        self._version = -1  # of that series, when the curve was made
        self._columns: Columns | None = None
        self._stem: object = None  # of these columns

    def show(self, series: ScalarSeries, overwritten: bool, weights: Sequence[float], pool: ThreadPoolExecutor) -> int:
        """Update the curve to the current points of the series; returns the version of the series."""
        version = series.version  # read before the points, so that no append is missed
        continues = True
        if self._columns is None or series is not self._series or version != self._version:
            visible = series.visible_parts(overwritten)
            continues = visible.prefix_id is self._stem
            self._columns, self._stem, self.hidden = _columns(visible), visible.prefix_id, visible.hidden
            self._series, self._version = series, version

        do = run_serially if self._columns[0].size < LONG else partial(_at_once, pool)
        self.curve.show(self._columns, weights, do, continues=continues)
        return version


class CurveCache:
    """The last used long curves, within ``kept_bytes``; the last one may be larger. For any thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._curves: LRU[Key, CachedCurve] = LRU(kept_bytes, lambda cached: cached.curve.nbytes)
        self.short_queries = CapacityLimiter(1)
        """Queries of short curves run one by one. They are many small calls of NumPy, each of which releases the GIL:
        parallel threads would spend two fifths of the processor on switching it."""
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="curves")

    def __len__(self) -> int:
        return len(self._curves)

    @contextmanager
    def open(self, key: Key, series: ScalarSeries) -> Generator[CachedCurve]:
        """Lock the curve of a series; a short curve is always new."""
        if len(series) < LONG:
            yield CachedCurve(is_long=False)
            return
        cached = self._curves.get_or_add(key, lambda: CachedCurve(is_long=True))
        with cached.lock:
            yield cached
            self._curves.add(key, cached)  # it has grown


def _at_once(pool: ThreadPoolExecutor, tasks: Iterable[Task]) -> None:
    """Run all tasks in a pool. Raises the error of a task after all have ended."""
    for done in wait([pool.submit(task) for task in tasks]).done:
        done.result()


def _columns(visible: VisibleRows) -> Columns:
    step, wall_time, value = (  # the empty part sets the dtype of a series without parts
        ChunkedArray([*(part[name] for part in visible.parts), np.empty(0, dtype)])
        for name, dtype in SCALAR_LAYOUT.items()
    )
    return step, wall_time, value
