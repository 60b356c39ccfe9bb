# SPDX-License-Identifier: Apache-2.0
"""Keys from the start of a page to its first chart: few, since a link skips the toolbar."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import LiveViewer

from .pictures.cases import MAIN_PAGES, TOOL_PAGES
from .tool_logs import tools as tools

OpenPage = Callable[[LiveViewer, str], Page]
MOST_KEYS = 12
CHARTS = {
    MAIN_PAGES["runs"]: "[data-testid=runs-table]",
    MAIN_PAGES["dashboard"]: "[data-testid=card-scalars]",
    MAIN_PAGES["scalars"]: "[data-testid=chart]",
    MAIN_PAGES["scalars"] + "&show=table": "[data-testid=scalar-table]",
    MAIN_PAGES["histograms"]: "[data-testid=histogram-chart]",
    "/media?run=mindspore%2Fcustom_loop": "[data-testid=card]",
    MAIN_PAGES["tensors"]: "[data-testid=card]",
    MAIN_PAGES["lineage"]: "[data-testid=parallel-coordinates]",
    "/lineage/data": "[data-testid=parallel-coordinates]",
    MAIN_PAGES["pr-curves"]: "[data-testid=pr-chart]",
    MAIN_PAGES["landscape"]: "[data-testid=landscape-surface]",
    MAIN_PAGES["graph"]: "[data-testid=graph]",
    "/graph/dataset": "[data-testid=graph]",
}
PROFILE = "/profile?runs=all&profile=" + quote('["rank_0","b.pt.trace.json"]')
TOOL_CHARTS = {
    PROFILE: "[data-testid=step-lines]",
    PROFILE + "&profile_tab=operators": "[data-testid=profile-table]",
    PROFILE + "&profile_tab=modules": "[data-testid=modules-table]",
    PROFILE + "&profile_tab=compare": "[data-testid=diff-calls]",
    TOOL_PAGES["profiling-memory"]: "[data-testid=memory-chart]",
    TOOL_PAGES["profiling-timeline"]: "[data-testid=timeline]",
    TOOL_PAGES["profiling-ranks"]: "[data-testid=rank-heat]",
    TOOL_PAGES["debugger"]: "[data-testid=debug-table]",
    TOOL_PAGES["debugger-watchpoints"]: "[data-testid=watchpoints]",
    TOOL_PAGES["debugger-compare"]: "[data-testid=compare-curve]",
    TOOL_PAGES["logs"]: "[data-testid=log-list]",
}


@pytest.mark.parametrize("address", CHARTS)
def test_few_tabs_lead_to_the_first_chart(viewer: LiveViewer, open_page: OpenPage, address: str):
    assert tabs_to(open_page(viewer, address), CHARTS[address]) <= MOST_KEYS


@pytest.mark.parametrize("address", TOOL_CHARTS)
def test_few_tabs_lead_to_the_first_chart_of_a_tool(tools: LiveViewer, open_page: OpenPage, address: str):
    assert tabs_to(open_page(tools, address), TOOL_CHARTS[address]) <= MOST_KEYS


def tabs_to(page: Page, chart: str) -> int:
    """How often Tab is pressed from the start of the page until the focus is in ``chart``, with "Skip toolbar".

    A page that is still read may replace what has the focus: it begins again then.
    """
    for _ in range(3):
        tabs = keys_to(page, chart)
        if tabs is not None:
            return tabs
        page.reload()
    raise AssertionError(f"{chart} is not reached")


def keys_to(page: Page, chart: str) -> int | None:
    expect(page.locator(f"main {chart}").first).to_be_visible()
    skip = page.get_by_role("button", name="Skip toolbar")
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    for tabs in range(2, 15):
        if page.evaluate("chart => document.activeElement.closest(chart) !== null", chart):
            return tabs
        page.keyboard.press("Tab")
    return None
