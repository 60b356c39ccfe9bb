# SPDX-License-Identifier: Apache-2.0
"""Functions of the user's program that an option names, as in ``--model pkg.module:make_model``."""

from __future__ import annotations

import site
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import typer

from mindscope.errors import MindscopeError

_PACKAGE = Path(__file__).parents[1]


class CallableError(MindscopeError):
    """A function that an option names can't be used."""


def find_callable(option: str, name: str) -> Callable[..., Any]:
    """Return the function ``module:attribute``, imported from the current directory or the installed packages.

    The current directory stays on ``sys.path``, since worker processes import the module too.

    Raises:
        typer.BadParameter: the name has another form.
        CallableError: there is no such function, or its module can't be imported; the text names the remedy.
    """
    module_name, _, path = name.partition(":")
    if module_name.endswith(".py") or not all(
        part.isidentifier() for part in [*module_name.split("."), *path.split(".")]
    ):
        raise typer.BadParameter(f"{name!r} is not pkg.module:function", param_hint=option)
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    found: Any = _import(option, name, module_name)
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise CallableError(f"{option} {name}: {module_name} has no {path!r}; {_offers(found)}") from None
    if not callable(found):
        raise CallableError(f"{option} {name}: it is {type(found).__name__}, want a function")
    return found


def call(option: str, name: str, function: Callable[[], Any]) -> Any:
    """Return what the user's function returns. Raises CallableError with file and line where it fails."""
    try:
        return function()
    except Exception as error:
        raise CallableError(f"{option} {name} raised {described(error)}") from error


def _import(option: str, name: str, module_name: str) -> Any:
    try:
        return import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise CallableError(
                f"{option} {name}: no module {error.name!r} in {Path.cwd()} or among the installed packages"
            ) from None
        raise CallableError(f"{option} {name}: importing {module_name} raised {described(error)}") from error
    except Exception as error:
        raise CallableError(f"{option} {name}: importing {module_name} raised {described(error)}") from error


def _offers(module: Any) -> str:
    members = cast("dict[str, object]", vars(module))
    names = [member for member in members if callable(members[member]) and not member.startswith("_")]
    return f"it has {', '.join(names[:8])}" if names else "it has no functions"


def described(error: Exception) -> str:
    """Return the class and text of an error, and where the user's program raised it or called what raised it.

    A ValueError or TypeError of mindscope itself has only its text: it refuses an argument, and says which.
    """
    frames = traceback.extract_tb(error.__traceback__)
    packages = (str(_PACKAGE), "<", *(sys.prefix, sys.base_prefix), *site.getsitepackages())
    own_frames = [frame for frame in frames if not frame.filename.startswith(packages)]
    location = f" ({own_frames[-1].filename}, line {own_frames[-1].lineno})" if own_frames else ""
    is_refused = isinstance(error, (ValueError, TypeError)) and frames[-1].filename.startswith(str(_PACKAGE))
    return f"{error}{location}" if is_refused else f"{type(error).__name__}: {error}{location}"
