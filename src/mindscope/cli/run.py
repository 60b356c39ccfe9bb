# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope run``."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from mindscope.errors import UsageError
from mindscope.redirect.process import end_as, python_command, run_child, script_environment

CONTEXT_SETTINGS = {"allow_interspersed_args": False, "ignore_unknown_options": True}
"""All that follows the script belongs to it."""


def run(
    target: Annotated[
        str, typer.Argument(metavar="SCRIPT", help="A script, a command written in Python, or a module with -m.")
    ],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGUMENTS...", help="What the script gets; options too.")
    ] = None,
    is_module: Annotated[bool, typer.Option("-m", help="Run a module, as python -m does.")] = False,
    directory: Annotated[
        str, typer.Option("--dir", metavar="DIR", help="Directory of the runs of wandb, trackio and swanlab.")
    ] = "runs",
) -> None:
    """Run a script whose SummaryWriter, wandb, trackio and swanlab calls record here.

    The script stays as it is, and these libraries need not be installed. Nothing is sent, and no account is used. At
    the end the command prints on stderr which runs came and what it ignored. Its exit code is that of the script. See
    docs/tracking.md.
    """
    command = python_command(target if is_module else _script(target), arguments or [], is_module)
    base = Path(directory).absolute()
    started_at = time.time()
    with tempfile.TemporaryDirectory(prefix="mindscope-run-", ignore_cleanup_errors=True) as folder:
        notes_file = Path(folder) / "notes"
        notes_file.touch()
        returncode = run_child(command, script_environment(notes_file, base))
        _print_report(notes_file, started_at, base)
    end_as(returncode)


def _script(target: str) -> str:
    """Return the path of a script, or of a command such as ``torchrun``. Raises UsageError."""
    if Path(target).exists():
        return target
    beside = str(Path(sys.executable).parent)
    command = shutil.which(target, path=beside) or shutil.which(target)
    if command is None:
        raise UsageError(f"script {target!r} does not exist; check the path, or give -m for a module")
    with open(command, "rb") as file:  # noqa: PTH123
        if b"python" not in file.readline(500):
            raise UsageError(f"{command} is not written in Python: run it in a script, or give a script of Python")
    return command


def _print_report(notes_file: Path, started_at: float, base: Path) -> None:
    from mindscope.redirect.report import report_lines

    try:
        for line in report_lines(notes_file, started_at, base):
            typer.echo(line, err=True)
    except Exception as error:  # the script's exit code is worth more
        typer.echo(f"mindscope run: can't say what came: {error}", err=True)
