# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope query``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mindscope.cli.logs import FollowLinks, printable, runs_below
from mindscope.errors import ExportError, UsageError

if TYPE_CHECKING:  # options of a command need no NumPy
    from mindscope.reading import QueryResult

FORMATS = ("table", "csv", "json", "parquet")
MOST_PRINTED = 1000


def query(
    path: Annotated[str, typer.Argument(metavar="BASE", help="A run, or a directory with runs at any depth.")],
    statement: Annotated[
        str, typer.Argument(metavar="SELECT", help="One statement, such as: SELECT run, best FROM metrics.")
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="table|csv|json|parquet",
            help="Print in this format, or write it to --out.",
            show_default="by the name of --out, else table",
        ),
    ] = None,
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="Write the result to this file.")] = None,
    rows: Annotated[int, typer.Option("--rows", min=1, help="Leave out further rows.")] = 1_000_000,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="End a query that takes longer.")] = 120,
    memory: Annotated[
        str, typer.Option("--memory", metavar="SIZE", help="End a query that needs more memory, such as 500M or 8G.")
    ] = "2G",
    follow_links: FollowLinks = False,
) -> None:
    """Query runs in SQL: parameters, every point, metrics, alerts, profiles, tensors and logs.

    The tables are runs, params, scalars, metrics, alerts, operators, kernels, tensor_statistics and logs;
    docs/query.md describes their columns, and "DESCRIBE scalars" prints those of one. The statement is one SELECT,
    EXPLAIN or DESCRIBE in the dialect of DuckDB, which reads no files. Needs the packages of mindscope[query].
    """
    from mindscope.setting_values import Given, parse_size

    chosen = format or (Path(out).suffix.removeprefix(".") if out else "table")
    if chosen not in FORMATS:
        raise UsageError(f"--format is {chosen!r}, want one of {', '.join(FORMATS)}")
    if chosen == "parquet" and out is None:
        raise UsageError("--format parquet needs --out FILE")
    memory_bytes = parse_size(Given(memory, "--memory"))
    result = runs_below(path, follow_links).sql(statement, rows=rows, seconds=seconds, memory_bytes=memory_bytes)
    for problem in result.problems:
        typer.echo(printable(problem), err=True)
    _write(result, chosen, out)
    if out is not None:
        typer.echo(f"wrote {result.summary} to {out}", err=True)
    elif not result.is_complete:
        typer.echo(f"{result.summary}; --rows sets the limit", err=True)


def _write(result: QueryResult, format: str, out: str | None) -> None:
    if format == "parquet":
        assert out is not None
        result.write_parquet(Path(out))
        return
    try:
        file = sys.stdout if out is None else Path(out).open("w", encoding="utf-8", newline="")  # noqa: SIM115
    except OSError as error:
        raise ExportError(f"{out}: {error.strerror or error}") from error
    try:
        if format == "csv":
            file.writelines(result.csv_lines())
        elif format == "json":
            result.write_json(file)
        else:
            _print(result, file)
    finally:
        if file is not sys.stdout:
            file.close()


def _print(result: QueryResult, file: object) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    is_terminal = file is sys.stdout and sys.stdout.isatty()
    width = None if is_terminal else 40 * max(5, len(result.columns))
    console = Console(file=file, width=width, markup=False, highlight=False)  # type: ignore[arg-type]
    printed = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, is_number in result.numeric.items():
        printed.add_column(printable(name), justify="right" if is_number else "left", overflow="fold")
    for row in result.text_rows(MOST_PRINTED):
        printed.add_row(*map(_lines, row))
    console.print(printed)
    if len(result) > MOST_PRINTED:
        console.print(f"{len(result) - MOST_PRINTED:,} further rows: write them with --out FILE, or --format csv")


def _lines(cell: str) -> str:
    """Return a cell without control characters; it keeps its lines, such as those of EXPLAIN."""
    return "\n".join(map(printable, cell.split("\n")))
