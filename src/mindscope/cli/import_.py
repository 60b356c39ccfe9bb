# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope import``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mindscope.cli.interruption import exit_code, terminable
from mindscope.cli.logs import printable
from mindscope.errors import MindscopeError


def import_(
    repository: Annotated[Path, typer.Argument(metavar="DIR", help="Directory with a folder `.aim`.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Directory of the new runs.")],
    python: Annotated[
        str,
        typer.Option(metavar="PYTHON", help="A Python in which Aim is installed; by default the one that runs this."),
    ] = "",
) -> None:
    """Write event files of the runs of Aim, which its own package reads.

    Each run becomes a directory with its metrics and parameters. Runs that are there already stay as they are, so the
    command may run again.
    """
    from mindscope.cli.import_aim import imported_runs

    count = present = 0
    try:
        with terminable():
            if not (repository / ".aim").is_dir():
                raise typer.BadParameter(f"{repository} has no folder .aim")
            for directory, is_new in imported_runs(repository, out, python or sys.executable):
                count, present = count + is_new, present + (not is_new)
                if is_new:
                    typer.echo(f"imported {directory}")
    except KeyboardInterrupt as interrupt:
        raise typer.Exit(exit_code(interrupt)) from None
    except (MindscopeError, OSError) as error:
        sys.stderr.write(f"mindscope: {printable(str(error))}\n")
        raise typer.Exit(1) from None
    typer.echo(f"{count} new runs, {present} were there; open them with: mindscope start {out}")
