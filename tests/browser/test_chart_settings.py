# SPDX-License-Identifier: Apache-2.0
"""Linked charts, the wheel, settings of one chart, outliers and smoothing of dense curves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import cos
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer, unpack

from .patience import until
from .scalars_page import card, colored_pixels, drag, expect_view, full, point_at, to_number, view_in, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
STEPS = 2000


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A run with a dense noisy loss and a gradient norm with one spike."""
    room = tmp_path_factory.mktemp("settings")
    log = GrowingLog(room / "logs" / "a")
    for step in range(STEPS):
        log.scalar(step, 2 + cos(40 * step))
        log.scalar(step, 1e6 if step == 700 else cos(40 * step), "norm")
    with running_viewer(room / "logs", room) as live:
        eventually(lambda: len(live.runs()) == 1 and live.runs()["a"]["last_step"] == STEPS - 1)
        yield live


def last_step(page: Page, tag: str) -> float:
    """Of the points in sight of a chart: the last one that the cursor finds."""
    cells = point_at(card(page, tag), "End").locator("td.number")
    return to_number(cells.nth(1).inner_text())


def drawing(page: Page, tag: str) -> str:
    """The chart of a tag as SVG."""
    card(page, tag).hover()
    card(page, tag).get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id("download-svg").click()
    return download.value.path().read_text()


