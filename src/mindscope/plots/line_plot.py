# SPDX-License-Identifier: Apache-2.0
"""What a figure shows, without a library that draws: panels of lines over one kind of x axis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mindscope.stats import reduce
from mindscope.stats.chunked_array import ChunkedArray
from mindscope.stats.m4 import Line
from mindscope.stats.x_axis import sort_x

Floats = NDArray[np.float64]
Goal = Literal["min", "max"]

MOST_COLUMNS, LEAST_COLUMNS = 600, 40
"""Columns of pixels to which a line is reduced; it keeps up to 4 points in each."""
MOST_POINTS = 48_000
"""Points of all lines of a figure, about."""


@dataclass(frozen=True, slots=True, eq=False)
class PlotLine:
    """A line; float64 columns of shape (n,), by ascending ``x``. NaN is a gap.

    ``raw`` has the values before smoothing, ``low`` and ``high`` are the ends of a band; None without one.
    ``points`` counts the points before the reduction. A background line has neither a label nor a color of its own.
    """

    label: str
    color: str
    x: Floats
    y: Floats
    raw: Floats | None = None
    low: Floats | None = None
    high: Floats | None = None
    dash: int = 0
    is_background: bool = False
    points: int = 0

    def reduced(self, columns: int, is_log_x: bool = False) -> PlotLine:
        """Return the rows that draw the same line on ``columns`` columns of pixels, by M4."""
        parts = [part for part in (self.y, self.raw, self.low, self.high) if part is not None]
        axis = sort_x(self.x)
        lines = [Line(ChunkedArray([part if axis.order is None else part[axis.order]])) for part in parts]
        rows = reduce(axis, lines, columns, None, 0.0 if is_log_x else None).rows
        raw, low, high = (part if part is None else part[rows] for part in (self.raw, self.low, self.high))
        return replace(self, x=self.x[rows], y=self.y[rows], raw=raw, low=low, high=high, points=self.y.size)

    def best(self, goal: Goal) -> int | None:
        """Return the row of the best finite value; None without one."""
        finite = np.flatnonzero(np.isfinite(self.y))
        if not finite.size:
            return None
        values = self.y[finite]
        return int(finite[values.argmin() if goal == "min" else values.argmax()])


@dataclass(frozen=True, slots=True)
class PlotPanel:
    """The chart of a tag. ``goal`` marks the best value of each line, None marks none."""

    title: str
    lines: tuple[PlotLine, ...]
    goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class PlotAxis:
    """The x axis. ``is_time``: x is in seconds since 1970."""

    label: str
    is_time: bool = False
    is_log: bool = False


@dataclass(frozen=True, slots=True)
class LinePlot:
    """A figure. ``size`` is in inches; a height of None fits the panels and the legend."""

    panels: tuple[PlotPanel, ...]
    x: PlotAxis
    is_log_y: bool
    size: tuple[float, float | None]
    y_limits: tuple[float, float] | None = None
    has_legend: bool = True

    def reduced(self) -> LinePlot:
        """Return the figure with lines of as many points as a print can show."""
        count = max(1, sum(len(panel.lines) for panel in self.panels))
        columns = min(MOST_COLUMNS, max(LEAST_COLUMNS, MOST_POINTS // (4 * count)))
        panels = (
            replace(panel, lines=tuple(line.reduced(columns, self.x.is_log) for line in panel.lines))
            for panel in self.panels
        )
        return replace(self, panels=tuple(panels))

    @property
    def legend(self) -> list[PlotLine]:
        """The lines that the legend names, one of each label."""
        named = {line.label: line for panel in self.panels for line in panel.lines if not line.is_background}
        return list(named.values()) if self.has_legend and (len(named) > 1 or self.others) else []

    @property
    def others(self) -> int:
        """How many lines have no name, at most in one panel."""
        return max((sum(line.is_background for line in panel.lines) for panel in self.panels), default=0)

    @property
    def texts(self) -> list[str]:
        """All names in the figure."""
        labels = [line.label for panel in self.panels for line in panel.lines]
        return [*labels, *(panel.title for panel in self.panels), self.x.label]
