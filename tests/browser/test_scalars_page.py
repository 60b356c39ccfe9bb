# SPDX-License-Identifier: Apache-2.0
"""The curves, as a person sees and handles them, against the values that the logs' own readers find."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.server.live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

from .held_requests import HeldRequests
from .patience import until
from .scalars_page import (
    card,
    colored_pixels,
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
CUSTOM_LOOP = "/scalars?run=mindspore%2Fcustom_loop"
FULL = f"{CUSTOM_LOOP}&full=train%2Floss"


def oracle(tag: str) -> dict[int, float]:
    """Values of custom_loop by step, the last of equal steps."""
    files = json.loads((DATA / "mindspore" / "custom_loop.expected.json").read_text())["files"]
    found = next(one for file in files.values() for one in file["tags"] if one["tag"] == tag)
    return dict(sorted(zip(found["steps"], found["values"], strict=True)))


def test_every_tag_has_a_chart_with_its_curve(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    expect(page.get_by_test_id("card")).to_have_count(8)
    wait_until_drawn(card(page, "train/loss"))
    expect(card(page, "train/loss")).to_contain_text("1.858")
    page.get_by_role("button", name="General").click()
    expect(page.get_by_test_id("card")).to_have_count(2)
    page.reload()
    expect(page.get_by_test_id("card")).to_have_count(2)
    page.get_by_role("button", name="General").click()
    expect(page.get_by_test_id("card")).to_have_count(8)
    wait_until_drawn(card(page, "f64"))


def test_all_charts_show_where_the_cursor_is(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{CUSTOM_LOOP}&tag=train")
    other = card(page, "train/epoch").get_by_test_id("chart")
    wait_until_drawn(card(page, "train/loss"))
    wait_until_drawn(card(page, "train/epoch"))
    point_at(card(page, "train/loss"), "Home")
    expect(other).to_have_attribute("style", re.compile(r"--crosshair: 0px"))
    page.keyboard.press("ArrowRight")
    expect(other).to_have_attribute("style", re.compile(r"--crosshair: [1-9]"))
    page.keyboard.press("Escape")
    expect(other).to_have_attribute("style", re.compile(r"--crosshair: -9999px"))
    expect(tip_rows(page)).to_have_count(0)


def test_the_tip_tells_the_values_of_the_log(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    wait_until_drawn(card(page, "train/loss"))
    for key, place in (("Home", 0), ("End", -1)):
        step, value = list(oracle("train/loss").items())[place]
        tip = point_at(card(page, "train/loss"), key)
        expect(tip).to_contain_text("mindspore/custom_loop")
        expect(tip.locator("td.value")).to_have_text(f"{value:.3f}")
        expect(tip.locator("td.number").nth(1)).to_have_text(str(step))


def test_the_tip_follows_the_pointer(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, FULL)
    wait_until_drawn(full(page))
    values = oracle("train/loss")
    area = full(page).get_by_test_id("plot-area")
    for share in (0.2, 0.5, 0.8):
        box = area.bounding_box()
        assert box is not None
        area.hover(position={"x": box["width"] * share, "y": box["height"] / 2})
        near = {step: value for step, value in values.items() if abs(step - (2 + 46 * share)) < 3}
        told = [[f"{value:.3f}", str(step)] for step, value in near.items()]
        until(page, lambda told=told: tip_rows(page).first.locator("td.number").all_inner_texts()[:2] in told)


def test_runs_share_a_chart_and_can_be_chosen(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=mindspore%2Flineage_sweep%2Frun_01&run=mindspore%2Flineage_sweep%2Frun_02")
    wait_until_drawn(card(page, "loss/auto"))
    point_at(card(page, "loss/auto"), "End")
    expect(tip_rows(page)).to_have_count(2)
    page.get_by_test_id("run-list").get_by_label("Show mindspore/lineage_sweep/run_03").check()
    point_at(card(page, "loss/auto"), "End")
    expect(tip_rows(page)).to_have_count(3)
    nearest = point_at(card(page, "loss/auto"), "Home")
    expect(nearest).to_contain_text("run_01")
    page.keyboard.press("ArrowDown")
    expect(nearest).to_contain_text("run_02")
    page.get_by_test_id("run-list").get_by_label("Show mindspore/lineage_sweep/run_01").uncheck()
    point_at(card(page, "loss/auto"), "End")
    expect(tip_rows(page)).to_have_count(2)


def test_boxes_are_zoomed_into_and_taken_back_one_by_one(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, FULL)
    wait_until_drawn(full(page))
    drag(full(page), (0.2, 0.1), (0.8, 0.9))
    first = shown_zoom(page)
    assert 2 < first[0] < first[1] < 48
    wait_until_drawn(full(page))
    drag(full(page), (0.25, 0.2), (0.75, 0.8))
    second = shown_zoom(page)
    assert first[0] < second[0] < second[1] < first[1]
    assert first[2] < second[2] < second[3] < first[3]
    wait_until_drawn(full(page))
    full(page).get_by_test_id("zoom-back").click()
    until(page, lambda: shown_zoom(page) == first)
    drag(full(page), (0.25, 0.2), (0.75, 0.8))
    full(page).get_by_test_id("zoom-restore").click()
    expect_view(page, "zoom", None)
    expect(full(page).get_by_test_id("zoom-back")).to_have_count(0)


def test_a_zoomed_chart_is_in_the_address_until_a_double_click_restores_it(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    wait_until_drawn(card(page, "train/loss"))
    drag(card(page, "train/loss"), (0.3, 0.2), (0.7, 0.8))
    expect_view(page, "zoom", re.compile(r"[-.\d]+(%2C[-.\d]+){3}%2Ctrain%2Floss"))
    page.reload()
    expect(card(page, "train/loss").get_by_test_id("zoom-restore")).to_be_visible()
    expect(card(page, "train/loss")).to_contain_text("1.858")
    wait_until_drawn(card(page, "train/loss"))
    card(page, "train/loss").get_by_test_id("plot-area").dblclick()
    expect(card(page, "train/loss").get_by_test_id("zoom-restore")).to_have_count(0)
    expect_view(page, "zoom", None)


def asks_for(axis: str) -> Callable[[Request], bool]:
    return lambda request: "/api/curves" in request.url and request.post_data_json["axis"] == axis


def test_the_axis_is_step_or_time(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    wait_until_drawn(card(page, "train/loss"))
    for name, axis in (("Relative", "relative"), ("Wall time", "wall")):
        with page.expect_request(asks_for(axis)):
            open_settings(page).get_by_test_id("axis").get_by_text(name).click()
        expect_view(page, "axis", axis)
        wait_until_drawn(card(page, "train/loss"))
        tip = point_at(card(page, "train/loss"), "End")
        expect(tip.locator("td.value")).to_have_text("1.858")


def test_smoothing_draws_the_average_and_the_raw_curve_behind(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, FULL)
    wait_until_drawn(full(page))
    raw = colored_pixels(full(page))
    number = page.get_by_test_id("smoothing-number")
    page.get_by_test_id("smoothing").fill("0.5")
    expect(number).to_have_value("0.5")
    full(page).get_by_test_id("full").click()
    expect(full(page)).to_have_count(0)
    number.fill("0.8")
    number.blur()
    expect_view(page, "smoothing", "0.8")
    card(page, "train/loss").hover()
    card(page, "train/loss").get_by_test_id("full").click()
    average, values = 0.0, list(oracle("train/loss").values())
    for value in values:
        average = 0.8 * average + 0.2 * value
    smoothed = average / (1 - 0.8 ** len(values))
    wait_until_drawn(full(page))
    tip = point_at(full(page), "End")
    expect(tip.locator("td.number").first).to_have_text(f"{smoothed:.3f}")
    expect(tip.locator("td.value")).to_have_text("1.858")
    until(page, lambda: colored_pixels(full(page)) > 1.2 * raw)


def test_a_logarithmic_axis_says_what_it_can_not_draw(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    wait_until_drawn(card(page, "train/loss"))
    page.set_viewport_size({"width": 800, "height": 800})
    open_settings(page).get_by_test_id("y-scale").get_by_text("Log").click()
    expect_view(page, "y", "log")
    page.get_by_test_id("settings").click()
    zeros = sum(value <= 0 for value in oracle("train/epoch").values())
    assert zeros > 0
    expect(card(page, "train/epoch")).to_contain_text(re.compile(rf"\b{zeros}\b.*≤ 0"))
    expect(card(page, "train/loss")).not_to_contain_text("≤ 0")
    wait_until_drawn(card(page, "train/loss"))


def test_one_chart_can_be_logarithmic_alone(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    wait_until_drawn(card(page, "train/epoch"))
    card(page, "train/epoch").hover()
    card(page, "train/epoch").get_by_test_id("log").click()
    expect(card(page, "train/epoch")).to_contain_text("≤ 0")
    expect_view(page, "flip", "train%2Fepoch")


def test_tags_are_filtered_by_text_and_by_expression(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    expect(page.get_by_test_id("card")).to_have_count(8)
    page.get_by_test_id("tag-filter").fill("loss")
    expect(page.get_by_test_id("card")).to_have_count(1)
    expect_view(page, "tag", "loss")
    page.get_by_test_id("tag-filter").fill("^train/|acc$")
    page.get_by_test_id("scalar-toolbar").get_by_role("button", name="Regular expression").click()
    expect(page.get_by_test_id("card")).to_have_count(3)
    page.get_by_test_id("tag-filter").fill("(")
    expect(page.get_by_test_id("scalar-toolbar").get_by_role("alert")).to_contain_text("Invalid regular expression")
    page.get_by_test_id("tag-filter").fill("no such tag")
    page.get_by_test_id("clear-filter").click()
    expect(page.get_by_test_id("card")).to_have_count(8)


def test_values_that_are_no_numbers_are_marked_and_a_lone_one_is_a_dot(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=tensorboard%2Ftb_all%2Frun_a&tag=nan")
    nan = card(page, "nan")
    expect(nan.get_by_test_id("nan")).to_have_text("NaN at step 1")
    expect(nan).to_contain_text("1 Inf")
    wait_until_drawn(nan)
    for cross_triangle_or_dot in ((0, 1), (0.5, 0), (1, 0.5)):
        wait_until_colored_at(nan, *cross_triangle_or_dot)
    wait_until_colored_at(nan, 0.5, 0.5, is_colored=False)


def test_a_long_curve_says_that_it_is_reduced_and_refines_when_zoomed(tmp_path: Path, open_page: OpenPage):
    log = GrowingLog(tmp_path / "logs" / "run")
    for step in range(8_000):
        log.scalar(step, 50.0 if step == 3_111 else step % 11)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("last_step") == 7_999)
        page = open_page(live, "/scalars?full=loss")
        wait_until_drawn(full(page))
        expect(full(page).get_by_test_id("mean")).to_have_attribute("title", re.compile("points are plotted"))
        expect(full(page).get_by_test_id("chart-table")).to_contain_text("50")
        page.get_by_test_id("settings").first.click()
        page.get_by_test_id("band").select_option("line")
        expect(full(page).get_by_test_id("mean")).to_have_count(0)
        expect(full(page).get_by_test_id("reduced")).to_be_visible()
        page.get_by_test_id("settings").first.click()
        expect(page.get_by_test_id("band")).to_have_count(0)
        wait_until_drawn(full(page))
        drag(full(page), (0.38, 0.02), (0.40, 0.98))
        expect(full(page).get_by_test_id("reduced")).to_have_count(0)


def test_the_address_brings_the_same_view_back(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    wait_until_drawn(card(page, "train/loss"))
    page.get_by_test_id("tag-filter").fill("loss")
    open_settings(page).get_by_test_id("axis").get_by_text("Relative").click()
    open_settings(page).get_by_test_id("y-scale").get_by_text("Log").click()
    page.get_by_test_id("smoothing-number").fill("0.6")
    page.get_by_test_id("smoothing-number").blur()
    expect_view(page, "smoothing", "0.6")
    expect_view(page, "tag", "loss")
    expect_view(page, "axis", "relative")
    expect_view(page, "y", "log")
    address = page.url
    page.reload()
    wait_until_drawn(card(page, "train/loss"))
    expect(page.get_by_test_id("card")).to_have_count(1)
    expect(open_settings(page).get_by_test_id("axis").get_by_label("Relative")).to_be_checked()
    expect(open_settings(page).get_by_test_id("y-scale").get_by_label("Log")).to_be_checked()
    expect(page.get_by_test_id("smoothing-number")).to_have_value("0.6")
    expect(page).to_have_url(address)
    page.get_by_test_id("restore-all").click()
    expect(page.get_by_test_id("card")).to_have_count(8)
    expect(page).to_have_url(re.compile(r"/scalars\?run=mindspore%2Fcustom_loop$"))


def test_full_screen_is_left_with_escape(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    wait_until_drawn(card(page, "train/loss"))
    card(page, "train/loss").hover()
    card(page, "train/loss").get_by_test_id("full").click()
    wait_until_drawn(full(page))
    expect_view(page, "full", "train%2Floss")
    expect(full(page)).to_be_focused()
    page.keyboard.press("Tab")
    expect(full(page).get_by_test_id("log")).to_be_focused()
    page.keyboard.press("Escape")
    expect(full(page)).to_have_count(0)
    expect_view(page, "full", None)
    expect(card(page, "train/loss").get_by_test_id("full")).to_be_focused()


def test_a_curve_is_downloaded_exactly(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, FULL)
    wait_until_drawn(full(page))
    saved = {}
    for kind in ("csv", "png", "svg"):
        full(page).get_by_test_id("download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"download-{kind}").click()
        saved[kind] = Path(download.value.path()).read_bytes()
    assert saved["png"].startswith(b"\x89PNG")
    assert b">train/loss<" in saved["svg"]
    assert b"<path" in saved["svg"]
    table = saved["csv"].decode()
    for step, value in list(oracle("train/loss").items())[:5]:
        line = next(line for line in table.splitlines() if f",{step}," in line or line.startswith(f"{step},"))
        assert abs(float(line.split(",")[-1]) - value) < 1e-7


def test_search_finds_a_tag_by_keyboard_alone(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    wait_until_drawn(card(page, "train/loss"))
    page.keyboard.press("/")
    expect(page.get_by_test_id("search")).to_be_focused()
    page.keyboard.type("epoch")
    expect(page.get_by_role("listbox").get_by_role("option", selected=True)).to_have_text("train/epoch")
    page.keyboard.press("Enter")
    wait_until_drawn(full(page))
    expect_view(page, "full", "train%2Fepoch")


def test_tags_are_asked_for_once(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars")
    wait_until_drawn(page.get_by_test_id("card").first)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page.reload()
    wait_until_drawn(page.get_by_test_id("card").first)
    page.get_by_test_id("tag-filter").fill("loss")
    wait_until_drawn(page.get_by_test_id("card").first)
    assert asked.count("/api/tags") == 1


def test_a_chart_says_that_lines_are_still_loading(viewer: LiveViewer, context: BrowserContext, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    wait_until_drawn(page.get_by_test_id("card").first)
    loading = page.get_by_test_id("loading-lines")
    expect(loading).to_have_count(0)
    held = HeldRequests(context, "**/api/curves")
    page.get_by_test_id("smoothing").fill("0.9")
    expect(loading.first).to_contain_text("Loading… 0 of 1")
    held.release()
    expect(loading).to_have_count(0)
