# SPDX-License-Identifier: Apache-2.0
"""Figures of curves for papers: their lines, colors and axes, drawn by Matplotlib or Plotly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.plots.figures import make_figure
    from mindscope.plots.files import write_figure
    from mindscope.plots.line_plot import LinePlot, PlotAxis, PlotLine, PlotPanel
    from mindscope.plots.options import PlotKeywords, PlotOptions

__all__ = [
    "LinePlot",
    "PlotAxis",
    "PlotKeywords",
    "PlotLine",
    "PlotOptions",
    "PlotPanel",
    "make_figure",
    "write_figure",
]

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.plots.figures": "make_figure",
        "mindscope.plots.files": "write_figure",
        "mindscope.plots.line_plot": "LinePlot PlotAxis PlotLine PlotPanel",
        "mindscope.plots.options": "PlotKeywords PlotOptions",
    },
)
