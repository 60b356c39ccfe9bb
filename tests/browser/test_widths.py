# SPDX-License-Identifier: Apache-2.0
"""Every page fits every window from 360 px up, and on a phone the sidebar is a drawer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.server.live_viewer import LiveViewer

from .overflow import unreachable
from .patience import until
from .pictures.cases import MAIN_PAGES, TOOL_PAGES
from .tool_logs import tools as tools

OpenPage = Callable[[LiveViewer, str], Page]
ADDRESSES = (
    *MAIN_PAGES.values(),
    "/scalars?show=table",
    "/scalars?facet=%2F&group=ranks",
    "/scalars?full=train%2Floss",
    "/profile",
    "/debugger",
    "/logs",
)
WIDTHS = {"en-GB": (1920, 1536, 1440, 1280, 800, 641, 390, 360), "zh-CN": (1440, 360)}


@pytest.mark.parametrize("locale", WIDTHS)
def test_every_page_fits_every_window(viewer: LiveViewer, browser: Browser, locale: str):
    """Nothing is beside the window, and every control can be scrolled to."""
    fit(viewer, browser, locale, ADDRESSES)


@pytest.mark.parametrize("locale", WIDTHS)
def test_every_tool_fits_every_window(tools: LiveViewer, browser: Browser, locale: str):
    """Profiles, debugging data and logs."""
    fit(tools, browser, locale, TOOL_PAGES.values())


def fit(viewer: LiveViewer, browser: Browser, locale: str, addresses: Iterable[str]) -> None:
    context = browser.new_context(viewport={"width": 1920, "height": 844}, locale=locale)
    page = context.new_page()
    for address in addresses:
        page.goto(f"http://127.0.0.1:{viewer.port}{address}")
        expect(page.locator("main [data-testid]").first).to_be_visible()
        for width in WIDTHS[locale]:
            page.set_viewport_size({"width": width, "height": 844})
            fits(page, address)
        more = page.get_by_test_id("more-controls")
        if more.count():
            more.click()
            fits(page, f"{address} with all controls")
    context.close()


def fits(page: Page, address: str) -> None:
    """A page lays itself out again after its window; the deadline is that of the other tests."""
    found = ["not looked yet"]

    def look() -> bool:
        found[:] = unreachable(page)
        return found == []

    try:
        until(page, look)
    except AssertionError as error:
        raise AssertionError(f"{address} at {page.viewport_size}: {found}") from error


def test_on_a_phone_the_sidebar_is_a_drawer(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=mindspore%2Fcustom_loop")
    page.set_viewport_size({"width": 390, "height": 844})
    toggle, navigation, runs = (
        page.get_by_test_id("side-toggle"),
        page.get_by_role("navigation"),
        page.get_by_test_id("run-list"),
    )
    for shown in (navigation, runs):
        expect(shown).to_be_hidden()
    toggle.click()
    fits(page, "the drawer")
    runs.get_by_label("Show mindspore/ops", exact=True).check()
    page.keyboard.press("Escape")
    expect(runs).to_be_hidden()
    toggle.click()
    page.get_by_test_id("scrim").click(position={"x": 380, "y": 400})
    expect(runs).to_be_hidden()
    toggle.click()
    navigation.get_by_role("link", name="Media").click()
    expect(navigation).to_be_hidden()
    page.reload()
    expect(page.get_by_test_id("media")).to_be_visible()
    expect(runs).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(runs).to_be_visible()
