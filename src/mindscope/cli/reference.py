# SPDX-License-Identifier: Apache-2.0
"""``python -m mindscope.cli.reference`` generates docs/commands.md from the help texts of the commands."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import typer.main

from mindscope.cli.app import app
from mindscope.settings import flag_of, settings_table

HEAD = """# Commands

Reference of the `mindscope` command line: start the viewer, inspect, export and repair logs, watch for alerts.
`python -m mindscope.cli.reference` generates this page from the help texts of the program.

`mindscope --install-completion` lets your shell complete commands and options.

Exit codes of every command: 0 for success; 1 for an error, with one line on stderr that says what to do; 2 for wrong
usage. `watch` also exits with 3 when a rule fires.
"""
SETTINGS = """
## Settings and environment variables

The viewer takes each setting from the first of these sources: the flag; `MINDSCOPE_NAME` in the environment;
`MINDINSIGHT_NAME` in the environment; `NAME` in the configuration; the default.
"""
AFTER_SETTINGS = """
The configuration is Python: the line `PORT = 8081` sets the port. The viewer's process has its settings as
`MINDSCOPE_NAME` in its environment and as flags in its command line, so `ps` shows them.

## Files and directories of the viewer

| file | content |
|---|---|
| `WORKSPACE/log/mindscope.PORT.log` | output of a background viewer |
| `WORKSPACE/log/access.PORT.log` | one line per request, the last 60 MB |
| `WORKSPACE/annotations.sqlite3` | annotations: notes, tags, colors, pins, thresholds, views, mutes, targets, reports |
| `WORKSPACE/annotations.copy.sqlite3` | copy of the annotations, once a day and when the viewer stops after a change |
| `WORKSPACE/annotations.damaged-*.sqlite3` | damaged annotations that the viewer replaced |
| `WORKSPACE/cache` | caches of logs, profiles and statistics of dumps; you can delete it at any time |
| `~/.local/state/mindscope` or `$XDG_STATE_HOME/mindscope` | list of running viewers for `status` and `stop` |

**Annotations** are original data: back them up. The viewer detects flipped bits and lost pages by checksums. It then
moves the damaged file aside, restores the intact records from the file or the copy, and shows a message on the page.
To start with empty annotations, delete the file and its copy while no viewer runs.

**The cache** lets the next start read only new data. If two viewers use one workspace for the same directory, the first
writes the cache; the second uses it and holds the rest in memory. When the caches exceed `--cache-size`, the viewer
deletes the least recently used ones.

**Large files** are read in a process of their own, which may have `--reader-memory` for its data. A profile is large
from a 64th of that size on, 64 MiB by default; one compressed with gzip, a pickle or a graph from a 16th of that.
Profiles whose tables have this 16th together are compared in such a process too.
A file that needs more memory is a message on the page, and the viewer continues. The limit holds on Linux only.

**Read-only workspace or full disk:** the viewer still starts, prints a warning and serves from memory. It refuses to
change annotations and gives the reason, writes no log files, and reads the event files again at the next start. If the
state directory is read-only, `status` and `stop` don't find a foreground viewer.

## Remote access and security

By default the viewer listens on 127.0.0.1 only, and answers only requests whose `Host` header is one of its own names.
From another machine, forward the port: `ssh -L 8080:127.0.0.1:8080 HOST`. With `--host`, other machines can connect;
users then need the token of the link that `start` prints. [docs/access.md](access.md) has tokens, HTTPS and proxies.
"""


def main() -> None:
    """Print the reference."""
    sys.stdout.write(reference())


def reference() -> str:
    """Return all commands as Markdown."""
    commands = typer.main.get_group(app).commands
    lines = [HEAD, *(line for name in commands for line in _commands(name, commands[name])), SETTINGS, *_settings()]
    return "\n".join(lines) + "\n" + AFTER_SETTINGS


def _settings() -> Iterator[str]:
    """Yield the table of settings."""
    yield "| flag | NAME | accepted | default |\n|---|---|---|---|"
    for name, setting in settings_table().items():
        default = setting.shown_default or ("0" if setting.metavar is None else "none")
        flag = "none" if setting.is_secret else f"`{flag_of(name)}`"
        yield f"| {flag} | `{name.upper()}` | {setting.accepted} | {default} |"


def _commands(name: str, command: Any) -> Iterator[str]:
    """Yield a section of a command, and one below it for each of its own commands."""
    yield from _command(name, command)
    for inner, value in getattr(command, "commands", {}).items():
        if not value.hidden:
            yield from _command(f"{name} {inner}", value)


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [_argument(parameter) for parameter in command.params if parameter.param_type_name == "argument"]
    yield f"{'#' * (2 + name.count(' '))} mindscope {' '.join([name, *arguments])}\n"
    yield "\n\n".join(textwrap.fill(paragraph, 120) for paragraph in command.help.split("\n\n")) + "\n"
    if command.params:
        yield "| | |\n|---|---|"
        yield from (_row(parameter) for parameter in command.params)
        yield ""


def _row(parameter: Any) -> str:
    """Return a row of a command's table."""
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
