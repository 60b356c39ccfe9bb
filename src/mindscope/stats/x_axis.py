# SPDX-License-Identifier: Apache-2.0
"""Positions of the rows of a curve on the x axis."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mindscope.stats._x_axis import cut, find, survey
from mindscope.stats.chunked_array import ChunkedArray, Rows

Range = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class XAxis:
    """Rows by ascending x. An index is one in that order; its row number is ``order[index]``.

    ``x`` is int64 or float64, ascends and holds no NaN; what is drawn is ``x - origin``. ``order`` is None when the
    indexes are the row numbers.
    """

    x: ChunkedArray
    origin: float = 0.0
    order: Rows | None = None

    def bounds(self, range: Range | None) -> tuple[int, int]:
        """Return first index inside of ``range`` (inclusive; None is everything) and the one after the last."""
        if range is None:
            return 0, self.x.size
        low, high = min(range), max(range)
        start = self.find(self.origin, low, False)
        return start, max(start, self.find(self.origin, high, True))

    def edges(self, start: int, stop: int, pixels: int, range: Range | None) -> Rows:
        """Return the first index of each bucket of the indexes ``start`` to ``stop``, then ``stop``.

        A bucket is at most a column of the screen wide, and lies between two multiples of a power of two.
        """
        column = self._span(start, stop, range) / pixels
        width = math.ldexp(0.5, math.frexp(column)[1]) if column > 0.0 else 1.0
        edges: list[Rows] = []
        last_bucket = None  # of the piece before: it may go on in the next one
        for first, x in self.x.pieces(start, stop):
            firsts = first + cut(x, 0, x.size, self.origin, width)[:-1]
            edges.append(firsts[1:] if last_bucket == self._bucket(x[0], width) else firsts)
            last_bucket = self._bucket(x[-1], width)
        return np.concatenate([*edges, np.array([stop], np.int64)])

    def _bucket(self, x: Any, width: float) -> float:
        return float(np.floor((float(x) - self.origin) / width))

    def find(self, origin: float, limit: float, after: bool) -> int:
        """Return the first index whose ``x - origin`` is at least ``limit``, or above it if ``after``."""
        for first, x in self.x.pieces(0, self.x.size):
            last = float(x[-1]) - origin
            if last > limit or (last == limit and not after):
                return first + find(x, origin, limit, after)
        return self.x.size

    def _span(self, start: int, stop: int, range: Range | None) -> float:
        """Return the extent of x on the screen, 0 when that is one value."""
        if range is not None:
            return min(abs(float(range[1]) - float(range[0])), sys.float_info.max)
        if start < stop:
            low, high = float(self.x.at(start)), float(self.x.at(stop - 1))
            if math.isfinite(low) and math.isfinite(high):
                return min(high - low, sys.float_info.max)
        first = max(start, self.find(0.0, -math.inf, True))
        last = min(stop, self.find(0.0, math.inf, False)) - 1
        return min(float(self.x.at(last)) - float(self.x.at(first)), sys.float_info.max) if last > first else 0.0


def sort_x(x: ArrayLike, origin: float = 0.0) -> XAxis:
    """Bring ``x``, shape (n,), into order: equal x stay in their given order, rows whose x is NaN are left out."""
    coordinates = as_coordinates(x)
    if survey(coordinates)[0]:
        return XAxis(ChunkedArray([coordinates]), origin)
    order = np.argsort(coordinates, kind="stable")  # NaN comes last
    order = order[: order.size - int(np.count_nonzero(np.isnan(coordinates)))].astype(np.int64, copy=False)
    return XAxis(ChunkedArray([coordinates[order]]), origin, order)


def as_coordinates(x: ArrayLike) -> NDArray[Any]:
    """Return ``x`` as the compiled loops take it: integers as int64 and everything else as float64, without gaps."""
    given = np.asarray(x)
    is_whole = given.dtype.kind in "iub" and given.dtype != np.uint64
    return np.ascontiguousarray(given, np.int64 if is_whole else np.float64)
