# SPDX-License-Identifier: Apache-2.0
"""Opens the runs of a command, and makes names safe for a terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from mindscope import reading
from mindscope.errors import RunNotFoundError

FollowLinks = Annotated[
    bool, typer.Option("--follow-links", help="Also follow symbolic links that point outside the directory.")
]
"""The option of every command that finds runs."""


def runs_below(path: str, follow_links: bool = False) -> reading.Runs:
    """Return the run in directory ``path`` and all runs below it; prints unreadable paths on stderr.

    Raises RunNotFoundError if there is none.
    """
    runs = reading.open_runs(path, follow_links=follow_links)
    for problem in runs.problems:
        typer.echo(printable(problem), err=True)
    if not runs:
        raise RunNotFoundError(
            f"{path} holds no event file, profile, dump or log at any depth; give the directory that a training wrote"
        )
    return runs


def printable(text: str) -> str:
    """Return text from a log without terminal control characters."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
