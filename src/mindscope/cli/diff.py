# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope diff``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from mindscope import lineage, reading
from mindscope.cli.lineage import Scalars
from mindscope.cli.logs import printable

if TYPE_CHECKING:
    from mindscope.lineage.difference import FieldPair


def diff(
    one: Annotated[str, typer.Argument(metavar="RUN", help="Directory of the first run.")],
    other: Annotated[str, typer.Argument(metavar="RUN", help="Directory of the second run.")],
    scalars: Scalars = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: a list with one entry per field.")] = False,
) -> None:
    """Compare the parameters, data, metrics, custom fields and facts of two runs, differences first."""
    import json

    pairs = reading.compare_runs(reading.open_run(one).store, reading.open_run(other).store, scalars or ())
    if as_json:
        entries = [
            {
                "field": pair.key.id,
                "one": reading.json_cell(pair.one),
                "other": reading.json_cell(pair.other),
                "differs": pair.differs,
            }
            for pair in pairs
        ]
        typer.echo(json.dumps(entries, indent=2, ensure_ascii=False))
    else:
        _print(pairs, one, other)


def _print(pairs: tuple[FieldPair, ...], one: str, other: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    longest = max((len(_text(cell)) for pair in pairs for cell in (pair.one, pair.other)), default=0)
    width = None if sys.stdout.isatty() else 60 + len(one) + len(other) + 2 * longest
    table = Table("", "field", printable(one), printable(other), box=box.SIMPLE_HEAD, pad_edge=False)
    for pair in pairs:
        table.add_row("!=" if pair.differs else "", printable(pair.key.id), _text(pair.one), _text(pair.other))
    Console(width=width, markup=False, highlight=False).print(table)
    count = sum(pair.differs for pair in pairs)
    typer.echo(f"{count} of {len(pairs)} fields differ")


def _text(cell: object) -> str:
    return "" if cell is None else printable(lineage.cell_text(cell))  # type: ignore[arg-type]
