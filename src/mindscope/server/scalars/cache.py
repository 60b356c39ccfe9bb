# SPDX-License-Identifier: Apache-2.0
"""Long curves that were drawn before, kept so that the next look at them costs as much as its pixels."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from threading import Lock

import numpy as np
from anyio import CapacityLimiter

from mindscope.stats import ChunkedArray, Columns, GrowingCurve, Task, run_serially
from mindscope.store import SCALAR_LAYOUT, Hidden, ScalarSeries, VisibleRows

LONG = 1 << 16
"""Points from which on a curve is kept; a shorter one is reduced anew each time, in less than a millisecond."""

SHORT_QUERY = 1 << 20
"""Points of a query up to which it waits for its turn: it takes some tens of milliseconds at the most."""

KEPT_BYTES = 512 << 20
"""What is kept beside the points: two curves of 50 M points, each with one smoothed line, or hundreds of 1 M points."""

THREADS = min(4, os.cpu_count() or 1)

Key = tuple[str, str, bool]
"""Run, tag, and whether overwritten points are shown too."""


class CachedCurve:
    """One curve of a viewer; whoever uses it holds ``lock``."""

    def __init__(self, is_long: bool) -> None:
        self.lock = Lock()
        self.curve = GrowingCurve(has_pyramids=is_long)
        self.hidden = Hidden(0, 0)
        """Points of the series that the curve does not show."""
        self._series: ScalarSeries | None = None  # that the curve was made of
        self._version = -1  # of that series, as it then was
        self._columns: Columns | None = None
        self._stem: object = None  # of these columns

    def show(self, series: ScalarSeries, overwritten: bool, weights: Sequence[float], pool: ThreadPoolExecutor) -> int:
        """Bring the curve to the points that the series has now; returns the version of the series."""
        version = series.version  # read before the points, so that it is never newer than they are
        continues = True
        if self._columns is None or series is not self._series or version != self._version:
            shown = series.visible_parts(overwritten)
            continues = shown.prefix_id is self._stem
            self._columns, self._stem, self.hidden = _columns(shown), shown.prefix_id, shown.hidden
            self._series, self._version = series, version

        do = run_serially if self._columns[0].size < LONG else partial(_at_once, pool)
        self.curve.show(self._columns, weights, do, continues=continues)
        return version


class CurveCache:
    """The long curves that were looked at last, within ``kept_bytes`` but for the last one. For any thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._lock = Lock()
        self._curves: OrderedDict[Key, CachedCurve] = OrderedDict()  # the one looked at last at the end
        self.short_queries = CapacityLimiter(1)
        """Short curves are computed one query at a time. They are many small calls of NumPy, each of which releases the
        interpreter's lock: threads that compute them at once spend two fifths of the processor on handing it over."""
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="curves")

    def __len__(self) -> int:
        return len(self._curves)

    @contextmanager
    def open(self, key: Key, series: ScalarSeries) -> Generator[CachedCurve]:
        """The curve of a series for this thread alone; a new one when it is short or was not looked at lately."""
        if len(series) < LONG:
            yield CachedCurve(is_long=False)
            return
        with self._lock:
            drawn = self._curves.setdefault(key, CachedCurve(is_long=True))
            self._curves.move_to_end(key)
        with drawn.lock:
            yield drawn
        self._make_room()

    def _make_room(self) -> None:
        with self._lock:
            size = sum(drawn.curve.nbytes for drawn in self._curves.values())
            while size > self._kept_bytes and len(self._curves) > 1:
                _, oldest = self._curves.popitem(last=False)
                size -= oldest.curve.nbytes


def _at_once(pool: ThreadPoolExecutor, tasks: Iterable[Task]) -> None:
    """Do all tasks in the threads of a pool; raises what one of them raised when all have come to an end."""
    for done in wait([pool.submit(task) for task in tasks]).done:
        done.result()


def _columns(shown: VisibleRows) -> Columns:
    step, wall_time, value = (  # the empty one counts where there is no other
        ChunkedArray([*(part[name] for part in shown.parts), np.empty(0, dtype)])
        for name, dtype in SCALAR_LAYOUT.items()
    )
    return step, wall_time, value
