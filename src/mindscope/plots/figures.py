# SPDX-License-Identifier: Apache-2.0
"""Draws a figure with the library of the user's choice, which is an optional package."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal

from mindscope.errors import MissingPackageError, UsageError
from mindscope.plots.line_plot import LinePlot
from mindscope.reasons import Reason

Engine = Literal["matplotlib", "plotly"]
ENGINES = ("matplotlib", "plotly")


def make_figure(plot: LinePlot, engine: str = "matplotlib") -> Any:
    """Return a ``matplotlib.figure.Figure`` or a ``plotly.graph_objects.Figure``.

    Raises UsageError for another engine, MissingPackageError where its package is not installed.
    """
    if engine not in ENGINES:
        raise UsageError(f"engine is {engine!r}, want one of {', '.join(ENGINES)}.")
    require_engine(engine)
    return import_module(f"mindscope.plots.{engine}_figure").draw(plot.reduced())


def require_engine(engine: str) -> None:
    """Raises MissingPackageError where the package of an engine is not installed."""
    try:
        import_module(engine)
    except ImportError as error:
        name = {"matplotlib": "Matplotlib", "plotly": "Plotly"}[engine]
        raise MissingPackageError(Reason("plot_engine_missing", engine=name)) from error