def test_a_flat_curve_leaves_its_outliers_out_and_says_so(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars")
    wait_until_drawn(card(page, "norm"))
    expect(card(page, "norm").get_by_test_id("far")).to_have_text("1 outlier ignored")
    expect(card(page, "loss").get_by_test_id("far")).to_have_count(0)
    for look in ("axis=relative", "axis=wall", "smoothing=0.99", "smoothing=0.99&axis=relative"):
        page = open_page(training, f"/scalars?{look}")
        wait_until_drawn(card(page, "norm"))
        expect(card(page, "norm").get_by_test_id("far")).to_have_text("1 outlier ignored")
    page = open_page(training, "/scalars")
    wait_until_drawn(card(page, "norm"))
    fitted = colored_pixels(card(page, "norm"))
    card(page, "norm").hover()
    card(page, "norm").get_by_test_id("own").click()
    page.get_by_test_id("own-outliers").select_option("never")
    expect_view(page, "own", ",,keep,norm".replace(",", "%2C"))
    expect(card(page, "norm").get_by_test_id("far")).to_have_count(0)
    until(page, lambda: colored_pixels(card(page, "norm")) < fitted / 2)


def test_hidden_points_are_counted_and_shown_on_request(tmp_path: Path, open_page: OpenPage):
    """One tag has two points at some steps, another one has not. The switch stays in the address."""
    log = GrowingLog(tmp_path / "logs" / "a")
    for step, value in ((0, 1.0), (0, 9.0), (1, 2.0), (2, 3.0), (2, 8.0), (3, 4.0)):
        log.scalar(step, value)
        log.scalar(int(value), value, "plain")
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        page = open_page(live, "/scalars")
        hidden = card(page, "loss").get_by_test_id("hidden")
        expect(hidden).to_have_text("2 points hidden")
        expect(hidden).to_have_attribute("title", re.compile("^2 points hidden: 2 repeat a step"))
        expect(card(page, "plain").get_by_test_id("hidden")).to_have_count(0)
        page.get_by_test_id("settings").click()
        with page.expect_response(asks_for_all) as answer:
            page.get_by_label("Show all points").check()
        points = {series["tag"]: series["points"] for series in unpack(answer.value.body()).header["series"]}
        assert points["loss"] == 6
        expect_view(page, "points", "all")
        expect(hidden).to_have_count(0)
        page.reload()
        expect(page.get_by_label("Show all points")).to_be_checked()
        wait_until_drawn(card(page, "loss"))
        expect(hidden).to_have_count(0)


def asks_for_all(response: Response) -> bool:
    """Whether it answers a request for all points of the loss."""
    question = response.request.post_data or ""
    return '"overwritten":true' in question and '"loss"' in question


def test_dense_raw_values_are_a_faint_band_and_values_are_smoothed(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?tag=loss&smoothing=0.99&raw=line")
    wait_until_drawn(card(page, "loss"))
    assert "fill-opacity" not in drawing(page, "loss")
    smoothed = point_at(card(page, "loss"), "End").locator("td.number").first.inner_text()
    expect(card(page, "loss").locator(".last")).to_have_text(smoothed)
    page.get_by_test_id("settings").click()
    page.get_by_test_id("band").select_option("auto")
    expect_view(page, "raw", None)
    until(page, lambda: "fill-opacity" in drawing(page, "loss"))
    assert 'stroke-opacity="0.34"' not in drawing(page, "loss")


def test_a_zoom_goes_for_all_charts_unless_they_are_not_linked(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars")
    for tag in ("loss", "norm"):
        wait_until_drawn(card(page, tag))
    drag(card(page, "loss"), (0.25, 0.1), (0.5, 0.9))
    expect_view(page, "lead", "loss")
    until(page, lambda: last_step(page, "norm") < STEPS * 0.52)
    page.reload()
    wait_until_drawn(card(page, "norm"))
    until(page, lambda: last_step(page, "norm") < STEPS * 0.52)
    drag(card(page, "norm"), (0.25, 0.1), (0.5, 0.9))
    expect_view(page, "lead", "norm")
    until(page, lambda: last_step(page, "loss") < STEPS * 0.4)
    card(page, "loss").hover()
    card(page, "loss").get_by_test_id("zoom-back").click()
    until(page, lambda: STEPS * 0.45 < last_step(page, "loss") < STEPS * 0.52)
    card(page, "loss").hover()
    card(page, "loss").get_by_test_id("zoom-restore").click()
    expect_view(page, "zoom", None)
    until(page, lambda: last_step(page, "norm") == STEPS - 1)
    page.get_by_test_id("settings").click()
    page.get_by_test_id("linked").uncheck()
    drag(card(page, "loss"), (0.25, 0.1), (0.5, 0.9))
    expect_view(page, "lead", None)
    until(page, lambda: last_step(page, "loss") < STEPS * 0.52)
    assert last_step(page, "norm") == STEPS - 1


def test_the_wheel_scales_with_a_key_and_scrolls_without(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?linked=off")
    wait_until_drawn(card(page, "loss"))
    card(page, "loss").get_by_test_id("plot-area").hover()
    page.mouse.wheel(0, -200)
    page.wait_for_function("document.querySelector('[data-testid=scalars]')")
    expect_view(page, "zoom", None)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.mouse.wheel(0, -120)
    expect(page).not_to_have_url(page.url.split("?")[0] + "?linked=off")
    left, right = (float(edge) for edge in view_in(page.url)["zoom"][0].split(",")[:2])
    assert 0 < left < STEPS / 2 < right < STEPS
    for _ in range(8):
        page.mouse.wheel(0, 120)
    expect_view(page, "zoom", None)
    page.keyboard.up("Control")


def test_one_chart_has_an_axis_and_smoothing_of_its_own(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars")
    wait_until_drawn(card(page, "loss"))
    card(page, "loss").hover()
    card(page, "loss").get_by_test_id("own").click()
    page.get_by_test_id("own-axis").select_option("relative")
    page.get_by_test_id("own-smooths").check()
    page.get_by_test_id("own-smoothing-number").fill("0.9")
    page.get_by_test_id("own-smoothing-number").blur()
    expect_view(page, "own", "relative%2C0.9%2C%2Closs")
    page.reload()
    wait_until_drawn(card(page, "loss"))
    point_at(card(page, "loss"), "End")
    expect(page.get_by_test_id("tip").get_by_role("columnheader", name="Smoothed")).to_have_count(1)
    point_at(card(page, "norm"), "End")
    expect(page.get_by_test_id("tip").get_by_role("columnheader", name="Smoothed")).to_have_count(0)
    drag(card(page, "norm"), (0.25, 0.1), (0.5, 0.9))
    until(page, lambda: last_step(page, "norm") < STEPS * 0.52)
    point_at(card(page, "loss"), "End")
    assert to_number(page.get_by_test_id("tip").locator("tbody td.number").nth(2).inner_text()) == STEPS - 1


def test_a_chart_has_a_range_and_titles_of_its_own(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?full=loss")
    wait_until_drawn(full(page))
    full(page).get_by_test_id("own").click()
    for name, text in {"low": "0", "high": "40", "title": "Loss <b>", "xTitle": "Updates", "yTitle": "nats"}.items():
        page.get_by_test_id(f"own-{name}").fill(text)
        page.get_by_test_id(f"own-{name}").blur()
    expect(full(page).get_by_role("heading")).to_have_text("Loss <b>")
    expect(page).to_have_url(re.compile("nats"))  # it follows a little later
    page.reload()
    wait_until_drawn(full(page))
    expect(full(page).get_by_role("heading")).to_have_text("Loss <b>")
    full(page).get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id("download-svg").click()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", Path(download.value.path()).read_text())
    assert {"Loss &lt;b&gt;", "Updates", "nats", "0", "40"} <= set(texts)


def test_a_picture_says_its_axes_and_is_fine_enough_for_print(training: LiveViewer, open_page: OpenPage):
    page = open_page(training, "/scalars?full=loss")
    wait_until_drawn(full(page))
    saved: dict[str, bytes] = {}
    for kind in ("png", "svg"):
        full(page).get_by_test_id("download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"download-{kind}").click()
        saved[kind] = Path(download.value.path()).read_bytes()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", saved["svg"].decode())
    assert {"loss", "Step"} <= set(texts)
    width = int(re.search(r'width="(\d+)', saved["svg"].decode())[1])
    assert int.from_bytes(saved["png"][16:20], "big") == 2 * width
