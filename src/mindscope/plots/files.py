# SPDX-License-Identifier: Apache-2.0
"""Writes figures to files whose names say the format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mindscope.errors import ExportError, UsageError
from mindscope.plots.figures import make_figure, require_engine
from mindscope.plots.line_plot import LinePlot

FORMATS = {"pdf": "matplotlib", "svg": "matplotlib", "png": "matplotlib", "html": "plotly", "json": "plotly"}
"""Suffixes of files, and the engine that writes each."""


def engine_of(path: Path) -> str:
    """Return the engine that writes files of a suffix. Raises UsageError, MissingPackageError."""
    engine = FORMATS.get(path.suffix.removeprefix(".").lower())
    if engine is None:
        raise UsageError(f"{path.name!r} names no format of figures; end it with one of .{', .'.join(FORMATS)}.")
    require_engine(engine)
    return engine


def write_figure(plot: LinePlot, path: Path) -> None:
    """Write a figure; equal data makes equal bytes.

    Raises UsageError for a suffix without a format, MissingPackageError, ExportError if the file can't be written.
    """
    figure = make_figure(plot, engine_of(path))
    try:
        _write(figure, path)
    except OSError as error:
        raise ExportError(f"{path}: {error.strerror or error}") from error


def _write(figure: Any, path: Path) -> None:
    suffix = path.suffix.removeprefix(".").lower()
    if suffix == "html":
        figure.write_html(path, include_plotlyjs=True, div_id="plot")
    elif suffix == "json":
        figure.write_json(path)
    else:
        figure.savefig(path, format=suffix)
