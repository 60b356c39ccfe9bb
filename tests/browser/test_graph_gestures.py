# SPDX-License-Identifier: Apache-2.0
"""Gestures over the picture of a graph: what they move, and what stays where it was."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.server.live_viewer import LiveViewer

from .chromium import WINDOW
from .patience import PATIENCE_S, until
from .test_graph_page import choose

OpenPage = Callable[[LiveViewer, str], Page]
ADDRESS = "/graph?run=mindspore%2Fops"
FRAMES = """async (canvas) => {
  const frames = [];
  const end = Date.now() + 3000;
  while (Date.now() < end) {
    await new Promise((done) => requestAnimationFrame(done));
    const image = canvas.toDataURL();
    if (image !== frames.at(-1)) frames.push(image);
  }
  return frames.length;
}"""

SLOW_MOTION = """
const [now, frame] = [performance.now.bind(performance), window.requestAnimationFrame.bind(window)];
performance.now = () => now() / 10;
window.requestAnimationFrame = (paint) => frame((time) => paint(time / 10));
"""
"""Moves take two seconds, so that a busy machine draws several frames of them."""


def picture_of(page: Page) -> Locator:
    picture = page.get_by_test_id("graph")
    expect(picture).to_have_attribute("data-state", "shown")
    return picture


def pointed(page: Page, x: float, y: float) -> str:
    """What the page says is under the pointer at a pixel."""
    page.mouse.move(x + 1, y)
    page.mouse.move(x, y)
    return page.get_by_test_id("graph-status").locator("span").nth(1).inner_text()


def scale(page: Page) -> int:
    return int(page.get_by_test_id("graph-scale").inner_text().rstrip("%"))


def first_pixel(page: Page, picture: Locator, wanted: Callable[[str], bool]) -> tuple[float, float]:
    """A pixel of the picture whose words are wanted."""
    frame = picture.bounding_box()
    assert frame
    for part in np.arange(0.05, 0.95, 0.02):
        for across in (0.5, 0.45, 0.55, 0.4, 0.6):
            place = frame["x"] + across * frame["width"], frame["y"] + float(part) * frame["height"]
            if wanted(pointed(page, *place)):
                return place
    raise AssertionError("nothing of the kind is under any pixel")


def is_box(words: str) -> bool:
    return words != "" and "→" not in words


def test_the_wheel_moves_and_enlarges_what_is_under_the_pointer(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, ADDRESS)
    picture = picture_of(page)
    choose(page, "depth", "2")
    x, y = first_pixel(page, picture, is_box)
    y += 5  # away from the border
    words, before = pointed(page, x, y), scale(page)
    page.mouse.wheel(0, 30)
    until(page, lambda: pointed(page, x, y - 30) == words)
    page.mouse.move(x, y - 30)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    until(page, lambda: scale(page) > 2 * before)
    assert pointed(page, x, y - 30) == words
    page.mouse.down()
    page.mouse.move(x + 60, y + 10, steps=3)
    page.mouse.up()
    assert pointed(page, x + 60, y + 10) == words


def test_the_small_map_leads_to_a_part_of_the_picture(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, ADDRESS)
    picture = picture_of(page)
    choose(page, "depth", "3")
    page.get_by_test_id("graph-fit").click()
    fitting = scale(page)
    for _ in range(6):
        page.get_by_test_id("graph-zoom-in").click()
    small = page.get_by_test_id("graph-minimap")
    expect(small).to_be_visible()
    larger, shown = scale(page), picture.screenshot()
    assert larger > fitting
    small.click(position={"x": 4, "y": 4})
    until(page, lambda: picture.screenshot() != shown)
    corner = picture.screenshot()
    small.click()
    until(page, lambda: picture.screenshot() != corner)
    assert scale(page) == larger
    page.get_by_test_id("graph-fit").click()
    until(page, lambda: scale(page) == fitting)
    expect(small).to_have_count(0)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_an_opened_scope_keeps_its_pixel_and_grows_unless_motion_is_reduced(
    viewer: LiveViewer, context: BrowserContext, open_page: OpenPage, motion: str
):
    context.add_init_script(SLOW_MOTION)
    page = open_page(viewer, ADDRESS)
    page.emulate_media(reduced_motion="reduce" if motion == "reduce" else "no-preference")
    picture = picture_of(page)
    choose(page, "depth", "0")
    x, y = first_pixel(page, picture, lambda words: re.fullmatch(r"[^·→]+ · \d+", words) is not None)
    scope = pointed(page, x, y).partition(" · ")[0]
    page.mouse.dblclick(x, y)
    frames = picture.locator("canvas").first.evaluate(FRAMES)
    assert pointed(page, x, y).startswith(scope), "what was clicked has left its pixel"
    if motion == "reduce":
        assert frames <= 3, "the selection, and the opened scope"
    else:
        assert frames >= 4
    page.mouse.dblclick(x, y)
    until(page, lambda: pointed(page, x, y).startswith(scope))


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=WINDOW, locale="en-GB", has_touch=True) as context:
        context.set_default_timeout(1000 * PATIENCE_S)
        yield context.new_page()


def test_two_fingers_enlarge_the_picture(viewer: LiveViewer, phone: Page):
    phone.goto(f"http://127.0.0.1:{viewer.port}{ADDRESS}")
    frame = picture_of(phone).bounding_box()
    assert frame
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    session = phone.context.new_cdp_session(phone)

    def fingers(kind: str, *apart: float) -> None:
        points = [{"x": x + side * far, "y": y, "id": side + 1} for far in apart for side in (-1, 1)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    before = scale(phone)
    fingers("touchStart", 60)
    for far in (80, 100, 120):
        fingers("touchMove", far)
    fingers("touchEnd")
    until(phone, lambda: abs(scale(phone) - 2 * before) <= 2)


def test_the_view_is_saved_as_an_image(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, ADDRESS)
    picture_of(page)
    page.get_by_test_id("graph-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("graph-download-png").click()
    image = Image.open(io.BytesIO(Path(download.value.path()).read_bytes()))
    assert image.format == "PNG"
    assert min(image.size) > 100
    colors = image.convert("RGB").getcolors(maxcolors=1 << 24)
    assert colors
    assert len(colors) > 5
