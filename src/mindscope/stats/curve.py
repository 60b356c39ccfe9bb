# SPDX-License-Identifier: Apache-2.0
"""A growing curve: its points, and the structures that make the next reduction fast."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mindscope.lru import LRU
from mindscope.stats._pyramid import Pyramid
from mindscope.stats._x_axis import survey
from mindscope.stats.chunked_array import ChunkedArray
from mindscope.stats.m4 import Line
from mindscope.stats.smooth import SmoothedColumn
from mindscope.stats.x_axis import XAxis, sort_x

XName = Literal["step", "wall_time"]
Columns = tuple[ChunkedArray, ChunkedArray, ChunkedArray]
"""step (int64), wall_time (float64) and value (float32 or float64) of the points, of one length."""

Task = Callable[[], None]
Do = Callable[[Iterable[Task]], None]
CACHED_WEIGHTS = 3
"""Smoothed lines of a curve that stay in memory for the next request."""


def run_serially(tasks: Iterable[Task]) -> None:
    """Do all tasks in this thread."""
    for task in tasks:
        task()


class GrowingCurve:
    """Points of one series as it is drawn. One thread at a time.

    A long curve ``has_pyramids``: a reduction then costs as much as its pixels, whatever its length.
    They take 0.5 to 0.8 bytes a point, and each smoothed line 4 to 6 bytes and a pyramid of its own.
    """

    def __init__(self, has_pyramids: bool) -> None:
        self._is_summed_up = has_pyramids
        self._reset()

    def _reset(self) -> None:
        self.columns: Columns = _NO_POINTS
        self._x: dict[XName, _GrowingX] = {"step": _GrowingX(), "wall_time": _GrowingX()}
        self._lines: LRU[float, _GrowingLine] = LRU(CACHED_WEIGHTS + 1)  # by weight
        self._arranged: dict[tuple[XName, float], Line] = {}  # lines where x goes back, until the curve changes

    def show(
        self, columns: Columns, weights: Sequence[float], do: Do = run_serially, *, continues: bool = False
    ) -> None:
        """Set the points, and compute the lines smoothed with ``weights`` (0: the values themselves).

        ``continues``: they begin with all points of the last call, so only later points are processed; else all are.
        ``do`` carries out independent tasks, which leave the interpreter free.
        """
        if not continues and self.columns is not _NO_POINTS:
            self._reset()
        if columns[0].size > self.columns[0].size:
            self._arranged.clear()
        self.columns = columns
        do(list(self._tasks(weights)))

    def _tasks(self, weights: Sequence[float]) -> Iterator[Task]:
        step, wall_time, value = self.columns
        for weight in weights:
            make = partial(_GrowingLine, weight, self._is_summed_up, value.dtype)
            line = self._lines.get_or_add(weight, make)
            yield lambda line=line: line.extend(value)
        yield lambda: self._x["step"].extend(step)
        yield lambda: self._x["wall_time"].extend(wall_time)

    @property
    def start_wall_time(self) -> float | None:
        """The earliest finite wall time, None without any."""
        return self._x["wall_time"].lowest

    @property
    def step_range(self) -> tuple[int, int] | None:
        """The lowest and highest step, None without a point."""
        step = self.columns[0]
        if step.size == 0:
            return None
        if self._x["step"].ascends:
            return int(step.at(0)), int(step.at(step.size - 1))
        return min(int(part.min()) for part in step.parts), max(int(part.max()) for part in step.parts)

    def x_axis(self, x: XName, origin: float = 0.0) -> XAxis:
        """Return the points along one of their columns, less ``origin``."""
        return self._x[x].x_axis(origin)

    def smoothed(self, weight: float) -> ChunkedArray:
        """Return the values smoothed with a weight that ``show`` was given."""
        return self._lines[weight].line.y

    def line(self, weight: float, x: XName) -> Line:
        """Return the line smoothed with a weight that ``show`` was given, over ``x_axis(x)``."""
        line, order = self._lines[weight].line, self._x[x].x_axis(0.0).order
        if order is None:
            return line
        if (x, weight) not in self._arranged:
            self._arranged[x, weight] = _line(
                ChunkedArray([line.y.joined()[order]]), Pyramid() if self._is_summed_up else None
            )
        return self._arranged[x, weight]

    @property
    def nbytes(self) -> int:
        """Memory in bytes beside the points themselves."""
        grown = sum(line.nbytes for line in self._lines.values())
        return grown + sum(_nbytes(line) for line in self._arranged.values()) + sum(x.nbytes for x in self._x.values())


class _GrowingX:
    """A column of x as it grows."""

    def __init__(self) -> None:
        self.x = _NO_POINTS[1]
        self.ascends = True  # it never goes back and has no NaN
        self.lowest: float | None = None  # of its finite values
        self._last = -math.inf  # value so far
        self._arranged: XAxis | None = None  # in order, where it doesn't ascend; computed on first use

    def extend(self, x: ChunkedArray) -> None:
        for _, piece in x.pieces(self.x.size, x.size):
            ascends, lowest = survey(piece)
            self.ascends = self.ascends and ascends and float(piece[0]) >= self._last
            self.lowest = min((each for each in (self.lowest, lowest) if each is not None), default=None)
            self._last = float(piece[-1])
            self._arranged = None
        self.x = x

    def x_axis(self, origin: float) -> XAxis:
        if self.ascends:
            return XAxis(self.x, origin)
        if self._arranged is None:
            self._arranged = sort_x(self.x.joined())
        return XAxis(self._arranged.x, origin, self._arranged.order)

    @property
    def nbytes(self) -> int:
        return 0 if self._arranged is None else 16 * self._arranged.x.size


class _GrowingLine:
    """Values, smoothed or as they are, as they grow."""

    def __init__(self, weight: float, has_pyramids: bool, dtype: DTypeLike) -> None:
        self._column = SmoothedColumn(weight, dtype) if weight > 0.0 else None
        self.line = Line(_NO_POINTS[2], Pyramid() if has_pyramids else None)

    def extend(self, value: ChunkedArray) -> None:
        y = value if self._column is None else self._column.extend(value)
        self.line = _line(y, self.line.pyramid)

    @property
    def nbytes(self) -> int:
        pyramid = self.line.pyramid
        return (0 if pyramid is None else pyramid.nbytes) + (0 if self._column is None else self._column.nbytes)


def chunked(step: NDArray[np.int64], wall_time: NDArray[np.float64], value: NDArray[np.floating[Any]]) -> Columns:
    """Return points with one array for each column."""
    return ChunkedArray([step]), ChunkedArray([wall_time]), ChunkedArray([value])


_NO_POINTS = chunked(np.empty(0, np.int64), np.empty(0, np.float64), np.empty(0, np.float32))


def _line(y: ChunkedArray, pyramid: Pyramid | None) -> Line:
    if pyramid is not None:
        pyramid.extend(y.values())
    return Line(y, pyramid)


def _nbytes(line: Line) -> int:
    return line.y.size * line.y.dtype.itemsize + (0 if line.pyramid is None else line.pyramid.nbytes)
