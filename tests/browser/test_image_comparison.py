# SPDX-License-Identifier: Apache-2.0
"""Two pictures against each other: their difference, one over the other, one after the other."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
from PIL import Image
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.server.live_viewer import LiveViewer

from .held_requests import HeldRequests
from .patience import until
from .scalars_page import expect_view, full

OpenPage = Callable[[LiveViewer, str], Page]


def seen_grey(within: Locator) -> int:
    """The red of the middle of what is on the screen."""
    shot = np.asarray(Image.open(io.BytesIO(within.screenshot())).convert("RGB"))
    return int(shot[shot.shape[0] // 2, shot.shape[1] // 4, 0])


def expect_pair(page: Page, grey: int) -> None:
    """Waits until the middle of the pair on the screen is of one grey."""
    pair = full(page).locator(".pair").first
    for number in range(2):
        expect(pair.get_by_test_id("picture").nth(number)).to_have_attribute("data-loaded", "true")
    until(page, lambda: seen_grey(pair) == grey)


def test_the_difference_of_two_steps_is_seen(greys: LiveViewer, open_page: OpenPage):
    page = open_page(greys, "/images?full=grey&step=1&run=b&difference=9")
    expect(full(page).locator(".pair")).to_have_count(1)
    expect_pair(page, 80)
    expect(full(page).get_by_test_id("measure")).to_have_text("Differ by up to 80 of 255, in 100 % of the pixels")
    page.get_by_test_id("gain").get_by_text("×4").click()
    expect_view(page, "gain", "4")
    expect_pair(page, 255)
    page.get_by_test_id("compare").get_by_text("Swipe").click()
    expect_view(page, "swipe", "9")
    page.get_by_test_id("swipe").press("Home")
    expect_pair(page, 90)
    page.get_by_test_id("swipe").press("End")
    expect_pair(page, 10)
    page.get_by_test_id("compare").get_by_text("Side by side").click()
    expect_pair(page, 10)
    page.get_by_test_id("compare").get_by_text("Single image").click()
    expect(full(page).get_by_test_id("comparison")).to_have_count(0)
    expect_view(page, "side", None)


def test_runs_are_compared_at_the_same_step(greys: LiveViewer, open_page: OpenPage):
    page = open_page(greys, "/images?full=grey&step=2")
    page.get_by_test_id("compare").get_by_text("Difference").click()
    page.get_by_test_id("against").select_option("a")
    expect(full(page).get_by_test_id("panel")).to_have_count(1)
    expect(full(page).get_by_test_id("comparison")).to_contain_text("b · Step 2")
    expect(full(page).get_by_test_id("comparison")).to_contain_text("a · Step 2")
    expect_view(page, "difference_run", "a")
    expect_pair(page, 0)
    expect(full(page).get_by_test_id("measure")).to_have_text("Both images are identical")
    page.get_by_test_id("common-step").press("End")
    expect(full(page).get_by_test_id("comparison")).to_contain_text("b · Step 9")
    expect(full(page).get_by_test_id("comparison")).to_contain_text("a · Step 3")
    expect_pair(page, 60)
    page.get_by_test_id("compare").get_by_text("Swipe").click()
    page.get_by_test_id("swipe").press("Home")
    expect_pair(page, 30)
    page.get_by_test_id("swipe").press("End")
    expect_pair(page, 90)
    page.reload()
    expect_view(page, "swipe_run", "a")
    expect(full(page).get_by_test_id("comparison")).to_contain_text("a · Step 3")
    page.get_by_test_id("against").select_option("")
    expect(full(page).get_by_test_id("panel")).to_have_count(2)
    expect_view(page, "swipe", "1")


def test_an_image_that_arrives_after_its_card_has_gone_is_let_go(
    greys: LiveViewer, context: BrowserContext, open_page: OpenPage
):
    page = open_page(greys, "/images?full=grey&step=2&difference=1")
    expect(full(page).get_by_test_id("panel")).to_have_count(2)
    expect_pair(page, 10)
    pictures = HeldRequests(context, "**/api/image?*")
    page.get_by_test_id("common-step").press("End")
    expect(full(page).get_by_test_id("comparison").last).to_contain_text("Step 9")
    page.get_by_test_id("against").select_option("a")
    expect(full(page).get_by_test_id("panel")).to_have_count(1)
    pictures.release()
    expect_pair(page, 60)


def test_blinking_shows_one_after_the_other(greys: LiveViewer, open_page: OpenPage):
    page = open_page(greys, "/images?full=grey&run=b&step=1&blink=9")
    for grey in (10, 90, 10):
        expect_pair(page, grey)
