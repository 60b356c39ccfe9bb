# SPDX-License-Identifier: Apache-2.0
"""The command line of a trial: the words of a sweep with the macros of W&B."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mindscope.errors import UsageError
from mindscope.sweep.parameters import Path as KeyPath
from mindscope.sweep.parameters import nested

_ENVIRONMENT = re.compile(r"\$\{envvar:([^}]*)\}")
_ANY = re.compile(r"\$\{[^}]*\}")


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the macros of a trial stand for. ``json_file`` exists when the trial starts."""

    program: str | None
    values: Mapping[KeyPath, Any]
    json_file: Path
    directory: Path

    @property
    def json_text(self) -> str:
        """The parameters as JSON, nested."""
        return json.dumps(nested(self.values))


def command_line(words: tuple[str, ...], arguments: Arguments) -> list[str]:
    """Return the words of a command; a word that is a list of arguments becomes several. Raises UsageError."""
    line: list[str] = []
    for word in words:
        listed = _LISTS.get(word)
        line += [_filled(word, arguments)] if listed is None else listed(arguments)
    return line


def check_command(words: tuple[str, ...]) -> None:
    """Raises UsageError for a macro that does not exist, or a variable that is not set."""
    command_line(words, Arguments("", {}, Path(), Path()))


def _pairs(arguments: Arguments) -> list[tuple[str, Any]]:
    return [(".".join(path), value) for path, value in arguments.values.items()]


def _boolean_flags(arguments: Arguments) -> list[str]:
    pairs = [(name, value) for name, value in _pairs(arguments) if value is not False]
    return [f"--{name}" if value is True else f"--{name}={_text(value)}" for name, value in pairs]


_LISTS: Mapping[str, Callable[[Arguments], list[str]]] = {
    "${env}": lambda arguments: ["/usr/bin/env"],
    "${args}": lambda arguments: [f"--{name}={_text(value)}" for name, value in _pairs(arguments)],
    "${args_no_hyphens}": lambda arguments: [f"{name}={_text(value)}" for name, value in _pairs(arguments)],
    "${args_no_boolean_flags}": _boolean_flags,
}
_TEXTS: Mapping[str, Callable[[Arguments], str]] = {
    "${interpreter}": lambda arguments: sys.executable,
    "${program}": lambda arguments: arguments.program or "",
    "${args_json}": lambda arguments: arguments.json_text,
    "${args_json_file}": lambda arguments: str(arguments.json_file),
    "${trial_dir}": lambda arguments: str(arguments.directory),
}


def _filled(word: str, arguments: Arguments) -> str:
    """Fill the macros of one word, once: what they stand for is no macro again."""

    def filled(match: re.Match[str]) -> str:
        macro = match[0]
        if variable := _ENVIRONMENT.fullmatch(macro):
            if variable[1] not in os.environ:
                raise UsageError(f"command uses {macro}, and {variable[1]} is not set: set it, or leave the macro out")
            return os.environ[variable[1]]
        if macro not in _TEXTS:
            names = ", ".join([*_LISTS, *_TEXTS, "${envvar:NAME}"])
            raise UsageError(f"command has {macro}, which stands for nothing here: want one of {names} as a word")
        return _TEXTS[macro](arguments)

    return _ANY.sub(filled, word)


def _text(value: Any) -> str:
    """Return a value as an argument: texts as they are, lists and dicts as JSON."""
    return json.dumps(value) if isinstance(value, (list, tuple, dict)) else str(value)
