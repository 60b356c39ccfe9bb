# SPDX-License-Identifier: Apache-2.0
"""The runs that a command was given, and their names in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mindscope.errors import RunNotFoundError

if TYPE_CHECKING:
    from mindscope.reading import Runs

FollowLinks = Annotated[
    bool, typer.Option("--follow-links", help="Also follow symbolic links that point outside the directory.")
]
"""The option of every command that finds runs."""


def runs_below(path: str, follow_links: bool = False) -> Runs:
    """The run in directory ``path`` and all those below it; what can't be looked into is said on stderr.

    Raises RunNotFoundError when there is none at all.
    """
    from mindscope.reading import open_runs

    runs = open_runs(path, follow_links=follow_links)
    for problem in runs.problems:
        typer.echo(printable(problem), err=True)
    if not runs:
        raise RunNotFoundError(f"{path} holds no event file at any depth; give the directory that a training wrote")
    return runs


def printable(text: str) -> str:
    """Text from a log without what would steer a terminal."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
