# SPDX-License-Identifier: Apache-2.0
"""Draws a figure with Matplotlib: vectors, with fonts that journals accept, equal bytes for equal data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import matplotlib
import numpy as np
from matplotlib import dates, font_manager
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.transforms import Transform

from mindscope.plots.axis_ticks import label_ticks
from mindscope.plots.legend_layout import LegendLayout
from mindscope.plots.line_plot import Floats, LinePlot, PlotAxis, PlotLine, PlotPanel
from mindscope.plots.palette import OTHERS, dash_of
from mindscope.plots.paper_figure import PaperFigure
from mindscope.plots.plot_texts import others_text, plain
from mindscope.plots.ticks import value_label

_INK, _SOFT, _GRID = "#1d1f24", "#5d6069", "#e6e7ea"
_FONT_SIZE = 8.0
Inches = tuple[float, float]
_rc_context, _date_numbers = cast(Any, matplotlib).rc_context, cast(Any, dates).date2num
_CJK = ("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "SimHei")
_FIRST_CJK = 0x2E80
"""Signs from here on are in none of Matplotlib's fonts."""
_WIDTH, _THIN = 1.3, 0.6
_PANEL_RATIO, _TALLEST = 0.64, 3.0
_PANEL_INCHES = 2.3
"""Panels are about as wide as this, or wider."""
_MOST_RAW = 6
"""Values before smoothing are drawn behind this many lines at most: behind more they hide the lines."""


def draw(plot: LinePlot) -> PaperFigure:
    """Return the figure; its lines hold the rows of ``plot``."""
    with _rc_context(_style(needs_cjk=any(ord(sign) >= _FIRST_CJK for sign in "".join(plot.texts)))):
        return _draw(plot)


def _style(needs_cjk: bool) -> dict[str, Any]:
    names = set(font_manager.get_font_names())
    return {
        "font.family": ["DejaVu Sans", *(name for name in _CJK if name in names)] if needs_cjk else ["DejaVu Sans"],
        "font.size": _FONT_SIZE,
        "axes.edgecolor": _SOFT,
        "axes.linewidth": 0.6,
        "axes.labelcolor": _INK,
        "axes.unicode_minus": True,
        "axes.titlesize": _FONT_SIZE,
        "axes.formatter.useoffset": False,
        "text.color": _INK,
        "text.usetex": False,
        "xtick.color": _SOFT,
        "ytick.color": _SOFT,
        "xtick.labelcolor": _INK,
        "ytick.labelcolor": _INK,
        "xtick.labelsize": _FONT_SIZE - 1,
        "ytick.labelsize": _FONT_SIZE - 1,
        "legend.fontsize": _FONT_SIZE - 1,
        "path.simplify": True,
    }


def _draw(plot: LinePlot) -> PaperFigure:
    width, height = plot.size
    columns = max(1, min(len(plot.panels), int(width / _PANEL_INCHES)))
    rows = math.ceil(len(plot.panels) / columns)
    legend = LegendLayout.of(_legend_labels(plot), width, _FONT_SIZE - 1)
    if height is None:
        height = rows * min(width / columns * _PANEL_RATIO, _TALLEST) + legend.height
    inches = width / columns, (height - legend.height) / rows
    figure = PaperFigure(figsize=(width, height), layout="constrained", facecolor="white")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03)  # type: ignore[union-attr]
    axes: Any = figure.subplots(rows, columns, squeeze=False)
    for number, at in enumerate(axes.flat):
        if number >= len(plot.panels):
            at.set_axis_off()
            continue
        is_lowest = number + columns >= len(plot.panels)
        _draw_panel(at, plot, plot.panels[number], inches, has_x_label=is_lowest)
    _add_legend(figure, plot, legend)
    return figure


