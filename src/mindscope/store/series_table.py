# SPDX-License-Identifier: Apache-2.0
"""The series of one run by kind and tag."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.store.cache_codec import CachedStore, read_series, write_series
from mindscope.store.chunk import Chunk, Columns
from mindscope.store.file_ranks import FileRanks
from mindscope.store.series import ReferenceSeries, ScalarSeries
from mindscope.store.store_lock import StoreLock
from mindscope.types import Kind

DROPPED_TAG = "mindscope/dropped"
REASONS_TAG = "mindscope/dropped_reasons"

SeriesKey = tuple[Kind, str]


class SeriesTable:
    """All series of a run, in the order of first sight. Its owner holds ``store_lock.lock`` to change anything."""

    def __init__(self, store_lock: StoreLock, ranks: FileRanks) -> None:
        self._store_lock = store_lock
        self._ranks = ranks
        self._known: dict[SeriesKey, ScalarSeries | ReferenceSeries] = {}
        self._cached: CachedStore | None = None  # what the cache knows, until the series are asked for
        self._cached_version = 0  # of the series in it

    def restore(self, saved: CachedStore, version: int) -> None:
        """Be as when ``saved`` was made; its series are of ``version``. The table must be new."""
        self._cached, self._cached_version = saved, version

    @property
    def all(self) -> dict[SeriesKey, ScalarSeries | ReferenceSeries]:
        """The table itself; series of the cache are made when they are first asked for: most runs are only listed."""
        if self._cached is not None:
            with self._store_lock.lock:
                self._restore_cached()
        return self._known

    def extend(self, key: SeriesKey, file: int, rows: Mapping[str, NDArray[Any]]) -> int:
        """Append rows of a file to a series, made if it is new; returns how many."""
        count = rows["step"].size
        if count:
            series = self.all.get(key)
            if series is None:
                series = self._known[key] = self._new(key[0])
            series.extend(file, rows)
        return count

    def forget(self, files: Collection[int]) -> None:
        """Take back all rows of some files. Raises ChunkDamagedError when those of others can't be had any more."""
        for series in self.all.values():
            series.forget(files)
        self.drop_empty()

    def clear(self) -> None:
        """Take back all rows; series stay those that they are, for whoever holds one."""
        for series in self.all.values():
            series.clear()

    def drop_empty(self) -> None:
        """Forget tags without a value."""
        for key in [key for key, series in self.all.items() if len(series) == 0]:
            del self._known[key]

    @property
    def unsaved_count(self) -> int:
        """Number of rows that are not sealed."""
        return sum(series.points.unsaved_count for series in self.all.values())

    def scalars(self, tag: str) -> ScalarSeries | None:
        series = self.all.get((Kind.SCALAR, tag))
        return series if isinstance(series, ScalarSeries) else None

    def references(self, kind: Kind, tag: str) -> ReferenceSeries | None:
        series = self.all.get((kind, tag))
        return series if isinstance(series, ReferenceSeries) else None

    def tag_counts(self) -> dict[Kind, int]:
        """Number of tags by kind."""
        saved = self._cached
        if saved is not None:
            return dict(saved.tag_counts)
        counts: dict[Kind, int] = {}
        for kind, _ in list(self.all):
            counts[kind] = counts.get(kind, 0) + 1
        return counts

    def count_dropped(self) -> int:
        """How many values the recorder says it had to drop, by its latest count. Raises ChunkDamagedError."""
        saved = self._cached
        if saved is not None:
            return saved.dropped
        series = self.scalars(DROPPED_TAG)
        return 0 if series is None else _last_count(series.points.visible())

    def to_json(self, chunks: tuple[Chunk, ...]) -> bytes:
        """All of it but the points, which must be sealed in ``chunks``."""
        return write_series(((*key, series.points) for key, series in self.all.items()), chunks)

    def _restore_cached(self) -> None:
        for kind, tag, slices, state in read_series(self._cached) if self._cached else ():
            series = self._known[kind, tag] = self._new(kind)
            series.restore(slices, state, self._cached_version)
        self._cached = None

    def _new(self, kind: Kind) -> ScalarSeries | ReferenceSeries:
        make = ScalarSeries if kind is Kind.SCALAR else ReferenceSeries
        return make(self._ranks, self._store_lock)


def _last_count(points: Columns) -> int:
    count = points["value"][-1:]
    return int(count[0]) if count.size and np.isfinite(count[0]) else 0
