# SPDX-License-Identifier: Apache-2.0
"""Charts of many runs: names at the lines, a density with the top ones in front, a legend and a tip of all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .patience import until
from .scalars_page import card, colored_pixels, expect_view, full, tip_rows, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
RUNS, STEPS = 40, 30


@pytest.fixture(scope="module")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """Forty runs whose losses never meet: the loss of run 7 is 7 and more."""
    room = tmp_path_factory.mktemp("many_runs")
    for run in range(RUNS):
        log = GrowingLog(room / "logs" / f"net_{run}")
        for step in range(STEPS):
            log.scalar(step, run + 0.5 * step / STEPS)
    with running_viewer(room / "logs", room) as live:
        eventually(
            lambda: len(live.runs()) == RUNS and all(run["last_step"] == STEPS - 1 for run in live.runs().values())
        )
        yield live


COUNT_PICTURES = """
const before = Element.prototype.before;
window.pictures = {};
Element.prototype.before = function (...nodes) {
  const tag = this.closest("article")?.dataset.tag;
  if (tag && nodes[0] instanceof HTMLCanvasElement) window.pictures[tag] = (window.pictures[tag] ?? 0) + 1;
  return before.apply(this, nodes);
};
"""


def box_of(shown: Locator) -> dict[str, float]:
    box = shown.bounding_box()
    assert box
    return dict(box)


def area(chart: Locator) -> dict[str, float]:
    return box_of(chart.get_by_test_id("plot-area"))


def point_at_run(page: Page, run: int) -> None:
    """The pointer rests on the line of a run, in the middle of the full chart."""
    box = area(full(page))
    low, high = -0.06 * 39.5, 39.5 * 1.06
    share = (high - run - 0.25) / (high - low)
    page.mouse.move(box["x"] + box["width"] / 2 - 4, box["y"] + box["height"] * share)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * share)


def test_of_many_runs_the_top_ones_are_lines(many_runs: LiveViewer, open_page: OpenPage):
    page = open_page(many_runs, "/scalars?runs=all")
    wait_until_drawn(card(page, "loss"))
    top = card(page, "loss").get_by_test_id("top")
    expect(top).to_have_text("top 10 of 40")
    expect(card(page, "loss").locator(".last").first).to_contain_text("net_0")
    before = colored_pixels(card(page, "loss"))
    page.get_by_test_id("settings").click()
    page.get_by_test_id("top-count").fill("2")
    page.get_by_test_id("top-count").blur()
    expect_view(page, "top", "2")
    expect(top).to_have_text("top 2 of 40")
    until(page, lambda: 20 < colored_pixels(card(page, "loss")) < before / 3)
    page.get_by_test_id("top-by").select_option("highest_last")
    expect_view(page, "top_by", "highest_last")
    expect(card(page, "loss").locator(".last").first).to_contain_text("net_39")


def test_a_dozen_runs_are_named_beside_the_chart(many_runs: LiveViewer, open_page: OpenPage):
    few, more = ("&".join(f"run=net_{run}" for run in range(count)) for count in (11, 12))
    page = open_page(many_runs, f"/scalars?full=loss&{few}")
    wait_until_drawn(full(page))
    width = area(full(page))["width"]
    page = open_page(many_runs, f"/scalars?full=loss&{more}")
    wait_until_drawn(full(page))
    assert area(full(page))["width"] < width - 20
    expect(full(page).get_by_test_id("top")).to_have_count(0)


def test_a_run_is_highlighted_by_line_legend_and_list(many_runs: LiveViewer, open_page: OpenPage):
    page = open_page(many_runs, "/scalars?runs=all&full=loss")
    wait_until_drawn(full(page))
    row = page.locator('[data-run="net_5"]')
    point_at_run(page, 5)
    expect(row).to_have_class(re.compile("highlighted"))
    page.mouse.move(5, 5)
    expect(row).not_to_have_class(re.compile("highlighted"))
    full(page).get_by_test_id("legend-all").click()
    page.get_by_test_id("legend-list").get_by_role("button").nth(5).click()
    expect_view(page, "focus", "net_5")
    expect(row).to_have_class(re.compile("highlighted"))
    page.reload()
    wait_until_drawn(full(page))
    expect(row).to_have_class(re.compile("highlighted"))


def test_the_tip_follows_by_value_and_scrolls_when_it_is_kept(many_runs: LiveViewer, open_page: OpenPage):
    page = open_page(many_runs, "/scalars?runs=all&full=loss")
    wait_until_drawn(full(page))
    point_at_run(page, 20)
    expect(tip_rows(page)).to_have_count(12)
    expect(tip_rows(page).first).to_contain_text("net_20")
    page.mouse.down()
    page.mouse.up()
    expect(tip_rows(page)).to_have_count(RUNS)
    page.get_by_test_id("tip-order").get_by_text("Value, descending").click()
    expect(tip_rows(page).first).to_contain_text("net_39")
    expect(tip_rows(page).last).to_contain_text("net_0")
    tip = page.get_by_test_id("tip")
    assert tip.evaluate("tip => tip.scrollHeight > tip.clientHeight")
    tip_rows(page).nth(4).get_by_role("button").click()
    expect_view(page, "focus", "net_35")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("tip")).to_have_count(0)
    expect(full(page)).to_be_visible()
    point_at_run(page, 20)
    expect(tip_rows(page)).to_have_count(12)
    expect(tip_rows(page).nth(6)).to_contain_text("net_20")
    expect(page.get_by_test_id("tip")).to_contain_text("13 above, 15 below")


def test_a_chart_that_comes_into_sight_is_drawn_once(tmp_path: Path, open_page: OpenPage):
    """A legend that grew with the answer changed the height of the chart, which was drawn for each of its heights."""
    tags = [f"loss_{number}" for number in range(9)]
    for run in range(20):
        log = GrowingLog(tmp_path / "logs" / f"net_{run}")
        for tag in tags:
            for step in range(5):
                log.scalar(step, 10 * run + step, tag=tag)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 20 and all(run["last_step"] == 4 for run in live.runs().values()))
        page = open_page(live, "/")
        page.add_init_script(COUNT_PICTURES)
        page.goto(f"http://127.0.0.1:{live.port}/scalars?runs=all")
        for tag in tags[:6]:
            wait_until_drawn(card(page, tag))
            expect(card(page, tag).get_by_test_id("legend-values")).not_to_contain_text("…")
        pictures = page.evaluate("window.pictures")
        assert {tag: pictures[tag] for tag in tags[:6]} == dict.fromkeys(tags[:6], 1)


@pytest.mark.parametrize("width", [390, 1440, 2560])
def test_plots_beside_each_other_are_equally_high(tmp_path: Path, open_page: OpenPage, width: int):
    """Legends of other lengths, and what is said of lines, changed where the plots of a row began."""
    for run in range(8):
        log = GrowingLog(tmp_path / "logs" / f"net_{run}")
        for step in range(5):
            log.scalar(step, 10 * run + step, tag="all")
            if run < 2:
                log.scalar(step, float("nan") if step > 3 else 1.0 + step, tag="nan")
            if run == 3:
                log.scalar(step, 1.0 + step, tag="one")
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 8 and all(run["last_step"] == 4 for run in live.runs().values()))
        page = open_page(live, "/scalars?runs=all")
        page.set_viewport_size({"width": width, "height": 900})
        heights = set[float]()
        for tag in ("all", "nan", "one"):
            wait_until_drawn(card(page, tag))
            heights.add(box_of(card(page, tag).get_by_test_id("chart"))["height"])
        assert len(heights) == 1
        badge, legend = (box_of(card(page, "nan").get_by_test_id(name)) for name in ("nan", "legend-values"))
        assert badge["y"] == pytest.approx(legend["y"], abs=2)
