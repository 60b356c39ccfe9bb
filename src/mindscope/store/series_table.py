# SPDX-License-Identifier: Apache-2.0
"""The series of one run by kind and tag."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.kinds import KINDS
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
    """All series of a run, in the order of first occurrence. Its owner holds ``store_lock.lock`` for every change."""

    def __init__(self, store_lock: StoreLock, ranks: FileRanks) -> None:
        self._store_lock = store_lock
        self._ranks = ranks
        self._known: dict[SeriesKey, ScalarSeries | ReferenceSeries] = {}
        self._cached: CachedStore | None = None  # series from the cache, until ``all`` makes them
        self._cached_version = 0  # version of these series

    def restore(self, saved: CachedStore, version: int) -> None:
        """Restore the series of ``saved``, with ``version``. The table must be new."""
        self._cached, self._cached_version = saved, version

    @property
    def all(self) -> dict[SeriesKey, ScalarSeries | ReferenceSeries]:
        """The table itself; the first access makes the series of the cache, because most runs are only listed."""
        if self._cached is not None:
            with self._store_lock.lock:
                self._restore_cached()
        return self._known

    def extend(self, key: SeriesKey, file: int, rows: Mapping[str, NDArray[Any]]) -> int:
        """Append rows of a file to a series, which it creates if needed; returns how many."""
        count = rows["step"].size
        if count:
            series = self.all.get(key)
            if series is None:
                series = self._known[key] = self._new(key[0])
            series.extend(file, rows)
        return count

    def counts_of(self, file: int) -> dict[SeriesKey, int]:
        """Number of rows of a file, by series."""
        return {key: series.points.count_of(file) for key, series in self.all.items()}

    def forget(self, files: Collection[int]) -> None:
        """Remove all rows of some files. Raises ChunkDamagedError if those of other files can't be read."""
        for series in self.all.values():
            series.forget(files)
        self.drop_empty()

    def clear(self) -> None:
        """Remove all rows. Keeps the series objects, because readers may hold them."""
        for series in self.all.values():
            series.clear()

    def drop_empty(self) -> None:
        """Remove tags without values."""
        for key in [key for key, series in self.all.items() if len(series) == 0]:
            del self._known[key]

    @property
    def unsaved_count(self) -> int:
        """Number of unsealed rows."""
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
        """Return the number of values that the recorder dropped, by its latest count. Raises ChunkDamagedError."""
        saved = self._cached
        if saved is not None:
            return saved.dropped
        series = self.scalars(DROPPED_TAG)
        return 0 if series is None else _last_count(series.points.visible())

    def to_json(self, chunks: tuple[Chunk, ...]) -> bytes:
        """Return the table without the points, which must be sealed in ``chunks``."""
        return write_series(((*key, series.points) for key, series in self.all.items()), chunks)

    def _restore_cached(self) -> None:
        for kind, tag, slices, state in read_series(self._cached) if self._cached else ():
            series = self._known[kind, tag] = self._new(kind)
            series.restore(slices, state, self._cached_version)
        self._cached = None

    def _new(self, kind: Kind) -> ScalarSeries | ReferenceSeries:
        if kind is Kind.SCALAR:
            return ScalarSeries(self._ranks, self._store_lock)
        return ReferenceSeries(self._ranks, self._store_lock, KINDS[kind].has_progress)


def _last_count(points: Columns) -> int:
    count = points["value"][-1:]
    return int(count[0]) if count.size and np.isfinite(count[0]) else 0
