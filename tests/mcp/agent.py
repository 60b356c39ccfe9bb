# SPDX-License-Identifier: Apache-2.0
"""An agent: the client of the SDK, for tests that are not asynchronous."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult, Tool

from mindscope.mcp.server import ServerOptions, make_server


class Agent:
    """Calls tools and waits for their answers."""

    def __init__(self, client: Client, portal: BlockingPortal) -> None:
        self.client, self._portal = client, portal

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        return self._portal.call(lambda: self.client.call_tool(tool, arguments))

    def __call__(self, tool: str, **arguments: Any) -> Any:
        """The structured answer, which the text repeats."""
        result = self.call(tool, **arguments)
        text = result.content[0].text  # type: ignore[union-attr]
        assert not result.is_error, text
        assert json.loads(text) == result.structured_content
        return result.structured_content

    def refusal(self, tool: str, **arguments: Any) -> str:
        """The sentence of a call that fails."""
        result = self.call(tool, **arguments)
        assert result.is_error
        text: str = result.content[0].text  # type: ignore[union-attr]
        assert "Traceback" not in text
        assert text.endswith((".", "?"))
        return text

    def tools(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self._portal.call(self.client.list_tools).tools}


@contextmanager
def connected(server: Any) -> Iterator[Agent]:
    """An agent of a server: an address, a command or a server in this process."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server, read_timeout_seconds=120)) as client,
    ):
        yield Agent(client, portal)


@contextmanager
def agent_of(base: Path, **options: Any) -> Iterator[Agent]:
    """An agent of a server in this process, with the options of ``ServerOptions``."""
    with ExitStack() as stack:
        server = make_server(ServerOptions(str(base), **options), stack)
        yield stack.enter_context(connected(server))


def command(base: Path, *flags: str, **environment: str) -> StdioServerParameters:
    """The command as a client starts it."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "mindscope", "mcp", str(base), *flags],
        env={**os.environ, **environment},
    )
