# SPDX-License-Identifier: Apache-2.0
"""The `mindscope` command: its subcommands and global options."""

from __future__ import annotations

from typing import Annotated

import typer

from mindscope import __version__
from mindscope.cli.cache import cache
from mindscope.cli.command_help import help_of
from mindscope.cli.debug import commands as debug_commands
from mindscope.cli.diff import diff
from mindscope.cli.export import export
from mindscope.cli.graph import graph
from mindscope.cli.inspect import inspect
from mindscope.cli.landscape import landscape
from mindscope.cli.lineage import lineage
from mindscope.cli.profile import profile
from mindscope.cli.repair import repair
from mindscope.cli.start import start
from mindscope.cli.status import status
from mindscope.cli.stop import stop
from mindscope.cli.watch import watch

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    start,
    stop,
    status,
    inspect,
    lineage,
    diff,
    graph,
    landscape,
    profile,
    export,
    repair,
    watch,
    cache,
):
    app.command(help=help_of(command))(command)
app.add_typer(debug_commands, name="debug")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"mindscope {__version__}")
        raise typer.Exit


@app.callback()
def mindscope(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Record trainings and view them live in a browser.

    `mindscope start DIR` starts the viewer for all runs below a directory.
    """
