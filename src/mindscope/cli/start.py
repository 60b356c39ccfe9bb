# SPDX-License-Identifier: Apache-2.0
"""``mindscope start``."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated

import typer

from mindscope.config import Settings, load_settings


def start(
    config: Annotated[
        str | None,
        typer.Option(metavar="CONFIG", help="Read settings from file:/path/to/config.py or python:package.module."),
    ] = None,
    workspace: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Keep logs and people's own data here.", show_default="~/mindscope"),
    ] = None,
    port: Annotated[
        str | None, typer.Option(metavar="PORT", help="Listen here, 1 to 65535.", show_default="8080")
    ] = None,
    reload_interval: Annotated[
        str | None,
        typer.Option(metavar="SECONDS", help="Look for new data so often; 0 loads everything once.", show_default="3"),
    ] = None,
    summary_base_dir: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Show the runs below this directory.", show_default="the current directory"),
    ] = None,
    cache_size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Keep at most so much of what was read for the next start, such as 500M; 0 keeps nothing.",
            show_default="10G",
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Listen on this address; any but this machine's own lets others look.",
            show_default="127.0.0.1",
        ),
    ] = None,
    follow_links: Annotated[
        bool | None,
        typer.Option("--follow-links", help="Also show the runs behind links that lead out of the directory."),
    ] = None,
    allow_delete: Annotated[
        bool | None, typer.Option("--allow-delete", help="Let the page delete the event files of runs.")
    ] = None,
    alerts: Annotated[
        str | None,
        typer.Option(metavar="NAME=VALUE,...", help="Set parameters of the built-in checks, as in docs/alerts.md."),
    ] = None,
    foreground: Annotated[bool, typer.Option("--foreground", help="Stay in the terminal until Ctrl-C.")] = False,
) -> None:
    """Start the viewer, in the background unless told otherwise.

    A setting that is not given is taken from the environment (MINDSCOPE_PORT, ... or MINDINSIGHT_PORT, ...), then from
    the configuration.
    """
    flags = {
        "config": config,
        "workspace": workspace,
        "port": port,
        "reload_interval": reload_interval,
        "summary_base_dir": summary_base_dir,
        "cache_size": cache_size,
        "host": host,
        "follow_links": follow_links,
        "allow_delete": allow_delete,
        "alerts": alerts,
    }
    settings = load_settings(flags)
    if foreground:
        _stay(settings)
    else:
        _leave(settings)


def _leave(settings: Settings) -> None:
    from mindscope.server.background import start_in_background
    from mindscope.server.workspace import workspace_warning

    warning = workspace_warning(settings)
    if warning is not None:
        typer.echo(f"warning: {warning}", err=True)
    viewer = start_in_background(settings)
    typer.echo(f"viewer:    {viewer.address}")
    typer.echo(f"runs:      {viewer.base_dir}")
    typer.echo(f"workspace: {viewer.workspace}")
    typer.echo(f"stop:      mindscope stop --port {viewer.port}")


def _stay(settings: Settings) -> None:
    import os

    with _without_collecting():
        from mindscope.server.serve import serve
        from mindscope.server.viewers import address

    os.environ.update(settings.environment())
    serve(
        settings,
        lambda: typer.echo(
            f"viewer:    {address(settings.host, settings.port)}\n"
            f"runs:      {settings.summary_base_dir}\n"
            f"workspace: {settings.workspace}\n"
            "stop:      Ctrl-C"
        ),
    )


@contextmanager
def _without_collecting() -> Generator[None]:
    """Look for no garbage while modules are imported, a fifth of the time, and never again among what they made."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
