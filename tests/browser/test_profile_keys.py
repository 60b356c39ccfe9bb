# SPDX-License-Identifier: Apache-2.0
"""The tabs of a profile under axe, and their trees and maps by keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import LiveViewer

from .barriers import serious
from .patience import until
from .profile_tabs import ASCEND, OLD, SNAPSHOT, TRACE, at
from .profile_tabs import profiles as profiles

OpenPage = Callable[[LiveViewer, str], Page]
OF_COLORS = ("color-contrast", "link-in-text-block")
TABS = {
    "overview": ("other", ASCEND, "further-table"),
    "operators": ("rank_0", TRACE, "profile-table"),
    "operators&rows_group=name&rows_row=0": ("rank_0", TRACE, "profile-row"),
    "kernels": ("rank_0", TRACE, "profile-table"),
    "modules": ("rank_0", TRACE, "modules-table"),
    "modules&rows_group=flame": ("rank_0", TRACE, "flame"),
    "steps&profile_step=2": ("other", OLD, "one-step"),
    "pipeline&profile_operation=MapOp_2": ("other", OLD, "pipeline-operations"),
    "memory&memory_block=3": ("other", SNAPSHOT, "memory-block"),
    "memory&memory_panel=segments": ("other", SNAPSHOT, "segment-map"),
    "timeline&timeline_slice=0": ("rank_0", TRACE, "slice-details"),
    "timeline&timeline_panel=statistics": ("rank_0", TRACE, "range-statistics"),
    "compare": ("rank_0", TRACE, "diff-calls"),
    "ranks": ("rank_0", TRACE, "collectives"),
}


@pytest.mark.parametrize("tab", TABS)
def test_nothing_serious_is_found(open_page: OpenPage, profiles: LiveViewer, tab: str) -> None:
    run, profile, seen = TABS[tab]
    page = open_page(profiles, at(run, profile, tab))
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    expect(page.get_by_test_id(seen).first).to_be_visible()
    assert serious(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert serious(page, *OF_COLORS) == []


@pytest.mark.parametrize(("tab", "table"), [("modules", "modules-table"), ("compare&compared_state=all", "diff-calls")])
def test_arrow_keys_open_and_close_a_tree(open_page: OpenPage, profiles: LiveViewer, tab: str, table: str) -> None:
    page = open_page(profiles, at("rank_0", TRACE, tab))
    rows = page.get_by_test_id(table).locator("[data-depth]")
    opened = page.get_by_test_id(table).locator("[aria-expanded=true]")
    until(page, lambda: rows.count() > 1)
    all_rows = rows.count()
    opened.first.focus()
    page.keyboard.press("ArrowLeft")
    until(page, lambda: rows.count() < all_rows)
    page.keyboard.press("ArrowRight")
    until(page, lambda: rows.count() == all_rows)
    page.keyboard.press("ArrowDown")
    until(page, lambda: page.evaluate("document.activeElement.closest('[data-depth]')?.dataset.depth") != "0")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    until(page, lambda: rows.count() < all_rows)


def test_arrow_keys_and_enter_choose_a_block_of_a_segment(open_page: OpenPage, profiles: LiveViewer) -> None:
    page = open_page(profiles, at("other", SNAPSHOT, "memory&memory_panel=segments"))
    page.get_by_test_id("segment-map").press("ArrowRight")
    expect(page.get_by_test_id("segment-tip")).to_contain_text("1.0 MiB")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("segment-tip")).to_contain_text("2.0 MiB")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("memory-block")).to_contain_text("2.0 MiB")
