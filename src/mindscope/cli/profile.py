# SPDX-License-Identifier: Apache-2.0
"""``mindscope profile``."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import mindscope.profile
from mindscope import cli
from mindscope.cli.logs import printable
from mindscope.errors import FormatError

if TYPE_CHECKING:
    from mindscope.profile.profile import Profile
    from mindscope.profile.ranks.ranks import Ranks


def profile(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A profile, or a directory that holds one.")],
    rank: Annotated[
        int | None, typer.Option("--rank", min=0, help="Which rank, if PATH holds profiles of several.")
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, max=10_000, help="Operators and kernels that are listed.")] = 20,
    diff: Annotated[
        Path | None, typer.Option("--diff", metavar="OTHER", help="List what changed from PATH to this profile.")
    ] = None,
    steps: Annotated[
        str | None, typer.Option("--steps", metavar="FIRST:LAST", help="Only these steps of PATH, both included.")
    ] = None,
    diff_steps: Annotated[
        str | None,
        typer.Option("--diff-steps", metavar="FIRST:LAST", help="Only these steps of OTHER; PATH if absent."),
    ] = None,
    ranks: Annotated[
        bool, typer.Option("--ranks", help="Compare all ranks of a training, whose profiles PATH holds.")
    ] = False,
    kernel_wait: Annotated[
        int,
        typer.Option(
            "--kernel-wait", min=0, max=1000, help="Microseconds: shorter gaps between kernels are kernel waits."
        ),
    ] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print where time and memory of a training went, and what to change.

    Reads profiles of PyTorch, MindSpore, Ascend, JAX and Nsight Systems, and other JSON traces, also without a run.
    """
    if ranks:
        compared = _read_ranks(path, diff is not None or diff_steps is not None or steps is not None)
        _print(cli.ranks_json(compared) if as_json else None, cli.ranks_lines(compared, top))
        return
    read = _read(path, steps, rank)
    if diff is None and diff_steps is None:
        overview = mindscope.profile.overview_of(read)
        found_json = cli.overview_json(read, overview, top, kernel_wait) if as_json else None
        _print(found_json, cli.overview_lines(read, overview, top, kernel_wait))
        return
    other = _read(diff or path, diff_steps, rank)
    found = mindscope.profile.diff_profiles(read, other)
    _print(cli.diff_json(found, top) if as_json else None, cli.diff_lines(read, other, found, top))


def _read(path: Path, steps: str | None, rank: int | None) -> Profile:
    """Raises FormatError, ProfilePartError."""
    try:
        with _progress(path) as show:
            found = mindscope.profile.read_profile(cli.mirrored_run(path), show, rank)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error}") from error
    return found if steps is None else found.select_steps(*_numbers(steps))


def _read_ranks(path: Path, has_others: bool) -> Ranks:
    """Raises FormatError."""
    if has_others:
        raise typer.BadParameter("--ranks compares all steps of one training, without --diff, --steps, --diff-steps")
    try:
        return mindscope.profile.read_ranks(cli.mirrored_run(path))
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error}") from error


@contextmanager
def _progress(path: Path) -> Generator[Callable[[int], None]]:
    """Yield a bar of the bytes that are read of a file, on a terminal."""
    from rich.console import Console
    from rich.progress import Progress, TransferSpeedColumn

    console = Console(stderr=True)
    size = path.stat().st_size if path.is_file() else None
    columns = (*Progress.get_default_columns(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(path.name, total=size)
        yield lambda read: bar.update(task, completed=read)


def _numbers(steps: str) -> tuple[int, int]:
    """Return the first and the last step of ``FIRST:LAST``, or twice the one of ``STEP``."""
    first, _, last = steps.partition(":")
    try:
        return int(first), int(last or first)
    except ValueError:
        raise typer.BadParameter(f"{steps!r} is no range of steps, want FIRST:LAST such as 3:5") from None


def _print(found: dict[str, Any] | None, lines: Iterator[str]) -> None:
    typer.echo("\n".join(map(printable, lines)) if found is None else json.dumps(found, indent=1, ensure_ascii=False))
