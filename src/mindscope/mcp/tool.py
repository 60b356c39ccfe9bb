# SPDX-License-Identifier: Apache-2.0
"""A tool that answers in compact JSON, and whose errors are sentences."""

from __future__ import annotations

import functools
import logging
from typing import Any, cast

import anyio.to_thread
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent
from pydantic import ValidationError

from mindscope.errors import MindscopeError
from mindscope.lineage.cell_json import to_json
from mindscope.mcp.results import MOST_CHARACTERS, Picture, cut, sentence
from mindscope.reasons import unforeseen_reason

log = logging.getLogger(__name__)

_LONGEST_ERROR = 2000
_MOST_ERRORS = 5


class AgentTool(Tool):
    """Runs on a thread that a client need not wait for: a canceled call ends at once."""

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        """Run the tool. Raises ToolError with a sentence."""
        call = functools.partial(self.fn, **self._checked(arguments))
        try:
            value = await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
        except Exception as error:
            raise ToolError(_sentence(error)) from None
        return self._answer(value) if convert_result else value

    def _checked(self, arguments: dict[str, Any]) -> dict[str, Any]:
        names = list(self.parameters.get("properties", {}))
        unknown = [name for name in arguments if name not in names]
        if unknown:
            accepted = f"its arguments are {', '.join(names)}" if names else "it takes none"
            raise ToolError(f"{self.name} has no argument {cut(unknown[0], 100)!r}; {accepted}.")
        try:
            return self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            raise ToolError(_rejections(error)) from None

    def _answer(self, value: Any) -> CallToolResult:
        if isinstance(value, Picture):
            image = Image(data=value.png, format="png").to_image_content()
            return CallToolResult(content=[image, TextContent(type="text", text=value.text)])
        text = to_json(value)
        if len(text) > MOST_CHARACTERS:
            raise ToolError(
                f"The answer has {len(text):,} characters, at most {MOST_CHARACTERS:,} are sent: request fewer rows, "
                "columns or points."
            )
        result = CallToolResult(content=[TextContent(type="text", text=text)], structured_content=value)
        self.fn_metadata.convert_result(result)  # checks it against the schema
        return result


def without_titles(schema: Any) -> Any:
    """Return a schema without the titles that pydantic makes of names: they are half of what an agent would read."""
    if isinstance(schema, list):
        return [without_titles(part) for part in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    parts = cast("dict[str, Any]", schema)
    return {key: without_titles(part) for key, part in parts.items() if key != "title" or not isinstance(part, str)}


def _sentence(error: Exception) -> str:
    """Return an error as a sentence; the traceback of an unforeseen one goes to stderr."""
    if not isinstance(error, MindscopeError | OSError | ToolError):
        log.error("a tool failed", exc_info=error)
        return cut(str(unforeseen_reason(error)), _LONGEST_ERROR)
    return sentence(cut(str(error), _LONGEST_ERROR))


def _rejections(error: ValidationError) -> str:
    """Return a sentence for each argument that is refused."""
    sentences: list[str] = []
    for rejection in error.errors(include_url=False)[:_MOST_ERRORS]:
        name = ".".join(map(str, rejection["loc"])) or "The request"
        sentences.append(f"{name}: {rejection['msg']}, not {cut(repr(rejection['input']), 100)}.")
    return cut(" ".join(sentences), _LONGEST_ERROR)
