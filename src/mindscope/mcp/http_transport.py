# SPDX-License-Identifier: Apache-2.0
"""Serves agents over HTTP on this machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import uvicorn

from mindscope.mcp.server import ServerOptions, make_server
from mindscope.server.process.server import listen

HOST = "127.0.0.1"
PATH = "/mcp"


def serve_http(options: ServerOptions, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve any number of clients on this machine until SIGINT or SIGTERM; ``on_ready`` takes the address.

    Requests for another host than this machine are refused, so that no page of a browser reaches the server.

    Raises RunNotFoundError if the base is no directory, ServerError if the port can't be used.
    """
    with ExitStack() as stack:
        app = make_server(options, stack).streamable_http_app(streamable_http_path=PATH, host=HOST)
        listener = stack.enter_context(listen(HOST, port))
        on_ready(f"http://{HOST}:{port}{PATH}")
        config = uvicorn.Config(app, log_config=None, loop="asyncio", ws="none", timeout_graceful_shutdown=2)
        uvicorn.Server(config).run(sockets=[listener])
