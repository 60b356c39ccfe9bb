# SPDX-License-Identifier: Apache-2.0
"""Back and forward go through tabs, selected items and links of a page; settings and automatic changes are no steps."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.server.live_viewer import LiveViewer

from .profile_tabs import TRACE, at
from .profile_tabs import profiles as profiles
from .scalars_page import card, expect_view, full, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]


def test_back_closes_a_full_chart_and_leaves_settings(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=mindspore%2Fcustom_loop")
    entries = page.evaluate("history.length")
    first = page.get_by_test_id("card").first
    wait_until_drawn(first)
    page.get_by_test_id("y-scale").get_by_text("Log").click()
    expect_view(page, "y", "log")
    assert page.evaluate("history.length") == entries
    tag = first.get_attribute("data-tag")
    assert tag is not None
    card(page, tag).hover()
    card(page, tag).get_by_test_id("full").click()
    expect(full(page)).to_be_visible()
    page.go_back()
    expect(full(page)).to_have_count(0)
    expect_view(page, "y", "log")
    page.go_forward()
    expect(full(page)).to_be_visible()


def test_back_goes_through_tabs_and_rows_of_a_profile(
    context: BrowserContext, profiles: LiveViewer, open_page: OpenPage
):
    page = open_page(profiles, at("traces", TRACE, "steps"))
    tabs = page.get_by_test_id("profile-tabs")
    expect(page.get_by_test_id("steps-table")).to_be_visible()
    entries = page.evaluate("history.length")
    page.get_by_test_id("steps-table").get_by_role("button", name="2", exact=True).click()
    expect_view(page, "profile_step", "2")
    tabs.get_by_text("Kernels", exact=True).click()
    expect_view(page, "profile_tab", "kernels")
    assert page.evaluate("history.length") == entries + 2
    page.go_back()
    expect(tabs.get_by_label("Step trace", exact=True)).to_be_checked()
    expect_view(page, "profile_step", "2")
    page.go_back()
    expect_view(page, "profile_step", None)
    expect(page.get_by_test_id("steps-table")).to_be_visible()


def test_a_link_to_another_page_is_one_step(context: BrowserContext, viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=mindspore%2Fcustom_loop")
    wait_until_drawn(page.get_by_test_id("card").first)
    entries = page.evaluate("history.length")
    page.get_by_role("link", name="Images").click()
    expect(page).to_have_url(re.compile("/images"))
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    wait_until_drawn(page.get_by_test_id("card").first)
