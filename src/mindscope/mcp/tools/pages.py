# SPDX-License-Identifier: Apache-2.0
"""The tool that takes pictures of the pages of the viewer."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlencode

from pydantic import Field

from mindscope import mcp
from mindscope.mcp.results import Name, Picture, count_text
from mindscope.mcp.session import AgentSession

if TYPE_CHECKING:  # a server answers before it imports the viewer
    from mindscope.mcp.page_viewer import PageViewer

_PATHS = {
    "runs": "/", "dashboard": "/dashboard", "scalars": "/scalars", "media": "/media", "histograms": "/histograms",
    "graph": "/graph", "profile": "/profile", "debugger": "/debugger", "logs": "/logs", "landscape": "/landscape",
}  # fmt: skip
_Value = Annotated[str, Field(max_length=2000)]


class PageTools:
    """Takes pictures of pages."""

    def __init__(self, session: AgentSession, browser: Path | None) -> None:
        self._session, self._browser = session, browser

    @cached_property
    def _viewer(self) -> PageViewer:
        return mcp.PageViewer(self._session.catalog, self._browser)

    def close(self) -> None:
        """Stop the viewer, if a picture started it."""
        if "_viewer" in self.__dict__:
            self._viewer.close()

    def draw_page(
        self,
        page: Literal[
            "runs", "dashboard", "scalars", "media", "histograms", "graph", "profile", "debugger", "logs", "landscape"
        ],
        runs: Annotated[list[Name], Field(max_length=50, description="Ids or patterns; by default all.")] = [],  # noqa: B006
        parameters: Annotated[
            dict[_Value, _Value], Field(max_length=50, description="Further parameters of the address of the page.")
        ] = {},  # noqa: B006
        width: Annotated[int, Field(ge=390, le=2560)] = 1280,
        height: Annotated[int, Field(ge=300, le=3000)] = 800,
        theme: Literal["light", "dark"] = "light",
    ) -> Picture:
        """Take a picture of a page of the viewer, as a person sees it: PNG.

        Use it to show a person something, or for graphs, images and profiles that numbers do not describe; draw_curves
        is faster for curves. It takes some seconds, and needs Playwright and a Chromium.
        """
        ids = self._session.chosen(runs) if runs else []
        self._session.runs()
        selected = [("runs", "none"), *(("run", id) for id in ids)] if ids else [("runs", "all")]
        query = urlencode([*selected, *parameters.items()])
        png = self._viewer.picture(f"{_PATHS[page]}?{query}", mcp.Window(width, height, theme))
        selection = count_text(len(ids), len(ids), "run") if ids else "All runs."
        return Picture(png, f"The page {page}, {width} x {height} pixels. {selection}")
