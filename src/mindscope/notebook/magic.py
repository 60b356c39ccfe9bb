# SPDX-License-Identifier: Apache-2.0
"""``%load_ext mindscope`` and ``%mindscope runs``."""

from __future__ import annotations

import shlex
from typing import Any

import typer
import typer.main

from mindscope.cli.start import base_directory, start
from mindscope.errors import MindscopeError, UsageError
from mindscope.notebook.show import show


def load_ipython_extension(shell: Any) -> None:
    """Add the magic ``%mindscope`` to an IPython shell; IPython calls it at ``%load_ext mindscope``."""
    shell.register_magic_function(mindscope_magic, "line", "mindscope")


def mindscope_magic(line: str) -> None:
    """Show the viewer of ``%mindscope DIR ...``, which takes the arguments of ``mindscope start``."""
    try:
        options = parse(line)
        if options is not None:
            show(**options)
    except MindscopeError as error:
        print(f"mindscope: {error}")


def parse(line: str) -> dict[str, Any] | None:
    """Return the arguments of ``show`` in a line; None if the line asks for help, which is printed.

    Raises UsageError if the command line takes no such arguments.
    """
    try:
        options = _command().make_context("%mindscope", shlex.split(line)).params
    except typer.Exit:
        return None
    except ValueError as error:
        raise UsageError(f"%mindscope {line}: {error}; close every quotation mark") from error
    except Exception as error:
        message: Any = getattr(error, "format_message", None)  # typer may bring its own click
        if message is None:
            raise
        raise UsageError(f"%mindscope: {message()} `%mindscope --help` lists the options.") from error
    if options.pop("foreground"):
        raise UsageError("%mindscope runs the viewer beside the notebook; leave out --foreground.")
    given = {name: value for name, value in options.items() if value not in (None, [], ())}
    directories: list[str] = given.pop("directories", [])
    base = base_directory(directories, given)
    return given if base is None else {"directory": base, **given}


def _command() -> Any:
    commands = typer.Typer(add_completion=False)
    commands.command()(start)
    return typer.main.get_command(commands)
