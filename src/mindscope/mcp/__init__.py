# SPDX-License-Identifier: Apache-2.0
"""Tools of the Model Context Protocol, by which agents read runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.mcp.log_reader import LogReader as LogReader
    from mindscope.mcp.page_viewer import PageViewer as PageViewer
    from mindscope.mcp.page_viewer import Window as Window
    from mindscope.mcp.profile_summary import summarize_profile as summarize_profile
    from mindscope.mcp.tools.notes import NoteTools as NoteTools

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.mcp.log_reader": "LogReader",
        "mindscope.mcp.page_viewer": "PageViewer Window",
        "mindscope.mcp.profile_summary": "summarize_profile",
        "mindscope.mcp.tools.notes": "NoteTools",
    },
)
