# SPDX-License-Identifier: Apache-2.0
"""Every page under axe, its colors light and dark: nothing serious may be found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import LiveViewer

from .barriers import serious
from .pictures.cases import TOOL_PAGES
from .tool_logs import tools as tools

OpenPage = Callable[[LiveViewer, str], Page]
OF_COLORS = ("color-contrast", "link-in-text-block")
"""The rules that a theme can break."""
PAGES = {
    "/": "runs-table",
    "/dashboard?run=mindspore%2Fops": "dashboard",
    "/scalars?run=mindspore%2Fops": "scalars",
    "/scalars?run=mindspore%2Fops&group=directory&value_tables=all": "chart-table",
    "/scalars?run=mindspore%2Fops&show=table": "scalar-table",
    "/media?run=mindspore%2Fcustom_loop": "media",
    "/histograms?run=mindspore%2Fops": "histograms",
    "/tensors?run=mindspore%2Fcustom_loop": "media",
    "/tensors?run=mindspore%2Fcustom_loop&full=t3d_f16": "tensor-table",
    "/graph?run=mindspore%2Fops&node=Default": "graph-panel",
    "/landscape?run=mindspore%2Flandscape%2Funit_step": "landscape-legend",
    "/landscape?run=mindspore%2Flandscape%2Funit_step&landscape_form=map": "landscape-plane",
    "/?find=lineage_sweep&lineage_chart=coordinates": "runs-table",
    "/lineage/data": "pipelines",
    "/texts?run=tensorboard%2Ftb_all%2Frun_a": "text",
    "/audio?run=tensorboard%2Ftb_all%2Frun_a": "sound-facts",
    "/pr-curves?run=tensorboard%2Ftb_all%2Frun_a": "pr-chart",
}


@pytest.mark.parametrize("address", PAGES)
def test_nothing_serious_is_found(viewer: LiveViewer, open_page: OpenPage, address: str):
    page = open_page(viewer, address)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    expect(page.get_by_test_id(PAGES[address]).first).to_be_visible()
    expect(page.get_by_test_id("waiting")).to_have_count(0)
    assert serious(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert serious(page, *OF_COLORS) == []
    if address.startswith("/scalars") and "show=table" not in address:
        page.get_by_test_id("group-by").click()
        expect(page.get_by_test_id("group-settings")).to_be_visible()
        assert serious(page) == []
        page.keyboard.press("Escape")
        page.get_by_test_id("settings").click()
        expect(page.get_by_test_id("scalar-settings")).to_be_visible()
        assert serious(page) == []


@pytest.mark.parametrize(
    ("name", "seen"),
    {
        "debugger": "debug-summary",
        "debugger-watchpoints": "watchpoints",
        "debugger-compare": "compare-head",
        "logs": "log-line",
    }.items(),
)
def test_nothing_serious_is_found_in_tools(tools: LiveViewer, open_page: OpenPage, name: str, seen: str):
    """Tabs of a profile are in ``test_profile_keys.py``."""
    page = open_page(tools, TOOL_PAGES[name])
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    expect(page.get_by_test_id(seen).first).to_be_visible()
    assert serious(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert serious(page, *OF_COLORS) == []
    if seen == "watchpoints":
        page.get_by_test_id("watch-open").click()
        expect(page.get_by_test_id("watch-list")).to_be_visible()
        assert serious(page) == []
