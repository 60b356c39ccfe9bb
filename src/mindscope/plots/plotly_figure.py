# SPDX-License-Identifier: Apache-2.0
"""Draws a figure with Plotly: the same lines, with values under the pointer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from plotly import graph_objects, subplots

from mindscope.plots.line_plot import Floats, LinePlot, PlotLine, PlotPanel
from mindscope.plots.palette import OTHERS, dash_of
from mindscope.plots.plot_texts import others_text, plain

_PIXELS_PER_INCH = 96
_PANEL_RATIO, _PANEL_INCHES, _LEGEND_INCHES = 0.64, 2.3, 0.6
_GRID, _INK = "#e6e7ea", "#1d1f24"
_THIN = 0.8
_MOST_RAW = 6


def draw(plot: LinePlot) -> Any:
    """Return the figure; its traces hold the rows of ``plot``, lines in the order of the panels."""
    columns = max(1, min(len(plot.panels), int(plot.size[0] / _PANEL_INCHES)))
    rows = math.ceil(len(plot.panels) / columns)
    titles = [_escaped(panel.title) for panel in plot.panels] if len(plot.panels) > 1 else None
    figure: Any = subplots.make_subplots(rows, columns, subplot_titles=titles)
    named: set[str] = set()
    for number, panel in enumerate(plot.panels):
        at = {"row": number // columns + 1, "col": number % columns + 1}
        figure.add_traces(_traces(plot, panel, named), rows=at["row"], cols=at["col"])
        is_lowest = number + columns >= len(plot.panels)
        figure.update_xaxes(title_text=_escaped(plot.x.label) if is_lowest else None, **_x_axis(plot), **at)
        figure.update_yaxes(title_text=None if titles else _escaped(panel.title), **_y_axis(plot), **at)
    width, height = plot.size
    height = height or rows * width / columns * _PANEL_RATIO + (_LEGEND_INCHES if plot.legend else 0.0)
    figure.update_layout(
        template="none", width=round(width * _PIXELS_PER_INCH), height=round(height * _PIXELS_PER_INCH),
        font={"size": 11, "color": _INK}, margin={"l": 60, "r": 16, "t": 40, "b": 48}, showlegend=bool(plot.legend),
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.12, "xanchor": "left", "x": 0, "traceorder": "normal"},
        hovermode="closest",
    )  # fmt: skip
    figure.update_annotations(font_size=12, yshift=4)
    return figure


def _traces(plot: LinePlot, panel: PlotPanel, named: set[str]) -> list[Any]:
    traces = _background(plot, [line for line in panel.lines if line.is_background], named)
    lines = [line for line in panel.lines if not line.is_background]
    for line in lines:
        traces += _band(plot, line)
        if line.raw is not None and len(lines) <= _MOST_RAW:
            traces.append(_scatter(plot, line, line.raw, {"color": line.color, "width": _THIN}, opacity=0.3))
    for line in lines:
        style = {"color": line.color, "width": 1.7, "dash": _dash(line)}
        is_first = line.label not in named
        named.add(line.label)
        traces.append(_scatter(plot, line, line.y, style, name=_escaped(line.label), showlegend=is_first,
                               hoverinfo="all"))  # fmt: skip
    return [*traces, *_best(plot, panel, lines)]


def _background(plot: LinePlot, lines: list[PlotLine], named: set[str]) -> list[Any]:
    """Return one trace for all lines without names, with gaps between them."""
    if not lines:
        return []
    x = np.concatenate([np.append(line.x, np.nan) for line in lines])
    y = np.concatenate([np.append(line.y, np.nan) for line in lines])
    whole = PlotLine("", OTHERS, x, y)
    name = others_text(len(lines))
    is_first = name not in named
    named.add(name)
    return [_scatter(plot, whole, y, {"color": OTHERS, "width": _THIN}, name=name, showlegend=is_first, opacity=0.6)]


def _band(plot: LinePlot, line: PlotLine) -> list[Any]:
    if line.low is None or line.high is None:
        return []
    red, green, blue = (int(line.color[start : start + 2], 16) for start in (1, 3, 5))
    fill = {"fill": "tonexty", "fillcolor": f"rgba({red},{green},{blue},0.16)"}
    edge = {"width": 0, "color": line.color}
    return [_scatter(plot, line, line.low, edge), _scatter(plot, line, line.high, edge, **fill)]


def _best(plot: LinePlot, panel: PlotPanel, lines: list[PlotLine]) -> list[Any]:
    if panel.goal is None:
        return []
    rows = [(line, row) for line in lines if (row := line.best(panel.goal)) is not None]
    return [
        graph_objects.Scatter(
            x=_x(plot, line.x[row : row + 1]), y=line.y[row : row + 1], mode="markers", showlegend=False,
            marker={"color": line.color, "size": 7, "line": {"color": "white", "width": 1}}, name=_escaped(line.label),
        )
        for line, row in rows
    ]  # fmt: skip


def _scatter(plot: LinePlot, line: PlotLine, y: Floats, style: dict[str, Any], **options: Any) -> Any:
    finite = np.isfinite(y) & ((y > 0) | (not plot.is_log_y))
    mode = "lines+markers" if np.count_nonzero(finite) == 1 else "lines"
    attributes = {"showlegend": False, "hoverinfo": "skip", **options}
    values = np.where(np.isfinite(y), y, np.nan)
    x = _x(plot, line.x)
    return graph_objects.Scatter(x=x, y=values, mode=mode, line=style, connectgaps=False, **attributes)


def _x(plot: LinePlot, x: Floats) -> Any:
    if not plot.x.is_time:
        return x
    return np.where(np.isfinite(x), x * 1e3, np.nan).astype("datetime64[ms]")


def _dash(line: PlotLine) -> str:
    return ",".join(f"{length:g}px" for length in dash_of(line.dash)) or "solid"


def _x_axis(plot: LinePlot) -> dict[str, Any]:
    kind = "date" if plot.x.is_time else "log" if plot.x.is_log else "linear"
    return {"type": kind, "gridcolor": _GRID, "zeroline": False, "linecolor": _INK, "ticks": "outside"}


def _y_axis(plot: LinePlot) -> dict[str, Any]:
    axis: dict[str, Any] = {
        "type": "log" if plot.is_log_y else "linear",
        "gridcolor": _GRID,
        "zeroline": False,
        "linecolor": _INK,
    }
    if plot.y_limits is not None:
        axis["range"] = [math.log10(limit) for limit in plot.y_limits] if plot.is_log_y else list(plot.y_limits)
    return {**axis, "ticks": "outside"}


def _escaped(text: str) -> str:
    """Return a text that Plotly does not read as HTML."""
    return plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
