# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope lineage``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import mindscope.lineage
from mindscope import reading
from mindscope.cli.logs import FollowLinks, printable, runs_below
from mindscope.cli.usage import usage

if TYPE_CHECKING:
    from mindscope.reading import LineageTable

Scalars = Annotated[
    list[str] | None,
    typer.Option(
        "--scalars",
        metavar="PATTERN",
        help="Add last, min, max and mean of matching tags; wildcards are * and ?. Repeatable.",
    ),
]


def lineage(
    path: Annotated[str, typer.Argument(metavar="BASE", help="A run, or a directory with runs at any depth.")],
    where: Annotated[
        str | None,
        typer.Option(
            "--where", metavar="FILTER", help="Show only matching runs: lr < 0.01 and metric['Accuracy'] > 0.9"
        ),
    ] = None,
    sort: Annotated[
        list[str] | None,
        typer.Option("--sort", metavar="COLUMN", help="Sort by this column; -COLUMN sorts descending. Repeatable."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--columns", metavar="COLUMN", help="Show only the run and this column. Repeatable."),
    ] = None,
    scalars: Scalars = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV with all columns.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON with all columns.")] = False,
    parquet: Annotated[
        str | None,
        typer.Option("--parquet", metavar="FILE", help="Write all columns to a Parquet file; needs pyarrow."),
    ] = None,
    follow_links: FollowLinks = False,
) -> None:
    """Print a table of all runs: parameters, data, metrics, custom fields and facts.

    A terminal shows columns that differ between runs, and of the facts only state and duration. CSV, JSON and Parquet
    contain all columns.
    """
    if where is not None:
        with usage():
            mindscope.lineage.Filter(where)
    table = runs_below(path, follow_links).lineage(scalars=scalars or ())
    for problem in table.problems:
        typer.echo(printable(problem), err=True)
    if where is not None:
        table = table.filter(where)
    table = table.sort(*(sort or ()))
    if columns:
        table = table.choose("run", *columns)
    if parquet is not None:
        reading.write_lineage_parquet(table, Path(parquet))
        typer.echo(f"wrote {len(table)} runs to {parquet}", err=True)
    if as_csv:
        sys.stdout.writelines(table.csv_lines())
    elif as_json:
        reading.write_lineage_json(table, sys.stdout)
    elif parquet is None:
        _print(table if columns else _for_a_terminal(table))


def _for_a_terminal(table: LineageTable) -> LineageTable:
    fixed = ("run", "fact/state", "fact/duration")
    columns = table.columns
    few = len(table) < 2
    return table.choose(
        *(
            id
            for id, column in columns.items()
            if id in fixed or (not id.startswith("fact/") and (few or column.differs))
        )
    )


def _print(table: LineageTable) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    columns = table.columns
    is_terminal = sys.stdout.isatty()
    console = Console(width=None if is_terminal else 40 * max(5, len(columns)), markup=False, highlight=False)
    printed = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for id, column in columns.items():
        printed.add_column(printable(id), justify="right" if column.is_numeric else "left", overflow="fold")
    for cells in zip(*(column.cells for column in columns.values()), strict=True):
        printed.add_row(*("" if cell is None else printable(cell_as_text(cell)) for cell in cells))
    console.print(printed)


def cell_as_text(cell: object) -> str:
    """Return numbers with six digits, other cells unchanged."""
    return f"{cell:.6g}" if isinstance(cell, float) else mindscope.lineage.cell_text(cell)  # type: ignore[arg-type]
