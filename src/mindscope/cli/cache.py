# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope cache``."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from mindscope import store
from mindscope.settings import load_settings


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete every cache that no running viewer writes.")] = False,
    workspace: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Use the caches of this workspace.", show_default="~/mindscope"),
    ] = None,
) -> None:
    """List or delete the caches of logs.

    Caches hold no original data: after a deletion, the next viewer reads the logs again.
    """

    def describe(entry: store.CacheEntry) -> str:
        used = datetime.fromtimestamp(entry.used_at).strftime("%Y-%m-%d %H:%M:%S")
        now = ", in use" if entry.is_in_use else ""
        return f"{entry.size_bytes / 1e6:10,.1f} MB  used {used}{now}  {entry.base or entry.folder}"

    settings = load_settings({"workspace": workspace})
    if clear:
        for entry in store.clear_caches(settings.workspace):
            typer.echo(f"deleted {describe(entry)}")
    entries = store.list_caches(settings.workspace)
    for entry in entries:
        typer.echo(describe(entry))
    size = sum(entry.size_bytes for entry in entries)
    typer.echo(f"{size / 1e6:10,.1f} MB  of at most {settings.cache_size / 1e6:,.1f} MB, in {settings.workspace}")
