# SPDX-License-Identifier: Apache-2.0
"""A page of many charts: an index of groups, parts of the page by key, a filter that says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .patience import until
from .scalars_page import card, expect_view, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
GROUPS = 40


@pytest.fixture(scope="module")
def layers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A run of forty groups of two tags."""
    room = tmp_path_factory.mktemp("layers")
    log = GrowingLog(room / "logs" / "a")
    for group in range(GROUPS):
        for tag in ("loss", "norm"):
            for step in range(3):
                log.scalar(step, float(step), f"layer_{group}/{tag}")
    with running_viewer(room / "logs", room) as live:
        eventually(lambda: len(live.runs()) == 1 and live.runs()["a"]["tags"].get("scalar") == 2 * GROUPS)
        yield live


def test_groups_are_reached_by_name_and_closed_at_once(layers: LiveViewer, open_page: OpenPage):
    page = open_page(layers, "/scalars")
    wait_until_drawn(card(page, "layer_0/loss"))
    page.get_by_test_id("group-index").click()
    page.get_by_test_id("group-filter").fill("layer_3")
    page.get_by_test_id("group-filter").press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_test_id("group-filter")).to_be_focused()
    page.get_by_test_id("group-filter").fill("layer_33")
    page.get_by_test_id("group-filter").press("Enter")
    wait_until_drawn(card(page, "layer_33/loss"))
    expect(card(page, "layer_33/loss")).to_be_in_viewport()
    page.get_by_test_id("group-index").click()
    page.get_by_test_id("collapse-all").click()
    expect_view(page, "groups", "closed")
    expect(page.get_by_test_id("card")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="layer_2 2").click()
    expect_view(page, "opened", "%2Flayer_2")
    page.reload()
    expect(page.get_by_test_id("card")).to_have_count(2)
    page.get_by_test_id("group-index").click()
    page.get_by_test_id("expand-all").click()
    expect_view(page, "groups", None)
    expect(card(page, "layer_3/loss")).to_have_count(1)


def test_a_key_goes_from_one_part_of_the_page_to_the_next(layers: LiveViewer, open_page: OpenPage):
    page = open_page(layers, "/scalars")
    wait_until_drawn(card(page, "layer_0/loss"))
    parts = ("header", "nav", "[data-testid=run-selection]", "[role=toolbar]", "[data-testid=chart]")
    for part in (*parts, parts[0]):
        page.keyboard.press("F6")
        until(page, lambda part=part: page.evaluate("part => !!document.activeElement.closest(part)", part))
    page.keyboard.press("Shift+F6")
    assert page.evaluate("document.activeElement.dataset.testid") == "chart"
