# SPDX-License-Identifier: Apache-2.0
"""Distributions over steps, as a person sees and handles them, against the buckets of the logs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import mindscope
from mindscope.types import Histogram
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .scalars_page import COLOURED_PIXELS, card, expect_view, full

OpenPage = Callable[[LiveViewer, str], Page]
OPS = "/distributions?run=mindspore%2Fops"
TAG = "fc1.weight"
SHAPES = {"ridge": "Top", "front": "Front", "heat": "Heat map", "bands": "Percentiles"}


def samples(tag: str = TAG) -> dict[int, Histogram]:
    return {sample.step: sample.value for sample in mindscope.open_run(DATA / "mindspore" / "ops").histograms(tag)}


def chart(within: Locator) -> Locator:
    return within.get_by_test_id("histogram-chart")


def wait_until_drawn(within: Locator) -> None:
    within.scroll_into_view_if_needed()
    element = chart(within).element_handle()
    within.page.wait_for_function(f"chart => ({COLOURED_PIXELS})(chart) > 200", arg=element)


def tip(page: Page, testid: str) -> str:
    return page.get_by_test_id("distribution-tip").get_by_test_id(testid).inner_text().replace("\u2009", "")


def told_bucket(page: Page) -> tuple[int, float, float, float]:
    """Step, edges and count in the tip."""
    left, right = tip(page, "bucket").strip("[])").replace("\u2212", "-").split(", ")
    return int(tip(page, "tip-step")), float(left), float(right), float(tip(page, "bucket-count"))


def assert_is_in_the_log(told: tuple[int, float, float, float]) -> None:
    step, left, right, count = told
    histogram = samples()[step]
    near = np.isclose(histogram.left, left, rtol=1e-5, atol=1e-9)
    near &= np.isclose(histogram.right, right, rtol=1e-5, atol=1e-9)
    assert histogram.count[near].tolist() == [count]


@pytest.mark.parametrize("shape", list(SHAPES))
def test_every_way_of_drawing_tells_the_buckets_of_the_log(viewer: LiveViewer, open_page: OpenPage, shape: str):
    page = open_page(viewer, OPS)
    page.get_by_test_id("shape").get_by_text(SHAPES[shape]).click()
    expect_view(page, "shape", None if shape == "ridge" else shape)
    wait_until_drawn(card(page, TAG))
    box = chart(card(page, TAG)).bounding_box()
    assert box is not None
    seen = set()
    for x, y in ((0.4, 0.5), (0.5, 0.8), (0.55, 0.3), (0.6, 0.6)):
        page.mouse.move(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
        told = told_bucket(page)
        assert_is_in_the_log(told)
        seen.add(told)
    assert len(seen) > 1


def test_arrow_keys_walk_over_buckets_and_steps(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    wait_until_drawn(card(page, TAG))
    chart(card(page, TAG)).focus()
    page.keyboard.press("ArrowRight")
    first = told_bucket(page)
    assert first[0] == max(samples())
    page.keyboard.press("ArrowRight")
    second = told_bucket(page)
    assert second[1] == pytest.approx(first[2], rel=1e-4)
    page.keyboard.press("ArrowUp")
    assert told_bucket(page)[0] == sorted(samples())[-2]
    assert_is_in_the_log(told_bucket(page))


def test_counts_of_a_step_add_up(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    wait_until_drawn(card(page, TAG))
    chart(card(page, TAG)).focus()
    for _ in range(200):
        page.keyboard.press("ArrowLeft")
    told: dict[float, float] = {}
    while (bucket := told_bucket(page))[1] not in told:
        told[bucket[1]] = bucket[3]
        page.keyboard.press("ArrowRight")
    assert sum(told.values()) == float(tip(page, "total")) == samples()[max(samples())].total


def test_a_card_can_be_enlarged_and_the_address_holds_all(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    page.get_by_test_id("axis").get_by_text("Relative").click()
    card(page, TAG).hover()
    card(page, TAG).get_by_test_id("full").click()
    wait_until_drawn(full(page))
    expect_view(page, "full", "fc1.weight")
    page.reload()
    wait_until_drawn(full(page))
    expect(page.get_by_label("Relative")).to_be_checked()
    page.keyboard.press("Escape")
    expect(full(page)).to_have_count(0)


def test_all_buckets_can_be_downloaded(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    wait_until_drawn(card(page, TAG))
    card(page, TAG).hover()
    card(page, TAG).get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id("download-csv").click()
    rows = Path(download.value.path()).read_text().splitlines()
    assert rows[0] == "step,wall_time,left,right,count"
    assert len(rows) - 1 == sum(histogram.left.size for histogram in samples().values())
    assert sum(float(row.rsplit(",", 1)[1]) for row in rows[1:]) == sum(each.total for each in samples().values())


def test_it_follows_the_training_marks_nan_and_says_what_is_left_out(tmp_path: Path, open_page: OpenPage):
    logs = tmp_path / "logs"
    with mindscope.SummaryRecord(logs / "run") as record, running_viewer(logs, tmp_path) as live:

        def write(steps: range, *odd: float) -> None:
            for step in steps:
                record.add_value("histogram", "w", np.array([*np.linspace(-1, 1, 50), *odd], np.float32))
                record.record(step)
            record.flush()

        write(range(1))
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        page = open_page(live, "/distributions")
        expect(card(page, "w")).to_contain_text("1 step")
        write(range(1, 5), float("nan"), float("inf"))
        expect(card(page, "w").get_by_test_id("nan")).to_have_text("4 NaN")
        expect(card(page, "w")).to_contain_text("4 Inf")
        expect(card(page, "w")).to_contain_text("5 steps")
        write(range(5, 150))
        expect(card(page, "w")).to_contain_text("39 / 150 steps")
        expect(card(page, "w").get_by_test_id("reduced")).to_be_visible()
        page.get_by_test_id("shape").get_by_text("Heat map").click()
        expect(card(page, "w")).to_contain_text("150 steps")
        expect(card(page, "w").get_by_test_id("reduced")).to_have_count(0)


def test_the_theme_changes_the_drawing(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS + "&shape=heat")
    wait_until_drawn(card(page, TAG))
    drawn = 'chart => chart.querySelector("canvas").toDataURL()'
    before = chart(card(page, TAG)).evaluate(drawn)
    page.get_by_test_id("theme").click()
    page.get_by_test_id("theme-dark").click()
    page.wait_for_function(
        f"([chart, before]) => ({drawn})(chart) !== before", arg=[chart(card(page, TAG)).element_handle(), before]
    )
    wait_until_drawn(card(page, TAG))


def test_an_empty_page_says_how_to_fill_it(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/distributions?run=tensorboard%2Ftb_all%2Frun_a%2Fmulti_a")
    expect(page.get_by_test_id("empty")).to_contain_text('record.add_value("histogram"')
