# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope inspect``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from mindscope import reading
from mindscope.cli.logs import FollowLinks, printable, runs_below

if TYPE_CHECKING:
    from rich.table import Table

    from mindscope.reading.inspect import TagReport

WIDTH_OF_A_FILE = 200
"""Output width if stdout is not a terminal, so that no name is cut."""


def inspect(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A run, or a directory with runs at any depth.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: a list with one entry per run.")] = False,
    follow_links: FollowLinks = False,
) -> None:
    """Print what runs contain: files, tags, graphs, lineage, hidden points and damage."""
    reports = [reading.inspect_run(run) for run in runs_below(path, follow_links).values()]
    if as_json:
        typer.echo(json.dumps([report.to_json() for report in reports], indent=2, ensure_ascii=False))
    else:
        _print(reports)


def _print(reports: list[reading.RunReport]) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else WIDTH_OF_A_FILE, markup=False, highlight=False)
    for report in reports:
        for line in _facts(report):
            console.print(printable(line), soft_wrap=True)
        if report.tags:
            console.print(_tag_table(report.tags))


def _facts(report: reading.RunReport) -> Iterable[str]:
    count = len(report.files) or sum(each.count for each in report.contents)
    size = "" if report.size_bytes is None else f"{report.size_bytes:,} bytes in "
    state = "failed" if report.outcome == "failure" else report.state
    yield f"{report.name}  ({state}, {size}{count} {'file' if count == 1 else 'files'})"
    yield f"  path: {report.path}"
    if report.first_wall_time is not None and report.last_wall_time is not None:
        yield f"  written: {_moment(report.first_wall_time)} to {_moment(report.last_wall_time)}"
    for content in report.contents:
        more = f" and {content.count - 1} more" if content.count > 1 else ""
        yield f"  {content.kind.replace('_', ' ')}: {content.name}{more}"
    for graph in report.graphs:
        size = f"{graph.operations} operations, {graph.edges} edges, {graph.parameters} parameters"
        yield f"  graph {graph.name or '(unnamed)'}: {size}"
    if report.dataset_stages:
        yield f"  dataset: {' <- '.join(report.dataset_stages)}"
    for name, value in {**report.lineage, **report.hparams}.items():
        yield f"  {name}: {value}"
    if report.dropped:
        yield f"  the recorder had to drop {report.dropped} values"
    for reason in report.dropped_reasons:
        yield f"  not recorded: {reason}"
    for damage in report.damages:
        yield f"  damaged: {damage.text}"


def _tag_table(tags: Iterable[TagReport]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table("kind", "tag", box=box.SIMPLE_HEAD, pad_edge=False)
    rows = list(tags)
    hidden = [name for name in ("overwritten", "repeated") if any(getattr(tag, name) for tag in rows)]
    for name in ("points", *hidden, "first step", "last step", "last value"):
        table.add_column(name, justify="right")
    for tag in rows:
        counts = [str(getattr(tag, name)) for name in ("points", *hidden)]
        steps = ["" if step is None else str(step) for step in (tag.first_step, tag.last_step)]
        last = "" if tag.last_value is None else f"{tag.last_value:.6g}"
        table.add_row(tag.kind, printable(tag.tag), *counts, *steps, last)
    return table


def _moment(wall_time: float) -> str:
    try:
        return datetime.fromtimestamp(wall_time).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"wall time {wall_time}"
