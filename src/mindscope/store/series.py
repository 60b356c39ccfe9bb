# SPDX-License-Identifier: Apache-2.0
"""One tag of one kind: scalars hold their values, all other kinds hold the places of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.store.points import FileRanks, Points


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


class ScalarSeries:
    """A tag's scalar points. Reading while another thread appends is safe: what is returned never changes."""

    def __init__(self, ranks: FileRanks, lock: RLock) -> None:
        self._lock = lock
        self._points = Points(ranks, {"value": np.float32})
        self.version = 0  # grows with every change of the points

    def __len__(self) -> int:
        """Number of points, hidden ones included."""
        return len(self._points)

    def extend(self, file: int, rows: Mapping[str, NDArray[Any]]) -> None:
        """Append points of a file in their order: step, wall_time and value of shape (n,)."""
        with self._lock:
            self._points.extend(file, rows)
            self.version += 1

    def visible(self) -> ScalarColumns:
        """The points that are drawn under the restart rule, by ascending step."""
        with self._lock:
            return ScalarColumns(**self._points.visible())

    def all(self) -> ScalarColumns:
        """Every point in the order in which they were written, overwritten and hidden ones too."""
        with self._lock:
            return ScalarColumns(**self._points.written())

    def forget(self, file: int) -> None:
        """Take back all points of a file."""
        with self._lock:
            self._points = self._points.without(file)
            self.version += 1


class ReferenceSeries:
    """Where the values of a tag stand in the event files. Safe to read while another thread appends."""

    def __init__(self, ranks: FileRanks, lock: RLock) -> None:
        self._lock = lock
        self._points = Points(ranks, {"offset": np.int64, "length": np.int64})
        self.version = 0  # grows with every change of the points

    def __len__(self) -> int:
        """Number of values, hidden ones included."""
        return len(self._points)

    def extend(self, file: int, rows: Mapping[str, NDArray[Any]]) -> None:
        """Append values of a file in their order: step, wall_time, offset and length of shape (n,)."""
        with self._lock:
            self._points.extend(file, rows)
            self.version += 1

    def visible(self) -> ReferenceColumns:
        """The values that are shown under the restart rule, by ascending step."""
        with self._lock:
            return ReferenceColumns(**self._points.visible())

    def all(self) -> ReferenceColumns:
        """Every value in the order in which they were written, overwritten and hidden ones too."""
        with self._lock:
            return ReferenceColumns(**self._points.written())

    def forget(self, file: int) -> None:
        """Take back all values of a file."""
        with self._lock:
            self._points = self._points.without(file)
            self.version += 1
