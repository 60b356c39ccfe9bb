# SPDX-License-Identifier: Apache-2.0
"""A curve that grows: its points, and what makes the next look at them quick."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mindscope.stats._reduce import Pyramid, survey
from mindscope.stats.abscissa import Abscissa, arrange
from mindscope.stats.m4 import Line
from mindscope.stats.smooth import SmoothedColumn

XName = Literal["step", "wall_time"]
Columns = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float32]]
"""step, wall_time and value of the points, each of shape (n,)."""

Task = Callable[[], None]
Do = Callable[[Iterable[Task]], None]
KEPT_WEIGHTS = 3
"""So many smoothed lines of a curve are kept for the next look."""


def one_by_one(tasks: Iterable[Task]) -> None:
    """Do all tasks in this thread."""
    for task in tasks:
        task()


class GrowingCurve:
    """Points of one series as it is drawn. One thread at a time.

    A long curve ``is_summed_up`` by pyramids, so that a look at it costs as much as its pixels, whatever its length.
    They take 0.5 to 0.8 bytes a point, and each smoothed line 4 to 6 bytes and a pyramid of its own.
    """

    def __init__(self, is_summed_up: bool) -> None:
        self._is_summed_up = is_summed_up
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.columns: Columns = (np.empty(0, np.int64), np.empty(0, np.float64), np.empty(0, np.float32))
        self._x: dict[XName, _GrowingX] = {"step": _GrowingX(), "wall_time": _GrowingX()}
        self._lines: OrderedDict[float, _GrowingLine] = OrderedDict()  # by weight, the one looked at last at the end
        self._arranged: dict[tuple[XName, float], Line] = {}  # lines where x goes back, until the curve changes

    def show(self, columns: Columns, weights: Sequence[float], do: Do = one_by_one) -> None:
        """Bring the curve to these points, and have the lines smoothed with ``weights`` (0: as they are) at hand.

        Rows that stand behind those of the last call are all that is looked at; with any other change, everything is.
        ``do`` carries out independent tasks, which leave the interpreter free.
        """
        is_continued = _is_continued(self.columns, columns)
        if not is_continued:
            self._begin_anew()
        if not is_continued or columns[0].size > self.columns[0].size:
            self._arranged.clear()
        self.columns = columns
        do(list(self._tasks(weights)))
        while len(self._lines) > KEPT_WEIGHTS + 1:
            self._lines.popitem(last=False)

    def _tasks(self, weights: Sequence[float]) -> Iterator[Task]:
        step, wall_time, value = self.columns
        for weight in weights:
            line = self._lines.setdefault(weight, _GrowingLine(weight, self._is_summed_up))
            self._lines.move_to_end(weight)
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
        return (int(step[0]), int(step[-1])) if self._x["step"].ascends else (int(step.min()), int(step.max()))

    def abscissa(self, x: XName, origin: float = 0.0) -> Abscissa:
        """The points along one of their columns, less ``origin``."""
        return self._x[x].abscissa(origin)

    def smoothed(self, weight: float) -> NDArray[np.float32]:
        """The values smoothed with a weight that ``show`` was given."""
        return self._lines[weight].line.y

    def line(self, weight: float, x: XName) -> Line:
        """The line smoothed with a weight that ``show`` was given, over ``abscissa(x)``."""
        line, order = self._lines[weight].line, self._x[x].abscissa(0.0).order
        if order is None:
            return line
        if (x, weight) not in self._arranged:
            self._arranged[x, weight] = _line(line.y[order], Pyramid() if self._is_summed_up else None)
        return self._arranged[x, weight]

    @property
    def nbytes(self) -> int:
        """Memory in bytes beside the points themselves."""
        grown = sum(line.nbytes for line in self._lines.values())
        return grown + sum(_nbytes(line) for line in self._arranged.values()) + sum(x.nbytes for x in self._x.values())


class _GrowingX:
    """A column of x as it grows."""

    def __init__(self) -> None:
        self.x: NDArray[Any] = np.empty(0)
        self.ascends = True  # it never goes back and has no NaN
        self.lowest: float | None = None  # of its finite values
        self._arranged: Abscissa | None = None  # in order, where it doesn't ascend; None until asked for

    def extend(self, x: NDArray[Any]) -> None:
        if x.size > self.x.size:
            ascends, lowest = survey(x[max(self.x.size - 1, 0) :])
            self.ascends = self.ascends and ascends
            self.lowest = min((each for each in (self.lowest, lowest) if each is not None), default=None)
            self._arranged = None
        self.x = x

    def abscissa(self, origin: float) -> Abscissa:
        if self.ascends:
            return Abscissa(self.x, origin)
        if self._arranged is None:
            self._arranged = arrange(self.x)
        return Abscissa(self._arranged.x, origin, self._arranged.order)

    @property
    def nbytes(self) -> int:
        return 0 if self._arranged is None else 2 * self._arranged.x.nbytes


class _GrowingLine:
    """Values, smoothed or as they are, as they grow."""

    def __init__(self, weight: float, is_summed_up: bool) -> None:
        self._column = SmoothedColumn(weight) if weight > 0.0 else None
        self.line = Line(np.empty(0, np.float32), Pyramid() if is_summed_up else None)

    def extend(self, value: NDArray[np.float32]) -> None:
        y = value if self._column is None else self._column.extend(value)
        self.line = _line(y, self.line.pyramid)

    @property
    def nbytes(self) -> int:
        pyramid = self.line.pyramid
        return (0 if pyramid is None else pyramid.nbytes) + (0 if self._column is None else self._column.nbytes)


def _line(y: NDArray[Any], pyramid: Pyramid | None) -> Line:
    if pyramid is not None:
        pyramid.extend(y)
    return Line(y, pyramid)


def _nbytes(line: Line) -> int:
    return line.y.nbytes + (0 if line.pyramid is None else line.pyramid.nbytes)


def _is_continued(known: Columns, columns: Columns) -> bool:
    """Whether ``columns`` begin with all rows of ``known``.

    Points are never rewritten in place, so the same memory holds the same rows; else they are compared byte by byte.
    """
    return columns[0].size >= known[0].size and all(
        _address(one) == _address(other) or _bits_equal(one, other[: one.size])
        for one, other in zip(known, columns, strict=True)
    )


def _address(column: NDArray[Any]) -> int:
    return column.__array_interface__["data"][0]


def _bits_equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    word = np.int32 if one.itemsize == 4 else np.int64  # so that NaN is itself, and 0 is not -0
    return bool(np.array_equal(one.view(word), other.view(word)))
