# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope index``."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from mindscope import indexing
from mindscope.cli.executors import ExecutorName, core_processes, executor_of
from mindscope.cli.interruption import exit_code, terminable
from mindscope.cli.logs import FollowLinks, printable
from mindscope.settings import load_settings


def index(
    base: Annotated[str, typer.Argument(metavar="BASE", help="A directory with runs at any depth.")],
    executor: Annotated[
        ExecutorName, typer.Option("--executor", help="Decode on the cores of this machine, or on a cluster.")
    ] = ExecutorName.LOCAL,
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="ADDRESS",
            help="Address of the cluster, such as auto for Ray or tcp://host:8786 for Dask.",
            show_default="RAY_ADDRESS or DASK_SCHEDULER_ADDRESS, else workers on this machine",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Number of workers on this machine; default: one for each core."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write the index here, for viewers with --index DIR; all machines must reach it by this path.",
            show_default="the workspace, for viewers on this machine",
        ),
    ] = None,
    workspace: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Without --out, write into this workspace.", show_default="~/mindscope"),
    ] = None,
    cache_size: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Limit the caches in the workspace to this size.", show_default="10G"),
    ] = None,
    follow_links: FollowLinks = False,
) -> None:
    """Decode runs by all cores or a cluster, for viewers that start at once and for readers of Parquet.

    The same command later decodes only what is new. A call that was killed continues. docs/scaling.md describes the
    files, and several viewers over one index. Needs pyarrow.
    """
    settings = load_settings({"workspace": workspace, "cache_size": cache_size})
    directory = settings.workspace if out is None else Path(out).expanduser().absolute()
    executors = partial(executor_of, executor, workers, core_processes, address)
    limit = settings.cache_size if out is None else indexing.UNLIMITED
    try:
        with terminable():
            report = indexing.build_index(
                base, directory, executors, limit_bytes=limit, follow_links=follow_links, on_progress=_show
            )
    except KeyboardInterrupt as interrupt:
        raise typer.Exit(exit_code(interrupt)) from None
    for name, problem in report.problems.items():
        typer.echo(f"mindscope: {printable(f'{name}: {problem}' if problem else name)}", err=True)
    typer.echo(
        f"indexed {report.runs:,} runs, {report.manifest.rows:,} points; decoded {report.scanned_bytes:,} bytes of "
        f"{report.decoded:,} runs\nparquet: {report.manifest.folder / 'manifest.json'}\n"
        f"viewer:  mindscope start {base}{'' if out is None else f' --index {directory}'}"
    )
    if report.problems:
        raise typer.Exit(1)


def _show(done: int, total: int) -> None:
    if sys.stderr.isatty():
        typer.echo(f"\r{done} of {total} tasks", err=True, nl=done == total)
