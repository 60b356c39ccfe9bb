# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope plot``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mindscope.cli.logs import FollowLinks, runs_below
from mindscope.errors import UsageError

_SIZE = "single|text|double|WIDTH|WIDTHxHEIGHT"


def plot(
    path: Annotated[str, typer.Argument(metavar="BASE", help="A run, or a directory with runs at any depth.")],
    tags: Annotated[
        list[str],
        typer.Option(
            "--tags",
            metavar="TAG",
            help="Draw this scalar tag, or an expression such as '`loss/train` - `loss/test`'. Repeatable.",
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write FILE.pdf, .svg or .png with Matplotlib, FILE.html or .json with Plotly.",
        ),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Option("--runs", metavar="PATTERN", help="Draw only matching runs; wildcards are * and ?. Repeatable."),
    ] = None,
    where: Annotated[
        str | None, typer.Option("--where", metavar="CONDITION", help="Draw only such runs, for example 'lr < 0.01'.")
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="PARAMETER",
            help="Draw groups of runs with equal values of a parameter; also name, directory or ranks. Repeatable for "
            "parameters.",
        ),
    ] = None,
    center: Annotated[str, typer.Option("--center", metavar="mean|median", help="Line of a group.")] = "mean",
    spread: Annotated[
        str,
        typer.Option(
            "--spread",
            metavar="deviation|error|confidence|range|quartiles|none",
            help="Band of a group; error is the standard error of the mean.",
        ),
    ] = "deviation",
    smoothing: Annotated[
        float, typer.Option("--smoothing", metavar="WEIGHT", help="Smooth as the page does, from 0 to below 1.")
    ] = 0.0,
    x: Annotated[str, typer.Option("--x", metavar="step|relative|wall", help="Choose the x axis.")] = "step",
    log_x: Annotated[bool, typer.Option("--log-x", help="Use a logarithmic x axis.")] = False,
    log_y: Annotated[bool, typer.Option("--log-y", help="Use a logarithmic y axis.")] = False,
    best: Annotated[
        str | None, typer.Option("--best", metavar="auto|min|max", help="Mark the best value of each line.")
    ] = None,
    overlay: Annotated[bool, typer.Option("--overlay", help="Draw all tags in one panel.")] = False,
    size: Annotated[
        str, typer.Option("--size", metavar=_SIZE, help="Width by name (3.5, 5.5 or 7.16 inches), or inches.")
    ] = "single",
    labels: Annotated[
        list[str] | None, typer.Option("--label", metavar="RUN=TEXT", help="Rename a run or group. Repeatable.")
    ] = None,
    follow_links: FollowLinks = False,
) -> None:
    """Draw scalars as a figure for a paper, with the colors of the page and bands over groups of runs.

    Figures are vectors with embedded fonts, except for PNG. Lines differ in gray, too. Equal data makes equal bytes;
    SOURCE_DATE_EPOCH sets a date. Needs the packages of mindscope[plot].
    """
    from mindscope import plots, reading
    from mindscope.plots.files import engine_of

    keywords: dict[str, Any] = {
        "center": center, "spread": spread, "log_x": log_x, "log_y": log_y, "best": best, "overlay": overlay,
        "size": _size(size), "labels": dict(map(_label, labels or [])),
    }  # fmt: skip
    options = plots.PlotOptions.of(smoothing, x, keywords)
    engine_of(Path(out))  # before the runs are read
    choice = reading.PlotChoice(_grouping(by), runs, where)
    figure = reading.plot_of_runs(runs_below(path, follow_links), tags, choice, options)
    plots.write_figure(figure, Path(out))
    typer.echo(f"wrote {out}")


def _grouping(by: list[str] | None) -> str | list[str] | None:
    return by[0] if by and len(by) == 1 else by


def _size(text: str) -> Any:
    """Return a width by name, a width in inches, or width and height. Raises UsageError."""
    if text.isalpha():
        return text
    try:
        numbers = tuple(float(part) for part in text.split("x"))
    except ValueError:
        raise UsageError(f"--size is {text!r}, want {_SIZE}") from None
    return numbers[0] if len(numbers) == 1 else numbers


def _label(text: str) -> tuple[str, str]:
    name, sign, label = text.rpartition("=")
    if not sign:
        raise UsageError(f"--label is {text!r}, want RUN=TEXT")
    return name, label
