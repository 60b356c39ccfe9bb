# SPDX-License-Identifier: Apache-2.0
"""One tag of one kind: scalars hold their values, all other kinds hold the places of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.store.access import Access
from mindscope.store.chunk import REFERENCE_LAYOUT, SCALAR_LAYOUT, Layout
from mindscope.store.points import FileRanks, Points
from mindscope.store.shown import Shown, ShownRows, written


@dataclass(frozen=True, slots=True, eq=False)
class ScalarColumns:
    """Points of a scalar series; four read-only arrays of shape (n,). ``file`` is the ordinal in the run."""

    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    file: NDArray[np.int32]
    value: NDArray[np.float32]

    def __len__(self) -> int:
        return self.step.size


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceColumns:
    """Places of values; five read-only arrays of shape (n,). ``offset`` and ``length`` are bytes in file ``file``."""

    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    file: NDArray[np.int32]
    offset: NDArray[np.int64]
    length: NDArray[np.int64]

    def __len__(self) -> int:
        return self.step.size

    def take(self, rows: slice) -> ReferenceColumns:
        """Some of the values."""
        return ReferenceColumns(
            self.step[rows], self.wall_time[rows], self.file[rows], self.offset[rows], self.length[rows]
        )


AnyColumns = TypeVar("AnyColumns", ScalarColumns, ReferenceColumns)


class Series(Generic[AnyColumns]):
    """The points of a tag of one kind. Reading while another thread appends is safe: what is returned never changes."""

    __slots__ = ("_access", "_columns", "_shown", "layout", "points", "version")

    def __init__(self, ranks: FileRanks, access: Access, layout: Layout, columns: type[AnyColumns]) -> None:
        self._access = access
        self._columns = columns
        self._shown = ShownRows()
        self.layout = layout
        self.points = Points(ranks, layout, access.recent)
        """For the store: the owner of the lock."""
        self.version = 0  # grows with every change of the points

    def __len__(self) -> int:
        """Number of points, hidden ones included."""
        return len(self.points)

    def extend(self, file: int, rows: Mapping[str, NDArray[Any]]) -> None:
        """Append points of a file in their order: the columns of the layout, each of shape (n,)."""
        with self._access.lock:
            self.points.extend(file, rows)
            self.version += 1

    def visible(self) -> AnyColumns:
        """The points that are drawn under the restart rule, by ascending step."""
        return self._columns(**self._access.read(lambda: self.points.visible()))

    def all(self) -> AnyColumns:
        """Every point in the order in which they were written, overwritten and hidden ones too."""
        return self._columns(**self._access.read(lambda: self.points.written()))

    def shown(self, overwritten: bool = False) -> Shown:
        """The points of ``visible``, or of ``all`` if ``overwritten``, where they lie: none is copied to join them."""
        return self._access.read(lambda: written(self.points) if overwritten else self._shown.of(self.points))

    def forget(self, file: int) -> None:
        """Take back all points of a file. Raises ChunkDamagedError when those of other files can't be had."""
        with self._access.lock:
            self.points = self.points.without(file)
            self.version += 1

    def clear(self) -> None:
        """Take back all points."""
        with self._access.lock:
            self.points = self.points.emptied()
            self.version += 1


class ScalarSeries(Series[ScalarColumns]):
    """A tag's scalar points: step, wall_time and value."""

    __slots__ = ()

    def __init__(self, ranks: FileRanks, access: Access) -> None:
        super().__init__(ranks, access, SCALAR_LAYOUT, ScalarColumns)


class ReferenceSeries(Series[ReferenceColumns]):
    """Where the values of a tag stand in the event files: step, wall_time, offset and length."""

    __slots__ = ()

    def __init__(self, ranks: FileRanks, access: Access) -> None:
        super().__init__(ranks, access, REFERENCE_LAYOUT, ReferenceColumns)
