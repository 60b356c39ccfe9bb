# SPDX-License-Identifier: Apache-2.0
"""A click pins the tip of a chart to its points, whatever the chart shows then."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .scalars_page import card, drag, point_at, tip_rows, to_number, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
STEPS = 3000


def area(page: Page) -> Locator:
    return card(page, "loss").get_by_test_id("plot-area")


def click_at(page: Page, across: float, *, count: int = 1) -> None:
    box = area(page).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + across * box["width"], box["y"] + box["height"] / 2, click_count=count)


def point(page: Page) -> tuple[float, float]:
    """Step and value of the pinned tip."""
    cells = tip_rows(page).locator("td.number")
    return to_number(cells.nth(1).inner_text()), to_number(cells.nth(0).inner_text())


def leave(page: Page) -> None:
    """The pointer points at nothing: only a pinned tip is there."""
    page.mouse.move(1, 1)


def test_a_pinned_tip_keeps_its_point_and_a_double_click_pins_none(tmp_path: Path, open_page: OpenPage):
    log = GrowingLog(tmp_path / "logs" / "a")
    for step in range(STEPS):
        log.scalar(step, float(step))
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("a", {}).get("last_step") == STEPS - 1)
        page = open_page(live, "/scalars")
        wait_until_drawn(card(page, "loss"))
        click_at(page, 0.3, count=2)
        leave(page)
        expect(tip_rows(page)).to_have_count(0)
        click_at(page, 0.25)
        leave(page)
        pinned = point(page)
        assert pinned[0] == pinned[1]
        assert abs(pinned[0] / STEPS - 0.25) < 0.02
        before = page.url
        drag(card(page, "loss"), (0.2, 0.1), (0.6, 0.9))
        leave(page)
        assert point(page) == pinned
        drag(card(page, "loss"), (0.5, 0.1), (0.9, 0.9))
        leave(page)
        assert point(page) == pinned  # it is out of sight now
        click_at(page, 0.8, count=2)
        expect(page).to_have_url(before)
        leave(page)
        assert point(page) == pinned
        for step in range(STEPS, 2 * STEPS):
            log.scalar(step, float(step))
        expect(card(page, "loss").get_by_test_id("chart")).to_be_visible()
        expect(card(page, "loss").locator(".status")).to_contain_text(re.compile("5.?999"))
        assert point(page) == pinned
        page.keyboard.press("Escape")
        expect(tip_rows(page)).to_have_count(0)


def test_the_cursor_of_the_keys_keeps_its_point_while_the_run_grows(tmp_path: Path, open_page: OpenPage):
    log = GrowingLog(tmp_path / "logs" / "a")
    for step in range(20):
        log.scalar(step, float(step))
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("a", {}).get("last_step") == 19)
        page = open_page(live, "/scalars")
        wait_until_drawn(card(page, "loss"))
        point_at(card(page, "loss"), "End")
        expect(tip_rows(page).locator("td.value")).to_have_text("19")
        for step in range(20, 60):
            log.scalar(step, float(step))
        expect(card(page, "loss").locator(".status")).to_contain_text("59")
        expect(tip_rows(page).locator("td.value")).to_have_text("19")
        point_at(card(page, "loss"), "ArrowRight")
        expect(tip_rows(page).locator("td.value")).to_have_text("20")
