# SPDX-License-Identifier: Apache-2.0
"""``python -m mindscope.cli.reference`` prints docs/commands.md, made of what the commands themselves say."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import typer.main

from mindscope.cli.app import app
from mindscope.settings import flag_of, settings_table

HEAD = """# Commands

Written by `python -m mindscope.cli.reference`. Every command ends with 0 when it worked, with 1 and one line that says
what to do when it did not, and with 2 for wrong usage; `watch` also with 3 when a rule fired.
"""
SETTINGS = """
## Settings

The viewer takes each setting from the first of these sources that gives it: the flag; `MINDSCOPE_NAME` in the
environment; `MINDINSIGHT_NAME` in the environment; `NAME` in the configuration; the default.
"""
AFTER_SETTINGS = """
A configuration is Python: `PORT = 8081` on a line of its own sets the port. The viewer's process carries its settings
as `MINDSCOPE_NAME` in its environment and as flags in the list of processes.

## Files of a viewer

`WORKSPACE/log/mindscope.PORT.log` holds what a viewer in the background prints, `WORKSPACE/log/access.PORT.log` a line
for each request (the last 60 MB). While it runs, a viewer is noted in `~/.local/state/mindscope` (or below
`$XDG_STATE_HOME`), so that `status` and `stop` find it whatever its workspace.

`WORKSPACE/notebook.sqlite3` holds people's own data: notes, tags and colours of runs, colours of groups, pins,
thresholds, views. It is no cache: back it up. A viewer copies it to `WORKSPACE/notebook.copy.sqlite3` once a day and
when it stops after a change. Where the disk flips a bit or loses a page, the viewer notices it by checksums, moves the
file to `notebook.damaged-*.sqlite3`, restores what is intact there or in the copy, and says so on the page. To begin
again with an empty one, delete both files while no viewer runs.

`WORKSPACE/cache` keeps what was read of the logs, so that the next start reads only what grew. It may be deleted at any
time. Where two viewers share a workspace and show the same directory, the first writes the cache; the other uses it and
keeps the rest in memory. Caches that were not used for longest make room for others.

Where the workspace can't be written, because it is read-only or the disk is full, a viewer starts all the same, says so
and serves from memory: a change of the notebook is refused with the reason, the logs are read anew at the next start,
and nothing is logged. A viewer in the foreground whose state folder can't be written is not found by `status` and
`stop`.

## Who may look

A viewer listens on this machine only, and answers only requests whose `Host` is one of its own names. From another
machine, forward the port: `ssh -L 8080:127.0.0.1:8080 there`. With `--host` others can look without a password; use it
only among people who may see the logs.
"""


def main() -> None:
    """Print the reference."""
    sys.stdout.write(reference())


def reference() -> str:
    """All commands as Markdown."""
    commands = typer.main.get_group(app).commands
    lines = [HEAD, *(line for name in commands for line in _command(name, commands[name])), SETTINGS, *_settings()]
    return "\n".join(lines) + "\n" + AFTER_SETTINGS


def _settings() -> Iterator[str]:
    """The table of settings."""
    yield "| flag | NAME | accepted | default |\n|---|---|---|---|"
    for name, setting in settings_table().items():
        default = setting.shown_default or ("0" if setting.metavar is None else "none")
        yield f"| `{flag_of(name)}` | `{name.upper()}` | {setting.accepted} | {default} |"


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [_argument(parameter) for parameter in command.params if parameter.param_type_name == "argument"]
    yield f"## mindscope {' '.join([name, *arguments])}\n"
    yield inspect.cleandoc(command.help) + "\n"
    if command.params:
        yield "| | |\n|---|---|"
        yield from (_row(parameter) for parameter in command.params)
        yield ""


def _row(parameter: Any) -> str:
    """A line of the table of a command."""
    name = " ".join([*parameter.opts, *([] if _is_switch(parameter) else [_argument(parameter)])])
    if parameter.param_type_name == "argument":
        name = _argument(parameter)
    notes = [parameter.help]
    if parameter.required and parameter.param_type_name == "option":
        notes.append("Required.")
    if isinstance(parameter.show_default, str):
        notes.append(f"Default: {parameter.show_default}.")
    return f"| `{name}` | {' '.join(notes)} |".replace("csv|parquet", "csv\\|parquet")


def _argument(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name)


def _is_switch(parameter: Any) -> bool:
    return bool(getattr(parameter, "is_flag", False))


if __name__ == "__main__":
    main()
