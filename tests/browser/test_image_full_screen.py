# SPDX-License-Identifier: Apache-2.0
"""A picture over the whole page, its size and brightness, and its file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

import mindscope
from tests.server.live_viewer import DATA, LiveViewer

from .images_page import CUSTOM_LOOP, expect_grey, picture
from .scalars_page import card, expect_view, full

OpenPage = Callable[[LiveViewer, str], Page]


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
