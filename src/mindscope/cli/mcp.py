# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope mcp``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from mindscope.cli.logs import FollowLinks
from mindscope.errors import MissingPackageError, UsageError
from mindscope.reasons import Reason
from mindscope.settings import load_settings


def mcp(
    path: Annotated[str, typer.Argument(metavar="BASE", help="A run, or a directory with runs at any depth.")],
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP on 127.0.0.1, not stdin and stdout.")] = False,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="PORT", min=1, max=65535, help="Of --http.", show_default="8765"),
    ] = None,
    allow_notes: Annotated[
        bool, typer.Option("--allow-notes", help="Let agents write notes and tags of runs, as on the page.")
    ] = False,
    workspace: Annotated[
        str | None, typer.Option("--workspace", metavar="DIR", help="Of the viewer whose notes --allow-notes uses.")
    ] = None,
    browser: Annotated[
        Path | None, typer.Option("--browser", metavar="PATH", help="A Chromium that takes pictures of pages.")
    ] = None,
    follow_links: FollowLinks = False,
) -> None:
    """Serve runs to agents such as Claude, Cursor and VS Code, by the Model Context Protocol.

    Agents list, compare and explain runs with its tools, and change nothing; docs/agents.md lists them. The client
    starts this command itself and talks over stdin and stdout. With --http, clients connect to
    http://127.0.0.1:PORT/mcp. Needs the package of mindscope[mcp].
    """
    if port is not None and not http:
        raise UsageError("--port is of --http; give both")
    if workspace is not None and not allow_notes:
        raise UsageError("--workspace is of --allow-notes; give both")
    if find_spec("mcp") is None:
        raise MissingPackageError(Reason("mcp_missing"))
    from mindscope.mcp.server import ServerOptions

    notes = load_settings({"workspace": workspace}).workspace if allow_notes else None
    options = ServerOptions(path, follow_links, notes, browser)
    if http:
        from mindscope.mcp.http_transport import serve_http

        serve_http(options, port or 8765, lambda address: typer.echo(f"mcp: {address}"))
    else:
        from mindscope.mcp.stdio_transport import serve_stdio

        serve_stdio(options)
