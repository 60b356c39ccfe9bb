# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope pack``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from mindscope import reading
from mindscope.cli.interruption import exit_code, terminable
from mindscope.cli.logs import printable


def pack(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Runs, or directories with runs at any depth.")],
    out: Annotated[str, typer.Option("--out", metavar="FILE.mscope", help="The archive.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    checkpoints: Annotated[
        bool, typer.Option("--checkpoints", help="Pack the checkpoints, too, that log_file kept in the runs.")
    ] = False,
) -> None:
    """Pack runs into one file, which opens without unpacking.

    `mindscope start`, `inspect`, `export` and all other commands take the file in place of a directory. It holds event
    files, settings, graphs, profiles, debugging data, logs and kept files of the runs. A training may go on while it is
    packed.
    """
    try:
        with terminable():
            report = reading.pack_runs(paths, out, force=force, checkpoints=checkpoints)
    except KeyboardInterrupt as interrupt:
        raise typer.Exit(exit_code(interrupt)) from None
    for problem in report.problems:
        sys.stderr.write(f"mindscope: {printable(problem)}\n")
    count = len(report.runs)
    typer.echo(
        f"packed {count} {'run' if count == 1 else 'runs'} of {report.files:,} files into {report.path}, "
        f"{report.size_bytes:,} bytes; open it with: mindscope start {report.path}"
    )
    if report.problems:
        raise typer.Exit(1)
