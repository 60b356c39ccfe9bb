# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope stop``."""

from __future__ import annotations

from typing import Annotated

import typer

from mindscope.named_bases import base_text
from mindscope.server.process.registry import stop_viewer
from mindscope.settings import load_settings


def stop(
    port: Annotated[
        str | None, typer.Option(metavar="PORT", help="Port of the viewer, 1 to 65535.", show_default="8080")
    ] = None,
) -> None:
    """Stop the viewer that listens on a port."""
    viewer = stop_viewer(load_settings({"port": port}).port)
    typer.echo(f"stopped the viewer at {viewer.address} over {base_text(viewer.base_dir)}")
