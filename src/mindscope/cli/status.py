# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope status``."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from mindscope.named_bases import base_text
from mindscope.server.process.registry import running_viewers


def status(
    *,
    links: Annotated[bool, typer.Option("--links", help="Also print the links with the tokens.")] = False,
) -> None:
    """List the running viewers: address, process id, start time and directory.

    A viewer that other machines can reach shows the address on which it listens.
    """
    viewers = running_viewers()
    if not viewers:
        typer.echo("no viewer is running; `mindscope start` starts one")
    for viewer in viewers:
        since = datetime.fromtimestamp(viewer.started_at).strftime("%Y-%m-%d %H:%M:%S")
        others = f"  open to other machines at {viewer.host}:{viewer.port}" if viewer.is_open_to_others else ""
        bases = base_text(viewer.base_dir)
        typer.echo(f"{viewer.address}{others}  process {viewer.pid}  since {since}  runs in {bases}")
        for purpose, link in viewer.links.items() if links else ():
            typer.echo(f"  {purpose}: {link}")
