# SPDX-License-Identifier: Apache-2.0
"""Ticks of the axes of Matplotlib: where they are, and their labels."""

from __future__ import annotations

import math
from typing import Any

from matplotlib import dates
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, Locator, LogLocator, MaxNLocator, NullFormatter

from mindscope.plots.line_plot import LinePlot
from mindscope.plots.ticks import log_tick_label, tick_labels

_LEAST_TICKS, _MOST_TICKS = 2, 6
_ROOM, _GAPS = (0.6, 0.5), (0.42, 0.26)
"""Inches beside and below the axes of a panel, and from tick to tick at least."""
_TICK_STEPS = (1, 2, 2.5, 5, 10)
_EVEN_DECADES = 0.7


def label_ticks(axes: Axes, plot: LinePlot, inches: tuple[float, float]) -> None:
    """Choose ticks and their labels for a panel of this width and height."""
    across, up = (_ticks_of(length - room, gap) for length, room, gap in zip(inches, _ROOM, _GAPS, strict=True))
    if plot.x.is_time:
        locator = dates.AutoDateLocator(minticks=2, maxticks=max(3, across))
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    else:
        _label_axis(axes.xaxis, axes.get_xlim(), plot.x.is_log, across)
    _label_axis(axes.yaxis, axes.get_ylim(), plot.is_log_y, up)


def _ticks_of(inches: float, gap: float) -> int:
    return min(_MOST_TICKS, max(_LEAST_TICKS, int(inches / gap)))


def _label_axis(axis: Any, limits: tuple[float, float], is_log: bool, most: int) -> None:
    if is_log:
        axis.set_major_locator(_log_locator(limits, most))
        axis.set_major_formatter(FuncFormatter(_log_label))
        axis.set_minor_formatter(NullFormatter())
        return
    axis.set_major_locator(MaxNLocator(most, steps=_TICK_STEPS))
    axis.set_major_formatter(_TickLabels())


def _log_locator(limits: tuple[float, float], most: int) -> Locator:
    """Return powers of ten; within one or two decades also their multiples, or evenly spaced ticks."""
    decades = math.log10(max(limits) / min(limits)) if min(limits) > 0 else 0.0
    if decades < _EVEN_DECADES:
        return MaxNLocator(most, steps=_TICK_STEPS)
    return LogLocator(subs=(1.0, 2.0, 5.0) if decades * 3 <= most else (1.0,), numticks=most + 3)


class _TickLabels(FuncFormatter):
    """Labels of all ticks of an axis together, so that they have equal decimals."""

    def __init__(self) -> None:
        super().__init__(_label)

    def format_ticks(self, values: Any) -> list[str]:
        self.set_locs(values)
        return tick_labels([float(value) for value in values])


def _label(value: float, position: int | None = None) -> str:
    return tick_labels([value])[0]


def _log_label(value: float, position: int | None = None) -> str:
    return log_tick_label(value)
