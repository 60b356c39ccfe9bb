# SPDX-License-Identifier: Apache-2.0
"""Series of one tag and kind: scalars hold their values, all other kinds hold references to their values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.store.chunk import REFERENCE_LAYOUT, SCALAR_LAYOUT, WIDE_SCALAR_LAYOUT, ChunkSlice, Layout
from mindscope.store.file_ranks import FileRanks
from mindscope.store.series_points import SeriesPoints
from mindscope.store.store_lock import StoreLock
from mindscope.store.visible_rows import Hidden, VisibleRows, VisibleRowTracker, written_rows


@dataclass(frozen=True, slots=True, eq=False)
class ScalarColumns:
    """Points of a scalar series; four read-only arrays of shape (n,). ``file`` is the ordinal in the run.

    ``value`` is float32, or float64 if one of the values does not fit float32.
    """

    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    file: NDArray[np.int32]
    value: NDArray[np.floating[Any]]

    def __len__(self) -> int:
        return self.step.size


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceColumns:
    """References to values; five read-only arrays of shape (n,). ``offset`` and ``length`` are bytes of ``file``."""

    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    file: NDArray[np.int32]
    offset: NDArray[np.int64]
    length: NDArray[np.int64]

    def __len__(self) -> int:
        return self.step.size

    def take(self, rows: slice) -> ReferenceColumns:
        """Return some of the values."""
        return ReferenceColumns(
            self.step[rows], self.wall_time[rows], self.file[rows], self.offset[rows], self.length[rows]
        )


AnyColumns = TypeVar("AnyColumns", ScalarColumns, ReferenceColumns)


class Series(Generic[AnyColumns]):
    """The points of a tag of one kind. Other threads may read during appends: returned objects never change."""

    __slots__ = ("_changes", "_columns", "_ranks", "_store_lock", "_tracker", "points")

    def __init__(
        self,
        ranks: FileRanks,
        store_lock: StoreLock,
        layout: Layout,
        columns: type[AnyColumns],
        has_progress: bool = True,
    ) -> None:
        self._store_lock = store_lock
        self._columns = columns
        self._tracker = VisibleRowTracker()
        self.points = SeriesPoints(ranks, layout, store_lock.column_cache, has_progress)
        """The points, for the store, which owns the lock."""
        self._ranks = ranks
        self._changes = 0  # count of changes of the points

    def __len__(self) -> int:
        """Number of points, hidden ones included."""
        return len(self.points)

    @property
    def version(self) -> int:
        """Grows with every change of the points, and of the file relations that decide which are visible."""
        return self._changes + self._ranks.version

    def restore(self, slices: tuple[ChunkSlice, ...], state: Sequence[Any], version: int) -> None:
        """Restore the points from the cache, for a store of ``version``."""
        if slices and slices[0].chunk.layout is not self.points.layout:
            self.points = self.points.widened(slices[0].chunk.layout)
        self.points.restore(slices, state)
        self._changes = version

    def extend(self, file: int, rows: Mapping[str, NDArray[Any]]) -> None:
        """Append points of a file in their order: the columns of the layout, each of shape (n,)."""
        with self._store_lock.lock:
            self._fit(rows)
            self.points.extend(file, rows)
            self._changes += 1

    def purge(self, file: int, count: int, step: int) -> None:
        """Note that a session starts at ``step`` after the first ``count`` points of a file."""
        with self._store_lock.lock:
            self.points.purge(file, count, step)
            self._changes += 1

    def _fit(self, rows: Mapping[str, NDArray[Any]]) -> None:
        """Widen the columns if ``rows`` need it."""

    def visible(self) -> AnyColumns:
        """Return the visible points under the restart rule, by ascending step."""
        return self._columns(**self._store_lock.read(lambda: self.points.visible()))

    def all(self) -> AnyColumns:
        """Return every point in written order, including overwritten and repeated ones."""
        return self._columns(**self._store_lock.read(lambda: self.points.written()))

    def visible_parts(self, overwritten: bool = False) -> VisibleRows:
        """Return the points of ``visible``, or of ``all`` if ``overwritten``, as parts that are not copied to join
        them.
        """
        return self._store_lock.read(
            lambda: written_rows(self.points) if overwritten else self._tracker.of(self.points)
        )

    def hidden(self) -> Hidden:
        """Return the number of hidden points, by reason."""
        return self.visible_parts().hidden

    def forget(self, files: Collection[int]) -> None:
        """Remove all points of some files. Raises ChunkDamagedError if those of other files can't be read."""
        with self._store_lock.lock:
            self.points = self.points.without(files)
            self._changes += 1

    def clear(self) -> None:
        """Remove all points."""
        with self._store_lock.lock:
            self.points = self.points.emptied()
            self._changes += 1


class ScalarSeries(Series[ScalarColumns]):
    """A tag's scalar points: step, wall_time and value."""

    __slots__ = ()

    def __init__(self, ranks: FileRanks, store_lock: StoreLock) -> None:
        super().__init__(ranks, store_lock, SCALAR_LAYOUT, ScalarColumns)

    def _fit(self, rows: Mapping[str, NDArray[Any]]) -> None:
        if rows["value"].dtype == np.float64 and self.points.layout is SCALAR_LAYOUT:
            self.points = self.points.widened(WIDE_SCALAR_LAYOUT)


class ReferenceSeries(Series[ReferenceColumns]):
    """References to the values of a tag in the event files: step, wall_time, offset and length."""

    __slots__ = ()

    def __init__(self, ranks: FileRanks, store_lock: StoreLock, has_progress: bool = True) -> None:
        super().__init__(ranks, store_lock, REFERENCE_LAYOUT, ReferenceColumns, has_progress)
