# SPDX-License-Identifier: Apache-2.0
"""Serves an agent over stdin and stdout of this process."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack

from mindscope.mcp.server import ServerOptions, make_server


def serve_stdio(options: ServerOptions) -> None:
    """Serve one client until it closes stdin, then end the process, even if a tool still runs.

    Raises RunNotFoundError if the base is no directory.
    """
    with ExitStack() as stack:
        make_server(options, stack).run("stdio")
    sys.stdout.flush()
    os._exit(0)  # a thread of a tool that nobody waits for would hold the process
