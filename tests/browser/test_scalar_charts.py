# SPDX-License-Identifier: Apache-2.0
"""What a person makes of the charts of scalars: compositions, formulas, other axes, smoothing, thresholds, pins."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .scalars_page import (
    card,
    drag,
    expect_view,
    full,
    open_settings,
    point_at,
    shown_zoom,
    tip_rows,
    wait_until_colored_at,
    wait_until_drawn,
)

OpenPage = Callable[[LiveViewer, str], Page]
STEPS = 40
LOSSES = [2.0 / (step + 1) for step in range(STEPS)]
ACCURACIES = [step / STEPS for step in range(STEPS)]
UPPER_LIMIT, LOWER_LIMIT = (0.1, 0.4145), (0.3, 0.9464)
"""Where 0.5 and -0.2 are drawn, in shares of a chart of acc that has room for both."""


@contextmanager
def viewed_training(room: Path) -> Iterator[LiveViewer]:
    """Two runs of loss and acc; the loss of the second rises by a million at one step."""
    for name, spike in (("a", 0.0), ("b", 1e6)):
        log = GrowingLog(room / "logs" / name)
        for step in range(STEPS):
            log.scalar(step, LOSSES[step] + (spike if step == 20 else 0.0))
            log.scalar(step, ACCURACIES[step], "acc")
    with running_viewer(room / "logs", room) as live:
        eventually(lambda: len(live.runs()) == 2 and all(run["last_step"] == STEPS - 1 for run in live.runs().values()))
        yield live


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """For tests that keep nothing on the server."""
    with viewed_training(tmp_path_factory.mktemp("training")) as live:
        yield live


@pytest.fixture
def own_training(tmp_path: Path) -> Iterator[LiveViewer]:
    """With annotations that no other test has written."""
    with viewed_training(tmp_path) as live:
        yield live


def expect_at_end(page: Page, title: str, value: str) -> None:
    """The tip says so at the last step of the nearest curve of a chart."""
    wait_until_drawn(card(page, title))
    expect(point_at(card(page, title), "End").locator("td.value")).to_have_text(value)


def downloaded(chart: Locator, kind: str) -> str:
    chart.get_by_test_id("download").click()
    with chart.page.expect_download() as download:
        chart.page.get_by_test_id(f"download-{kind}").click()
    return download.value.path().read_text()


def thresholds(live: LiveViewer) -> list[dict[str, Any]]:
    return [one for one in live.http.get("/api/annotations").json()["thresholds"].values() if one]


def test_tags_are_composed_with_axes_of_their_own(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a")
    page.get_by_test_id("compose").click()
    panel = page.get_by_test_id("compose-panel")
    expect(panel.get_by_test_id("compose-show")).to_be_disabled()
    panel.get_by_label("loss").check()
    panel.get_by_label("acc").check()
    panel.get_by_role("button", name="Remove acc").click()
    expect(panel.get_by_test_id("compose-parts").get_by_role("listitem")).to_have_text(["loss"])
    panel.get_by_label("acc").check()
    panel.get_by_test_id("compose-show").click()
    expect(page.get_by_test_id("tag-group").first).to_contain_text("Composed")
    for _ in range(2):
        composed = card(page, "loss · acc")
        wait_until_drawn(composed)
        point_at(composed, "End")
        expect(tip_rows(page)).to_have_count(2)
        for tag, value in (("loss", f"{LOSSES[-1]:.5f}"), ("acc", f"{ACCURACIES[-1]:.4f}")):
            row = tip_rows(page).filter(has=page.get_by_role("cell", name=tag, exact=True))
            expect(row.locator("td.value")).to_have_text(value)
        page.reload()
    card(page, "loss · acc").hover()
    card(page, "loss · acc").get_by_test_id("remove").click()
    expect_view(page, "chart", None)


def test_a_formula_is_drawn_from_all_points(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a")
    page.get_by_test_id("compose").click()
    page.get_by_test_id("formula").fill("1 - acc")
    page.get_by_test_id("formula-add").click()
    expect(page.get_by_test_id("compose-parts").get_by_role("listitem")).to_have_text(["1 - acc"])
    page.get_by_test_id("compose-show").click()
    expect_at_end(page, "1 - acc", f"{1 - ACCURACIES[-1]:.5f}")
    rows = downloaded(card(page, "1 - acc"), "csv").splitlines()
    assert rows[0] == "run,step,wall_time,value"
    assert [int(row.split(",")[1]) for row in rows[1:]] == list(range(STEPS))
    assert [float(row.split(",")[3]) for row in rows[1:]] == pytest.approx(
        [1 - value for value in ACCURACIES], abs=1e-6
    )


def test_a_formula_that_is_none_says_why(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, '/scalars?run=a&chart=["=acc - nothing"]&chart=["=1 %2B"]&chart=["gone"]')
    expect(card(page, "acc - nothing").get_by_test_id("nothing")).to_contain_text("nothing")
    expect(card(page, "1 +").get_by_test_id("nothing")).to_contain_text("The expression is incomplete")
    expect(card(page, "gone").get_by_test_id("nothing")).to_have_text("No selected run has gone")


def test_any_tag_stands_across(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a")
    open_settings(page)
    page.get_by_test_id("x-tag").select_option("acc")
    expect_view(page, "x_tag", "acc")
    expect(page.get_by_test_id("axis").get_by_label("acc")).to_be_checked()
    expect_at_end(page, "loss", f"{LOSSES[-1]:.5f}")
    page.get_by_test_id("axis").get_by_text("Step").click()
    expect_view(page, "x_tag", None)


def test_half_lives_and_medians_smooth_all_points(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a")
    open_settings(page)
    page.get_by_test_id("smoother").select_option("half_life_steps")
    page.get_by_test_id("reach").fill("5")
    page.get_by_test_id("reach").blur()
    expect_view(page, "half_life_steps", "5")
    wait_until_drawn(card(page, "loss"))
    weights = [0.5 ** ((STEPS - 1 - step) / 5) for step in range(STEPS)]
    want = sum(weight * loss for weight, loss in zip(weights, LOSSES, strict=True)) / sum(weights)
    smoothed = tip_rows(page).first.locator("td.number").first
    point_at(card(page, "loss"), "End")
    expect(smoothed).to_have_text(f"{want:.5f}")
    page.get_by_test_id("smoother").select_option("median")
    expect_view(page, "median", "5")
    point_at(card(page, "loss"), "End")
    expect(smoothed).to_have_text(f"{LOSSES[-2]:.5f}")
    page.get_by_test_id("smoother").select_option("half_life_seconds")
    expect_view(page, "half_life_seconds", "5")
    point_at(card(page, "loss"), "End")
    expect(smoothed).to_have_text(f"{want:.5f}")
    page.get_by_test_id("band").select_option("band")
    expect_view(page, "raw", "band")
    wait_until_drawn(card(page, "loss"))
    page.get_by_test_id("scalar-settings").get_by_role("button", name="Close").click()
    expect(page.get_by_test_id("scalar-settings")).to_have_count(0)


def test_the_nearest_curve_comes_first_in_the_tip(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?full=loss&outliers=keep")
    wait_until_drawn(full(page))
    expect(full(page).get_by_test_id("chart-table").locator("tbody tr")).to_have_count(2)
    area = full(page).get_by_test_id("plot-area")
    for share, run in ((0.1, "b"), (0.9, "a")):
        box = area.bounding_box()
        assert box is not None
        area.hover(position={"x": box["width"] * 20 / (STEPS - 1), "y": box["height"] * share})
        expect(tip_rows(page).first).to_contain_text(run)
        expect(tip_rows(page).first.locator("td.number").nth(1)).to_have_text("20")
    full(page).get_by_test_id("chart-table-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("chart-table-download-csv").click()
    header, first, *_ = Path(download.value.path()).read_text().splitlines()
    assert header == "run,value,step,relative,minimum,maximum,points,offset"
    assert first.startswith("a,0.05")
    assert first.endswith(f",2,{STEPS},0")


def test_outliers_leave_the_height_and_are_marked(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=b&outliers=mark")
    wait_until_drawn(card(page, "loss"))
    expect(card(page, "loss").get_by_test_id("far")).to_have_text("1 outlier ignored")
    open_settings(page)
    page.get_by_test_id("outliers").select_option("never")
    expect(card(page, "loss").get_by_test_id("far")).to_have_count(0)


def test_the_axis_can_be_logarithmic_and_runs_begin_at_0(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a&full=loss")
    open_settings(page)
    page.get_by_test_id("x-log").check()
    expect_view(page, "x", "log")
    expect(full(page).get_by_test_id("unplaced")).to_have_text("1 at x ≤ 0")
    wait_until_drawn(full(page))
    hollow_triangles = re.findall(r'<path d="M[^"]+Z" fill="none"', downloaded(full(page), "svg"))
    assert len(hollow_triangles) == 1
    page.get_by_test_id("align").check()
    expect_view(page, "align", "start")
    full(page).get_by_test_id("offset").fill("100")
    full(page).get_by_test_id("offset").blur()
    expect_view(page, "offset", "100%2Ca")
    wait_until_drawn(full(page))
    expect(point_at(full(page), "End").locator("td.number").nth(1)).to_have_text(str(STEPS - 1))
    page.get_by_test_id("x-log").uncheck()
    expect(full(page).get_by_test_id("unplaced")).to_have_count(0)
    drag(full(page), (0.25, 0.1), (0.75, 0.9))
    left, right, *_ = shown_zoom(page)
    assert 100 < left < right < 100 + STEPS


def test_tags_are_chosen_one_by_one(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars")
    expect(page.get_by_test_id("card")).to_have_count(2)
    page.get_by_test_id("tag-choice").click()
    page.get_by_test_id("tag-list").get_by_label("acc").uncheck()
    expect(page.get_by_test_id("card")).to_have_count(1)
    expect_view(page, "only", "loss")
    page.reload()
    expect(page.get_by_test_id("card")).to_have_count(1)
    page.get_by_test_id("tag-choice").click()
    page.get_by_test_id("tag-list-filter").fill("acc")
    expect(page.get_by_test_id("tag-list-rows").get_by_role("listitem")).to_have_count(1)
    page.get_by_test_id("tag-list-filter").press("ArrowDown")
    expect(page.get_by_test_id("tag-list").get_by_label("All tags")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("tag-list").get_by_label("acc")).to_be_focused()
    page.get_by_test_id("tag-list").get_by_label("All tags").check()
    expect(page.get_by_test_id("card")).to_have_count(2)
    expect_view(page, "only", None)


def test_a_threshold_is_kept_drawn_and_becomes_an_alert(own_training: LiveViewer, open_page: OpenPage):
    page = open_page(own_training, "/scalars?run=a")
    wait_until_drawn(card(page, "acc"))
    card(page, "acc").hover()
    card(page, "acc").get_by_test_id("thresholds").click()
    panel = page.get_by_test_id("threshold-panel")
    panel.get_by_test_id("threshold-limit-0").fill("0.5")
    panel.get_by_test_id("threshold-joint").select_option("or")
    panel.get_by_test_id("threshold-operator-1").select_option("<=")
    panel.get_by_test_id("threshold-limit-1").fill("-0.2")
    panel.get_by_test_id("threshold-add").click()
    expect(panel.get_by_test_id("threshold-rule")).to_have_value("value > 0.5 or value <= -0.2")
    (kept,) = eventually(lambda: thresholds(own_training))
    assert (kept["tag"], kept["rule"]) == ("acc", "value > 0.5 or value <= -0.2")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    page.get_by_test_id("alerts").filter(has_text=re.compile("[1-9]")).click()
    alert = page.get_by_test_id("alert").and_(page.locator('[data-run="a"][data-rule^="threshold"]'))
    expect(alert).to_contain_text("step 21")
    alert.get_by_role("button").first.click()
    wait_until_drawn(full(page))
    expect_view(page, "at", "21")
    expect_view(page, "full", "acc")
    expect_view(page, "zoom", re.compile(rf"0(,|%2C){STEPS - 1}(,|%2C)"))
    full(page).get_by_test_id("zoom-restore").click()
    wait_until_colored_at(full(page), *UPPER_LIMIT)
    wait_until_colored_at(full(page), *LOWER_LIMIT)
    full(page).get_by_test_id("thresholds").click()
    panel.get_by_test_id("threshold-rule").fill("value > 0.5")
    panel.get_by_test_id("threshold-rule").blur()
    wait_until_colored_at(full(page), *LOWER_LIMIT, is_colored=False)
    panel.get_by_label("Enabled").uncheck()
    eventually(lambda: not any(one["enabled"] for one in thresholds(own_training)))
    panel.get_by_test_id("threshold-remove").click()
    expect(panel.get_by_test_id("threshold")).to_have_count(0)


def test_a_muted_alert_is_hidden_until_it_is_shown_again(own_training: LiveViewer, open_page: OpenPage):
    rule = {"tag": "acc", "rule": "value > 0.5"}
    own_training.http.put(
        "/api/annotations/thresholds", json={"id": "t", "version": 0, "threshold": rule}
    ).raise_for_status()
    page = open_page(own_training, "/scalars?run=a")
    page.get_by_test_id("alerts").filter(has_text=re.compile("[1-9]")).click()
    mine = page.locator('[data-testid="alert"][data-rule="threshold:t"]')
    expect(mine).to_have_count(2)
    mine.first.get_by_test_id("mute").click()
    page.get_by_test_id("mute-rule").locator("visible=true").click()
    expect(mine).to_have_count(0)
    page.get_by_test_id("show-muted").check()
    expect(mine).to_have_count(2)
    mine.first.get_by_test_id("unmute").click()
    expect(mine).to_have_count(2)
    eventually(lambda: not any(own_training.http.get("/api/annotations").json()["mutes"].values()))


def test_pins_and_colors_are_kept_for_everybody(own_training: LiveViewer, open_page: OpenPage):
    page = open_page(own_training, "/scalars?run=a")
    wait_until_drawn(card(page, "loss"))
    card(page, "loss").hover()
    card(page, "loss").get_by_test_id("pin").click()
    pinned = page.locator('[data-group="pinned"]')
    expect(pinned.get_by_test_id("card")).to_have_attribute("data-tag", "loss")
    page.get_by_test_id("run-list").get_by_role("button", name="Color of a").click()
    page.get_by_role("button", name="Color 4").click()
    eventually(lambda: (own_training.http.get("/api/annotations").json()["runs"].get("a") or {}).get("color") == "3")
    eventually(lambda: any(own_training.http.get("/api/annotations").json()["pins"].values()))
    page.evaluate("localStorage.clear()")
    page.reload()
    expect(pinned.get_by_test_id("card")).to_have_attribute("data-tag", "loss")
    expect(page.locator('[data-run="a"] [style*="series-3"]').first).to_be_visible()
    wait_until_drawn(card(page, "loss"))
    card(page, "loss").hover()
    card(page, "loss").get_by_test_id("pin").click()
    expect(pinned).to_have_count(0)


def test_all_points_are_downloaded_as_json(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?run=a&full=acc")
    wait_until_drawn(full(page))
    full(page).get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id("download-json").click()
    (series,) = json.loads(Path(download.value.path()).read_text())
    assert (series["run"], series["tag"], series["step"]) == ("a", "acc", list(range(STEPS)))
    assert series["value"] == pytest.approx(ACCURACIES)


def test_train_and_val_share_one_axis_by_one_click(tmp_path: Path, open_page: OpenPage):
    log = GrowingLog(tmp_path / "logs" / "a")
    for step in range(3):
        for tag, value in (("train/loss", 1.0), ("val/loss", 100.0), ("train/lr", 0.1)):
            log.scalar(step, value + step, tag)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("a", {}).get("last_step") == 2)
        page = open_page(live, "/scalars")
        wait_until_drawn(card(page, "train/loss"))
        page.get_by_test_id("pairs").click()
        both = card(page, "train/loss · val/loss")
        wait_until_drawn(both)
        wait_until_colored_at(both, 0.5, 0.97)  # 1 to 3 are at the bottom of an axis that reaches 102
        both.hover()
        both.get_by_test_id("own").click()
        page.get_by_test_id("own-y-axes").select_option("own")
        expect_view(page, "y_axes", re.compile("own"))
        page.keyboard.press("Escape")
        wait_until_colored_at(both, 0.5, 0.5)
        page.get_by_test_id("pairs").click()
        expect(both).to_have_count(0)
