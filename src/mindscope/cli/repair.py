# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope repair``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from mindscope import reading
from mindscope.cli.logs import printable


def repair(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A run, or a directory with runs at any depth.")],
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Output directory; created if it is missing.")],
) -> None:
    """Copy the intact records of damaged event files into new files.

    For each run with a damaged file, mindscope copies all event files and keeps their names. It never changes the
    originals and never replaces existing files.
    """
    report = reading.repair_runs(path, out)
    for failure in report.failures:
        sys.stderr.write(f"mindscope: {printable(failure)}\n")
    for file in report.files:
        typer.echo(printable(_as_line(file)))
    repaired = [file for file in report.files if file.lost_bytes]
    typer.echo(f"repaired {len(repaired)} of {len(report.files)} copied files below {out}" if repaired else "no damage")
    if report.failures:
        raise typer.Exit(1)


def _as_line(file: reading.RepairedFile) -> str:
    if not file.lost_bytes:
        return f"{file.target}: no damage, {file.records:,} records"
    return f"{file.target}: {file.records:,} intact records, without {file.lost_bytes:,} damaged bytes"
