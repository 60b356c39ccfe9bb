# SPDX-License-Identifier: Apache-2.0
"""What is the same on every page: language, theme, and that text from logs is text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .held_requests import HeldRequests
from .scalars_page import card, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
HOSTILE = [
    '<img src=x onerror="window.hacked = 1">',
    "<script>window.hacked = 1</script>",
    "{@html '<b>bold</b>'}/${1 + 1}",
    "javascript:window.hacked=1",
    "训练/损失 🙂",
]
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def test_the_language_changes_at_once_and_stays(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=mindspore%2Fcustom_loop")
    navigation = page.get_by_role("navigation")
    expect(navigation).to_contain_text("Scalars")
    page.evaluate("window.sameDocument = true")
    page.get_by_test_id("language").click()
    page.get_by_test_id("language-zh").click()
    expect(navigation).to_contain_text("标量")
    expect(page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    assert page.evaluate("window.sameDocument")
    page.reload()
    expect(navigation).to_contain_text("标量")


def test_pages_without_data_are_folded(tmp_path: Path, open_page: OpenPage):
    GrowingLog(tmp_path / "logs" / "run").scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: all(run["tags"] for run in live.runs().values()) and len(live.runs()) == 1)
        page = open_page(live, "/")
        navigation = page.get_by_role("navigation")
        expect(navigation.get_by_role("group", name="Results").get_by_role("link")).to_have_text(
            ["Runs", "Dashboard", "Scalars", "Reports", "Query"]
        )
        expect(navigation.get_by_role("link", name="Media")).to_have_count(0)
        page.get_by_test_id("more-pages").click()
        navigation.get_by_role("link", name="Media").click()
        expect(page.get_by_test_id("media")).to_be_visible()
        page.get_by_test_id("more-pages").click()
        expect(navigation.get_by_role("link", name="Media")).to_be_visible()
        expect(navigation.get_by_role("link", name="Histograms")).to_have_count(0)


def test_all_pages_fit_a_small_laptop(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/")
    page.set_viewport_size({"width": 1280, "height": 700})
    navigation = page.get_by_role("navigation")
    expect(navigation.get_by_role("link", name="Loss landscapes")).to_be_visible()
    assert navigation.evaluate("nav => nav.scrollHeight <= nav.clientHeight")


def test_the_theme_changes_at_once_and_stays(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=mindspore%2Fcustom_loop")
    wait_until_drawn(card(page, "train/loss"))
    light = page.evaluate(BACKGROUND)
    page.get_by_test_id("theme").click()
    page.get_by_test_id("theme-dark").click()
    page.wait_for_function(f"{BACKGROUND} !== {light!r}")
    dark = page.evaluate(BACKGROUND)
    wait_until_drawn(card(page, "train/loss"))
    page.reload()
    page.wait_for_function(f"{BACKGROUND} === {dark!r}")


def test_the_theme_follows_the_system_unless_chosen(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/")
    expect(page.get_by_test_id("runs-table")).to_be_visible()
    light = page.evaluate(BACKGROUND)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{BACKGROUND} !== {light!r}")


def test_everything_of_the_frame_is_reached_by_keys(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=mindspore%2Fcustom_loop")
    expect(page.get_by_test_id("card").first).to_be_visible()
    page.keyboard.press("Tab")
    skip = page.get_by_role("button", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    theme = page.get_by_test_id("theme")
    theme.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("theme-system")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(theme).to_be_focused()
    ticks = page.get_by_test_id("run-list").get_by_role("checkbox")
    ticks.first.focus()
    page.keyboard.press("ArrowDown")
    expect(ticks.nth(1)).to_be_focused()
    expect(ticks.nth(1)).not_to_be_checked()  # the one run of the address is on top
    page.keyboard.press("Space")
    expect(ticks.nth(1)).to_be_checked()
    for is_shown in (False, True):
        page.keyboard.press("[")
        expect(page.get_by_test_id("run-list")).to_be_visible(visible=is_shown)
    page.keyboard.press("/")
    expect(page.get_by_test_id("search")).to_be_focused()
    page.keyboard.type("lineage_sweep")
    options = page.get_by_role("listbox").locator("[role=option]")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)


def test_a_long_wait_for_the_server_is_shown(viewer: LiveViewer, context: BrowserContext, open_page: OpenPage):
    curves = HeldRequests(context, "**/api/curves")
    page = open_page(viewer, "/scalars?run=mindspore%2Fcustom_loop")
    waiting = page.get_by_role("progressbar", name="Waiting for the server")
    expect(waiting).to_be_visible()
    curves.release()
    wait_until_drawn(card(page, "train/loss"))
    expect(waiting).to_be_hidden()


def test_text_from_logs_is_never_markup(tmp_path: Path, open_page: OpenPage):
    for number, name in enumerate(HOSTILE):
        log = GrowingLog(tmp_path / "logs" / f"{number} {name}".replace("/", "_"))
        for tag in HOSTILE:
            log.scalar(1, 1.0, tag)
            log.scalar(2, 2.0, tag)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == len(HOSTILE) and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/")
        for number, name in enumerate(HOSTILE):
            shown = f"{number} {name}".replace("/", "_")
            expect(page.get_by_role("table").get_by_text(shown, exact=True)).to_be_visible()
        page.get_by_test_id("open-selected").click()
        for tag in HOSTILE:
            wait_until_drawn(card(page, tag))
        assert page.locator("img[src=x]").count() == 0
        assert page.locator("main script, main b").count() == 0
        assert page.evaluate("window.hacked") is None


def test_every_button_has_a_name(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=mindspore%2Fcustom_loop")
    wait_until_drawn(card(page, "train/loss"))
    is_nameless = "one => !(one.ariaLabel || one.innerText.trim() || one.labels?.length)"
    markup = f"all => all.filter({is_nameless}).map(one => one.outerHTML)"
    assert page.eval_on_selector_all("button, a[href], input", markup) == []
