# SPDX-License-Identifier: Apache-2.0
"""Charts over the table of runs by touch, on a device without a mouse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.server.live_viewer import LiveViewer

from .chromium import WINDOW
from .patience import PATIENCE_S

ADDRESS = "/lineage/models?find=lineage_sweep&target=metric/Accuracy"
TIPS = {"importance": "importance-bars", "heat": "target-heat"}


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=WINDOW, locale="en-GB", has_touch=True, is_mobile=True) as context:
        context.set_default_timeout(1000 * PATIENCE_S)
        yield context.new_page()


def swipe(page: Page, x: float, start: float, end: float) -> None:
    """A finger from one height to another."""
    session = page.context.new_cdp_session(page)

    def send(kind: str, *heights: float) -> None:
        points = [{"x": x, "y": y} for y in heights]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", start)
    for part in range(1, 6):
        send("touchMove", start + (end - start) * part / 5)
    send("touchEnd")


def box_of(element: Locator) -> tuple[float, float, float, float]:
    expect(element).to_be_visible()
    box = element.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def test_a_finger_brushes_an_axis_and_removes_the_brush(viewer: LiveViewer, phone: Page):
    phone.goto(f"http://127.0.0.1:{viewer.port}{ADDRESS}")
    axis = phone.get_by_test_id("axis-brushes").and_(phone.locator("[data-column='learning_rate']"))
    x, y, width, height = box_of(axis.get_by_test_id("axis-track"))
    swipe(phone, x + width / 2, y + height * 0.3, y + height * 0.7)
    expect(axis.get_by_test_id("brush")).to_have_count(1)
    expect(phone.get_by_test_id("chart-count")).to_contain_text("of 12")
    axis.get_by_test_id("remove-brush").tap()
    expect(axis.get_by_test_id("brush")).to_have_count(0)


@pytest.mark.parametrize("chart", TIPS)
def test_a_tap_shows_the_tooltip_until_a_tap_beside_the_chart(viewer: LiveViewer, phone: Page, chart: str):
    address = f"{ADDRESS}&lineage_chart={chart}"
    phone.goto(f"http://127.0.0.1:{viewer.port}{address}")
    room = phone.get_by_test_id(TIPS[chart])
    x, y, width, height = box_of(room.locator("svg"))
    tip = phone.get_by_test_id(f"{chart}-tip")
    marks = [(x + width * across / 12, y + height * down / 12) for across in range(3, 12) for down in range(2, 11)]
    for mark in marks:
        phone.touchscreen.tap(*mark)
        if tip.is_visible():
            break
    expect(tip).to_be_visible()
    left, top, _, _ = box_of(phone.get_by_test_id("runs-toolbar"))
    phone.touchscreen.tap(left + 2, top + 2)
    expect(tip).to_have_count(0)
