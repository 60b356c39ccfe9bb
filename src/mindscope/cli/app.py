# SPDX-License-Identifier: Apache-2.0
"""The `mindscope` command: its subcommands and global options."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from typing import Annotated, Any

import typer

from mindscope import __version__
from mindscope.cli.cache import cache
from mindscope.cli.debug import debug
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


def help_of(command: Callable[..., Any]) -> str:
    """The docstring with a line for each paragraph: a terminal breaks lines at its own width."""
    paragraphs = cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)


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
    debug,
    export,
    repair,
    watch,
    cache,
):
    app.command(help=help_of(command))(command)


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