def _draw_panel(
    axes: Axes, plot: LinePlot, panel: PlotPanel, inches: tuple[float, float], *, has_x_label: bool
) -> None:
    axes.set_axisbelow(True)
    axes.grid(visible=True, color=_GRID, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    _scale(axes, plot)
    background = [line for line in panel.lines if line.is_background]
    if background:
        segments = [np.column_stack([_x(line, plot.x), line.y]) for line in background]
        axes.add_collection(
            LineCollection(segments, colors=OTHERS, linewidths=_THIN, alpha=_faintness(len(background)), zorder=1.5)
        )
    named = [line for line in panel.lines if not line.is_background]
    for number, line in enumerate(named):
        _draw_line(axes, line if len(named) <= _MOST_RAW else replace(line, raw=None), plot, 2.0 + number / 1000)
    if panel.goal is not None:
        _mark_best(axes, plot, panel, named)
    axes.margins(x=0.02, y=0.05 if panel.goal is None else 0.14)
    axes.autoscale_view()
    if plot.y_limits is not None:
        axes.set_ylim(*plot.y_limits)
    label_ticks(axes, plot, inches)
    if has_x_label:
        axes.set_xlabel(plain(plot.x.label), parse_math=False)
    if len(plot.panels) == 1:
        axes.set_ylabel(plain(panel.title), parse_math=False)
    else:
        axes.set_title(plain(panel.title), loc="left", parse_math=False)


def _faintness(count: int) -> float:
    """Return the opacity of lines without names: many of them still show where they are dense."""
    return max(0.12, min(0.5, 20 / count))


def _scale(axes: Axes, plot: LinePlot) -> None:
    if plot.x.is_time:
        axes.xaxis.axis_date("UTC")
    if plot.x.is_log:
        axes.set_xscale("log", nonpositive="mask")
    if plot.is_log_y:
        axes.set_yscale("log", nonpositive="mask")


def _draw_line(axes: Axes, line: PlotLine, plot: LinePlot, order: float) -> None:
    x = _x(line, plot.x)
    y = _shown(line.y, plot)
    if line.low is not None and line.high is not None:
        low, high = _band(line.low, line.high, plot)
        axes.fill_between(x, low, high, color=line.color, alpha=0.16, linewidth=0, zorder=order - 0.5)
    if line.raw is not None:
        axes.plot(x, _shown(line.raw, plot), color=line.color, alpha=0.28, linewidth=_THIN, zorder=order - 0.25)
    axes.plot(x, y, **_look(line), label=plain(line.label), zorder=order)
    alone = _is_alone(y)
    if alone.any():
        axes.plot(x[alone], y[alone], "o", color=line.color, markersize=2.6, zorder=order)
    missing = ~np.isfinite(y)
    if missing.any():
        transform: Transform = axes.get_xaxis_transform()
        at = np.full(int(missing.sum()), 0.015)
        axes.plot(x[missing], at, "x", color=line.color, markersize=3, transform=transform, zorder=order + 1)


def _look(line: PlotLine) -> dict[str, Any]:
    dash = [length / 1.6 for length in dash_of(line.dash)]
    style: Any = (0, tuple(dash)) if dash else "-"
    return {"color": line.color, "linewidth": _WIDTH, "linestyle": style, "solid_joinstyle": "round"}


def _x(line: PlotLine, axis: PlotAxis) -> Any:
    return _date_numbers((line.x * 1e6).astype("datetime64[us]")) if axis.is_time else line.x


def _shown(y: Floats, plot: LinePlot) -> Floats:
    """Return values with NaN where a linear or logarithmic axis can't show one."""
    is_shown = np.isfinite(y) & (y > 0) if plot.is_log_y else np.isfinite(y)
    return np.where(is_shown, y, np.nan)


def _band(low: Floats, high: Floats, plot: LinePlot) -> tuple[Floats, Floats]:
    """Return a band whose lower end is above 0 on a logarithmic axis: at the lowest value of its upper end."""
    if not plot.is_log_y:
        return low, high
    above = high[high > 0]
    floor = float(np.nanmin(above)) / 10 if above.size else 1.0
    return np.where(low > 0, low, np.minimum(floor, high)), np.where(high > 0, high, np.nan)


def _is_alone(y: Floats) -> Any:
    """Return which finite values have no finite neighbor, so that no line reaches them."""
    finite = np.concatenate([[False], np.isfinite(y), [False]])
    return finite[1:-1] & ~finite[:-2] & ~finite[2:]


def _mark_best(axes: Axes, plot: LinePlot, panel: PlotPanel, lines: Sequence[PlotLine]) -> None:
    """Mark the best value of each line; a text says the best of all."""
    assert panel.goal is not None
    rows = [(line, row) for line in lines if (row := line.best(panel.goal)) is not None]
    for line, row in rows:
        axes.plot(
            _x(line, plot.x)[row], line.y[row], "o", color=line.color, markersize=4.2, markeredgecolor="white",
            markeredgewidth=0.7, zorder=4,
        )  # fmt: skip
    if not rows:
        return
    line, row = (min if panel.goal == "min" else max)(rows, key=lambda pair: float(pair[0].y[pair[1]]))
    x = _x(line, plot.x)
    is_right = x.size > 1 and x[row] > (x[0] + x[-1]) / 2
    below = panel.goal == "min"
    axes.annotate(
        value_label(float(line.y[row])), (x[row], line.y[row]), (0 if is_right else 2, -5 if below else 5),
        fontsize=_FONT_SIZE - 1, textcoords="offset points", ha="right" if is_right else "left",
        va="top" if below else "bottom", color=line.color, zorder=5, annotation_clip=False,
    )  # fmt: skip


def _legend_labels(plot: LinePlot) -> list[str]:
    labels = [plain(line.label) for line in plot.legend]
    return [*labels, others_text(plot.others)] if labels and plot.others else labels


def _add_legend(figure: PaperFigure, plot: LinePlot, layout: LegendLayout) -> None:
    if not layout.labels:
        return
    handles: list[Any] = [Line2D([], [], **_look(line)) for line in plot.legend]
    if plot.others:
        handles.append(Line2D([], [], color=OTHERS, linewidth=_THIN * 1.5))
    legend = figure.legend(
        handles, ["x"] * len(handles), loc="outside upper left", ncols=layout.columns, frameon=False,
        handlelength=layout.handle, handletextpad=layout.text_pad, columnspacing=layout.spacing, borderpad=0.1,
        labelspacing=0.35, borderaxespad=0.2,
    )  # fmt: skip
    for text, label in zip(legend.get_texts(), layout.labels, strict=True):
        text.set_parse_math(False)
        text.set_text(label)
