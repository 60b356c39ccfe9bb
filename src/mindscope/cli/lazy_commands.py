# SPDX-License-Identifier: Apache-2.0
"""Imports the module of a command when the command runs or shows its options, not for the list of commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from keyword import iskeyword
from typing import Any

import typer.core
import typer.main

from mindscope.cli.command_help import help_of


class LazyCommands(Mapping[str, Any]):
    """The commands of typer by name; each is made at its first use from the module with its name."""

    def __init__(self, package: str, names: Mapping[str, str]) -> None:
        self._package = package
        self._names = names

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return _command(self._package, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@cache
def _command(package: str, name: str) -> Any:
    """Return the group of a module with ``commands``, else the command of its function ``name``."""
    name = f"{name}_" if iskeyword(name) else name
    module = import_module(f"{package}.{name}")
    if hasattr(module, "commands"):
        return typer.main.get_group(module.commands)
    function = getattr(module, name)
    application = typer.Typer(add_completion=False)
    settings = getattr(module, "CONTEXT_SETTINGS", None)
    application.command(help=help_of(function), context_settings=settings)(function)
    return typer.main.get_command(application)


def group_of(package: str, summaries: Mapping[str, str]) -> type[typer.core.TyperGroup]:
    """Return the class of a group whose commands have these names and summaries."""

    class LazyGroup(typer.core.TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = LazyCommands(package, summaries)  # pyright: ignore[reportAttributeAccessIssue]

        def list_commands(self, ctx: Any) -> list[str]:
            """Return the names of the commands in their order."""
            return list(summaries)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            """Return a command for lists: its name and summary."""
            return typer.core.TyperCommand(cmd_name, help=summaries[cmd_name]) if cmd_name in summaries else None

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """Return the whole command that ``args`` name, which runs next, and the arguments after it."""
            name, command, rest = super().resolve_command(ctx, args)
            return name, command and self.commands[command.name or ""], rest

    return LazyGroup
