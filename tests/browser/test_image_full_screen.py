# SPDX-License-Identifier: Apache-2.0
"""A picture over the whole page, its size and brightness, and its file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

import mindscope
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .images_page import CUSTOM_LOOP, expect_grey, picture
from .scalars_page import card, expect_view, full

OpenPage = Callable[[LiveViewer, str], Page]
REDS = """one => [...one.getContext("2d").getImageData(0, 0, one.width, one.height).data]
  .filter((_, index) => index % 4 === 0)"""


def test_every_control_of_full_screen(many: LiveViewer, open_page: OpenPage):
    page = open_page(many, "/images?run=pairs&full=a%2Fpair")
    panel = full(page).get_by_test_id("panel")
    expect_grey(panel, 100)
    full(page).get_by_test_id("next-picture").click()
    expect_view(page, "picture", "1")
    expect(full(page)).to_contain_text("2 / 2")
    expect_grey(panel, 200)
    with page.expect_download() as download:
        panel.hover()
        panel.get_by_test_id("download").click()
    assert int(np.asarray(Image.open(download.value.path()))[0, 0]) == 200
    full(page).get_by_test_id("previous-picture").click()
    expect_grey(panel, 100)
    page.get_by_test_id("adjust").click()
    page.get_by_test_id("contrast").press("ArrowRight")
    expect_view(page, "contrast", "1.01")
    page.keyboard.press("Escape")
    page.get_by_test_id("compare").get_by_text("Side by side").click()
    expect(full(page).get_by_test_id("comparison")).to_contain_text("B · Step 1")
    full(page).get_by_test_id("other-step").press("ArrowRight")
    expect(full(page).get_by_test_id("comparison")).to_contain_text("B · Step 2")
    expect_view(page, "side", "2")
    page.get_by_test_id("restore-all").click()
    expect_view(page, "side", None)
    expect_view(page, "contrast", None)


def test_small_pictures_keep_their_pixels(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    shown = picture(card(page, "rgb_float_neg"))
    expect(shown).to_have_css("image-rendering", "pixelated")
    width, height = map(int, str(shown.get_attribute("data-size")).split("×"))
    for scale, size in ((1, "original"), (4, "4")):
        page.get_by_test_id("fit").get_by_text(f"{scale}:1").click()
        expect_view(page, "size", size)
        expect(shown).to_have_css("width", f"{scale * width}px")
        expect(shown).to_have_css("height", f"{scale * height}px")
    expect(shown).to_have_css("image-rendering", "pixelated")


def test_brightness_and_contrast_change_what_is_seen_and_go_back(greys: LiveViewer, open_page: OpenPage):
    page = open_page(greys, "/images?brightness=2&contrast=0.5")
    pictures = page.locator(".pictures").first
    expect(pictures).to_have_css("filter", "brightness(2) contrast(0.5)")
    page.get_by_test_id("adjust").click()
    expect(page.get_by_test_id("brightness-number")).to_have_value("200")
    page.get_by_test_id("brightness").press("ArrowRight")
    expect_view(page, "brightness", "2.01")
    page.get_by_test_id("reset-adjust").click()
    expect(pictures).to_have_css("filter", "none")
    expect_view(page, "brightness", None)


def test_runs_stand_side_by_side_at_the_same_step(greys: LiveViewer, open_page: OpenPage):
    """The steps of the toolbar are those of the panels; when they are closed, those of the cards again."""
    page = open_page(greys, "/images")
    opener = page.get_by_test_id("card").nth(0).get_by_role("button", name="Full screen").last
    picture(page.get_by_test_id("card").nth(0))
    opener.press("ArrowLeft")
    expect(page.get_by_test_id("card").nth(0).get_by_test_id("step")).to_have_text("Step 2")
    opener.press("Enter")
    panels = full(page).get_by_test_id("panel")
    expect(panels).to_have_count(2)
    picture(panels.nth(1)).hover()
    expect(panels.nth(1).get_by_test_id("pixel")).to_have_text("x 3 y 2 · 20 20 20")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    for number in range(2):
        expect(panels.nth(number).get_by_test_id("step")).to_have_text("Step 2")
        expect_grey(panels.nth(number), 20)
    page.keyboard.press("Escape")
    expect(full(page)).to_have_count(0)
    expect(opener).to_be_focused()
    expect(page.get_by_test_id("common-step")).to_have_attribute("max", "3")


def test_a_picture_is_downloaded_as_it_is_in_the_log(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    picture(card(page, "input"))
    card(page, "input").hover()
    with page.expect_download() as download:
        card(page, "input").get_by_test_id("download").click()
    want = mindscope.open_run(DATA / "mindspore" / "custom_loop").images("input")[-1]
    assert Path(download.value.path()).read_bytes() == want.value[0].encoded
    assert download.value.suggested_filename == f"input_{want.step}.png"


@pytest.fixture
def strips(tmp_path: Path) -> Iterator[LiveViewer]:
    """A strip of ten discs on black, each brighter than the one before, as a row and as a column, and a wide ramp."""
    rows, columns = np.mgrid[0:28, 0:28]
    disc = (np.hypot(rows - 14, columns - 14) < 8).astype(np.uint8)
    row = np.concatenate([disc * (25 * (tile + 1)) for tile in range(10)], axis=1)
    ramp = np.tile(np.arange(320, dtype=np.uint16) // 2, (80, 1)).astype(np.uint8)
    with mindscope.SummaryRecord(tmp_path / "logs" / "run") as record:
        for tag, image in (("row", row), ("column", row.T.copy()), ("ramp", ramp)):
            record.add_value("image", tag, image)
        record.record(1)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags", {}).get("image") == 3)
        yield live


@pytest.mark.parametrize(("tag", "size"), [("row", "280×28"), ("column", "28×280")])
def test_a_strip_of_tiles_fills_its_card_and_full_screen_in_rows(
    strips: LiveViewer, open_page: OpenPage, tag: str, size: str
):
    page = open_page(strips, "/images")
    shown = picture(card(page, tag))
    assert shown.evaluate("one => one.tagName") == "CANVAS"
    expect(shown).to_have_attribute("data-size", size)
    width, height = shown.evaluate("one => [one.width, one.height]")
    assert (width % 28, height % 28) == (0, 0)
    columns = width // 28
    assert columns * (height // 28) >= 10
    assert picture(card(page, "ramp")).evaluate("one => one.tagName") == "IMG"
    room = card(page, tag).locator(".pictures").evaluate("one => [one.clientWidth, one.clientHeight]")
    seen = shown.evaluate("one => [one.clientWidth, one.clientHeight]")
    unfolded = min(room[0] / int(size.split("×")[0]), room[1] / int(size.split("×")[1]))
    assert seen[0] / width > 1.2 * unfolded
    reds = np.array(shown.evaluate(REDS)).reshape(height, width)
    middles = [reds[28 * (n // columns) + 14, 28 * (n % columns) + 14] for n in range(10)]
    assert middles == [25 * (n + 1) for n in range(10)]

    card(page, tag).get_by_title("Full screen").first.click()
    large = picture(full(page))
    width, height = large.evaluate("one => [one.width, one.height]")
    box = large.bounding_box()
    assert box is not None
    last = (28 * (9 % (width // 28)) + 14.5) / width, (28 * (9 // (width // 28)) + 14.5) / height
    large.hover(position={"x": box["width"] * last[0], "y": box["height"] * last[1]})
    place = "x 266 y 14" if tag == "row" else "x 14 y 266"
    expect(full(page).get_by_test_id("pixel")).to_have_text(f"{place} · 250 250 250")
    page.get_by_test_id("fit").get_by_text("1:1").click()
    expect(picture(full(page))).to_have_css("width", f"{size.split('×')[0]}px")
    assert picture(full(page)).evaluate("one => one.tagName") == "IMG"
