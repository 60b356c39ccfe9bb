# SPDX-License-Identifier: Apache-2.0
"""What a person makes of the charts of scalars: compositions, formulas, other axes, smoothing, thresholds, pins."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .scalars_page import card, expect_view, full, point_at, tip_rows, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
STEPS = 40
LOSSES = [2.0 / (step + 1) for step in range(STEPS)]
ACCURACIES = [step / STEPS for step in range(STEPS)]


@pytest.fixture
def training(tmp_path: Path) -> Iterator[LiveViewer]:
    """Two runs of loss and acc; the loss of the second rises by a million at one step."""
    for name, spike in (("a", 0.0), ("b", 1e6)):
        log = GrowingLog(tmp_path / "logs" / name)
        for step in range(STEPS):
            log.scalar(step, LOSSES[step] + (spike if step == 20 else 0.0))
            log.scalar(step, ACCURACIES[step], "acc")
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 2 and all(run["last_step"] == STEPS - 1 for run in live.runs().values()))
        yield live


def value_at_end(page: Page, title: str) -> str:
    """What the tip says at the last step of the nearest curve of a chart."""
    wait_until_drawn(card(page, title))
    return point_at(card(page, title), "End").locator("td.value").inner_text()


def settings(page: Page) -> None:
    page.get_by_test_id("settings").click()
    expect(page.get_by_test_id("scalar-settings")).to_be_visible()


def test_tags_are_composed_with_axes_of_their_own(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a")
    page.get_by_test_id("compose").click()
    panel = page.get_by_test_id("compose-panel")
    expect(panel.get_by_test_id("compose-show")).to_be_disabled()
    panel.get_by_label("loss").check()
    panel.get_by_label("acc").check()
    panel.get_by_test_id("compose-show").click()
    expect(page.get_by_test_id("tag-group").first).to_contain_text("Composed")
    for _ in range(2):
        composed = card(page, "loss · acc")
        wait_until_drawn(composed)
        point_at(composed, "End")
        expect(tip_rows(page)).to_have_count(2)
        rows = {
            row.locator("td").nth(2).inner_text(): row.locator("td.value").inner_text() for row in tip_rows(page).all()
        }
        assert rows == {"loss": f"{LOSSES[-1]:.5f}", "acc": f"{ACCURACIES[-1]:.4f}"}
        page.reload()
    card(page, "loss · acc").hover()
    card(page, "loss · acc").get_by_test_id("remove").click()
    expect_view(page, "chart", None)


def test_a_formula_is_drawn_from_all_points(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a")
    page.get_by_test_id("compose").click()
    page.get_by_test_id("formula").fill("1 - acc")
    page.get_by_test_id("formula-add").click()
    page.get_by_test_id("compose-show").click()
    assert value_at_end(page, "1 - acc") == f"{1 - ACCURACIES[-1]:.5f}"


def test_a_formula_that_is_none_says_why(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, '/scalars?run=a&chart=["=acc - nothing"]')
    expect(card(page, "acc - nothing")).to_contain_text("nothing")


def test_any_tag_stands_across(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a")
    settings(page)
    page.get_by_test_id("x-tag").select_option("acc")
    expect_view(page, "x_tag", "acc")
    expect(page.get_by_test_id("axis").get_by_label("acc")).to_be_checked()
    assert value_at_end(page, "loss") == f"{LOSSES[-1]:.5f}"
    page.get_by_test_id("axis").get_by_text("Step").click()
    expect_view(page, "x_tag", None)


def test_half_lives_and_medians_smooth_all_points(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a")
    settings(page)
    page.get_by_test_id("smoother").select_option("half_life_steps")
    page.get_by_test_id("reach").fill("5")
    page.get_by_test_id("reach").blur()
    expect_view(page, "half_life_steps", "5")
    wait_until_drawn(card(page, "loss"))
    weights = [0.5 ** ((STEPS - 1 - step) / 5) for step in range(STEPS)]
    want = sum(weight * loss for weight, loss in zip(weights, LOSSES, strict=True)) / sum(weights)
    tip = point_at(card(page, "loss"), "End")
    expect(tip.locator("td.number").first).to_have_text(f"{want:.5f}")
    page.get_by_test_id("smoother").select_option("median")
    expect_view(page, "median", "5")
    page.get_by_test_id("band").check()
    expect_view(page, "raw", "band")
    wait_until_drawn(card(page, "loss"))


def test_outliers_leave_the_height_and_are_marked(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=b&outliers=mark")
    wait_until_drawn(card(page, "loss"))
    expect(card(page, "loss").get_by_test_id("far")).to_have_text("1 outlier")
    settings(page)
    page.get_by_test_id("outliers").uncheck()
    expect(card(page, "loss").get_by_test_id("far")).to_have_count(0)


def test_the_axis_can_be_logarithmic_and_runs_begin_at_0(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a&full=loss")
    settings(page)
    page.get_by_test_id("x-log").check()
    expect_view(page, "x", "log")
    wait_until_drawn(full(page))
    page.get_by_test_id("align").check()
    expect_view(page, "align", "start")
    full(page).get_by_test_id("offset").fill("100")
    full(page).get_by_test_id("offset").blur()
    expect_view(page, "offset", "100%2Ca")
    wait_until_drawn(full(page))
    expect(point_at(full(page), "End").locator("td.number").nth(1)).to_have_text(str(STEPS - 1))


def test_tags_are_chosen_one_by_one(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars")
    expect(page.get_by_test_id("card")).to_have_count(2)
    page.get_by_test_id("tag-choice").click()
    page.get_by_test_id("tag-list").get_by_label("acc").uncheck()
    expect(page.get_by_test_id("card")).to_have_count(1)
    expect_view(page, "only", "loss")
    page.reload()
    expect(page.get_by_test_id("card")).to_have_count(1)


def test_a_threshold_is_kept_drawn_and_becomes_an_alert(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a")
    wait_until_drawn(card(page, "acc"))
    card(page, "acc").hover()
    card(page, "acc").get_by_test_id("thresholds").click()
    panel = page.get_by_test_id("threshold-panel")
    panel.get_by_test_id("threshold-limit-0").fill("0.5")
    panel.get_by_test_id("threshold-add").click()
    expect(panel.get_by_test_id("threshold-rule")).to_have_value("value > 0.5")
    (kept,) = training.http.get("/api/notebook").json()["thresholds"].values()
    assert (kept["tag"], kept["rule"]) == ("acc", "value > 0.5")
    page.keyboard.press("Escape")
    page.get_by_test_id("alerts").filter(has_text=re.compile("[1-9]")).click()
    alert = page.get_by_test_id("alert").and_(page.locator('[data-run="a"][data-rule^="threshold"]'))
    expect(alert).to_contain_text("step 21")
    alert.get_by_role("button").first.click()
    wait_until_drawn(full(page))
    expect_view(page, "at", "21")
    expect_view(page, "full", "acc")
    expect_view(page, "zoom", re.compile(rf"0(,|%2C){STEPS - 1}(,|%2C)"))


def test_a_muted_alert_is_hidden_until_it_is_shown_again(training: LiveViewer, open_page: OpenPage):
    rule = {"tag": "acc", "rule": "value > 0.5"}
    training.http.put("/api/notebook/thresholds", json={"id": "t", "version": 0, "threshold": rule}).raise_for_status()
    page = open_page(training, "/scalars?run=a")
    page.get_by_test_id("alerts").filter(has_text=re.compile("[1-9]")).click()
    mine = page.locator('[data-testid="alert"][data-rule="threshold:t"]')
    expect(mine).to_have_count(2)
    mine.first.get_by_test_id("mute").click()
    page.get_by_test_id("mute-rule").locator("visible=true").click()
    expect(mine).to_have_count(0)
    page.get_by_test_id("show-muted").check()
    expect(mine).to_have_count(2)
    mine.first.get_by_test_id("unmute").click()
    page.get_by_test_id("show-muted").count()
    expect(mine).to_have_count(2)
    eventually(lambda: not any(training.http.get("/api/notebook").json()["mutes"].values()))


def test_pins_and_colours_are_kept_for_everybody(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a")
    wait_until_drawn(card(page, "loss"))
    card(page, "loss").hover()
    card(page, "loss").get_by_test_id("pin").click()
    pinned = page.locator('[data-group="pinned"]')
    expect(pinned.get_by_test_id("card")).to_have_attribute("data-tag", "loss")
    page.get_by_test_id("run-list").get_by_role("button", name="Colour of a").click()
    page.get_by_role("button", name="Colour 4").click()
    eventually(lambda: (training.http.get("/api/notebook").json()["runs"].get("a") or {}).get("colour") == "3")
    page.evaluate("localStorage.clear()")
    page.reload()
    expect(pinned.get_by_test_id("card")).to_have_attribute("data-tag", "loss")
    expect(page.locator('[data-run="a"] [style*="series-3"]').first).to_be_visible()


def test_all_points_are_downloaded_as_json(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a&full=acc")
    wait_until_drawn(full(page))
    full(page).get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="All points (JSON)").click()
    (series,) = json.loads(Path(download.value.path()).read_text())
    assert (series["run"], series["tag"], series["step"]) == ("a", "acc", list(range(STEPS)))
    assert series["value"] == pytest.approx(ACCURACIES)
