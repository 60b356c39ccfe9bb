# SPDX-License-Identifier: Apache-2.0
"""Histograms over steps, as a person sees and handles them, against the buckets of the logs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Request, expect

import mindscope
from mindscope.types import Histogram
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer, unpack

from .patience import body, until
from .scalars_page import COLORED_PIXELS, card, expect_view, full, to_number

OpenPage = Callable[[LiveViewer, str], Page]
OPS = "/histograms?run=mindspore%2Fops"
TAG = "fc1.weight"
SVG = "{http://www.w3.org/2000/svg}"
BUCKET = 0.08
"""A merged row has buckets of this width and less."""
TOLD = """tip => Object.fromEntries(
  [...tip.querySelectorAll("[data-testid]")].map(one => [one.dataset.testid, one.innerText.trim()])
)"""
SHAPES = {"ridge": "Offset", "front": "Overlay", "heat": "Heat map", "bands": "Percentiles"}


def samples(tag: str = TAG) -> dict[int, Histogram]:
    return {sample.step: sample.value for sample in mindscope.open_run(DATA / "mindspore" / "ops").histograms(tag)}


def chart(within: Locator) -> Locator:
    return within.get_by_test_id("histogram-chart")


def wait_until_drawn(within: Locator) -> None:
    """Brings a chart into view. Another drawing is another element, so the one that is found may be replaced."""
    within.evaluate("card => card.scrollIntoView({ block: 'nearest' })")
    until(within.page, lambda: chart(within).first.evaluate(COLORED_PIXELS) > 200)


def tip(page: Page, testid: str) -> Locator:
    return page.get_by_test_id("histogram-tip").get_by_test_id(testid)


def point_at(within: Locator, across: float, down: float) -> None:
    """Hold the pointer over a place of the chart, given in shares of its size."""
    box = chart(within).bounding_box()
    assert box is not None
    chart(within).hover(position={"x": box["width"] * across, "y": box["height"] * down})


def told_bucket(page: Page) -> tuple[int, float, float, float]:
    """Step, edges and count, as the tip tells them at one time."""
    told = page.get_by_test_id("histogram-tip").evaluate(TOLD)
    left, right = told["bucket"].strip("[])").split(", ")
    return int(told["tip-step"]), to_number(left), to_number(right), to_number(told["bucket-count"])


def assert_is_in_the_log(told: tuple[int, float, float, float]) -> None:
    step, left, right, count = told
    histogram = samples()[step]
    near = np.isclose(histogram.left, left, rtol=1e-5, atol=1e-9)
    near &= np.isclose(histogram.right, right, rtol=1e-5, atol=1e-9)
    assert histogram.count[near].tolist() == [count]


def test_every_way_of_drawing_tells_the_buckets_of_the_log(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    for shape, name in SHAPES.items():
        page.get_by_test_id("shape").get_by_text(name).click()
        expect_view(page, "shape", None if shape == "ridge" else shape)
        wait_until_drawn(card(page, TAG))
        seen: set[tuple[float, ...]] = set()
        for place in ((0.4, 0.5), (0.5, 0.8), (0.55, 0.3), (0.6, 0.6)):
            point_at(card(page, TAG), *place)
            until(page, lambda seen=seen: told_bucket(page) not in seen)
            seen.add(told := told_bucket(page))
            assert_is_in_the_log(told)


def test_arrow_keys_walk_over_buckets_and_steps(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    wait_until_drawn(card(page, TAG))
    chart(card(page, TAG)).focus()
    page.keyboard.press("ArrowRight")
    first = told_bucket(page)
    assert first[0] == max(samples())
    page.keyboard.press("ArrowRight")
    until(page, lambda: told_bucket(page)[1] == pytest.approx(first[2], rel=1e-4))
    page.keyboard.press("ArrowUp")
    expect(tip(page, "tip-step")).to_have_text(str(sorted(samples())[-2]))
    assert_is_in_the_log(told_bucket(page))
    values = samples()[sorted(samples())[-2]]
    middle = to_number(tip(page, "median").inner_text())
    assert values.count[values.right <= middle].sum() <= values.total / 2 <= values.count[values.left <= middle].sum()


def test_counts_of_a_step_add_up(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    wait_until_drawn(card(page, TAG))
    chart(card(page, TAG)).focus()
    newest = samples()[max(samples())]
    for _ in newest.left:
        page.keyboard.press("ArrowLeft")
    counts = []
    for left in newest.left:
        until(page, lambda left=left: told_bucket(page)[1] == pytest.approx(left, rel=1e-4, abs=1e-9))
        counts.append(told_bucket(page)[3])
        page.keyboard.press("ArrowRight")
    assert sum(counts) == to_number(tip(page, "total").inner_text()) == newest.total


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
    saved = {}
    for kind in ("csv", "json"):
        card(page, TAG).get_by_test_id("download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"download-{kind}").click()
        saved[kind] = Path(download.value.path()).read_text()
    rows = saved["csv"].splitlines()
    assert rows[0] == "step,wall_time,left,right,count"
    assert len(rows) - 1 == sum(histogram.left.size for histogram in samples().values())
    assert sum(float(row.rsplit(",", 1)[1]) for row in rows[1:]) == sum(each.total for each in samples().values())
    steps = {one["step"]: one for one in json.loads(saved["json"])["steps"]}
    assert {step: one["count"] for step, one in steps.items()} == {
        step: histogram.count.tolist() for step, histogram in samples().items()
    }


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
        page = open_page(live, "/histograms")
        expect(card(page, "w")).to_contain_text("1 step")
        write(range(1, 5), float("nan"), float("inf"))
        expect(card(page, "w").get_by_test_id("nan")).to_have_text("4 NaN")
        expect(card(page, "w")).to_contain_text("4 Inf")
        expect(card(page, "w")).to_contain_text("5 steps")
        write(range(5, 150))
        expect(card(page, "w").get_by_test_id("merged")).to_have_text("150 steps merged into 38")
        page.get_by_test_id("shape").get_by_text("Heat map").click()
        expect(card(page, "w").get_by_test_id("steps")).to_have_text("150 steps")
        expect(card(page, "w").get_by_test_id("merged")).to_have_count(0)


def merged_log(logs: Path) -> None:
    """1,000 steps of 50 values each."""
    with mindscope.SummaryRecord(logs / "run") as record:
        for step in range(1, 1001):
            record.add_value("histogram", "w", (np.linspace(-1, 1, 50) + step / 500).astype(np.float32))
            record.record(step)


@pytest.fixture(scope="module")
def merged_viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    folder = tmp_path_factory.mktemp("merged")
    merged_log(folder / "logs")
    with running_viewer(folder / "logs", folder) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        yield live


def test_merged_steps_say_so_and_keep_every_count(merged_viewer: LiveViewer, open_page: OpenPage):
    page = open_page(merged_viewer, "/histograms")
    wait_until_drawn(card(page, "w"))
    expect(card(page, "w").get_by_test_id("merged")).to_have_text("1\u2009000 steps merged into 32")
    chart(card(page, "w")).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(tip(page, "tip-step")).to_have_text("961 … 992")
    expect(tip(page, "tip-merged")).to_have_text("32 steps")
    expect(tip(page, "total")).to_have_text("1\u2009600")
    values = (np.linspace(-1, 1, 50)[:, None] + np.arange(961, 993) / 500).ravel()
    low, middle, high = (float(np.quantile(values, share)) for share in (0.16, 0.5, 0.84))
    assert to_number(tip(page, "median").inner_text()) == pytest.approx(middle, abs=BUCKET)
    got = [to_number(end) for end in tip(page, "band").inner_text().split(" \u2026 ")]
    assert got == pytest.approx([low, high], abs=BUCKET)
    page.get_by_test_id("tag-filter").fill("nothing")
    page.get_by_test_id("clear-filter").click()
    card(page, "w").hover()
    card(page, "w").get_by_test_id("pin").click()
    expect(page.get_by_test_id("tag-group").first).to_contain_text("Pinned")


def drag(page: Page, within: Locator, start: tuple[float, float], end: tuple[float, float]) -> None:
    box = chart(within).first.bounding_box()
    assert box is not None
    points = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in (start, end)]
    page.mouse.move(*points[0])
    page.mouse.down()
    page.mouse.move(*points[1], steps=4)
    before = page.url
    page.mouse.up()
    expect(page).not_to_have_url(before)


def test_a_drag_shows_steps_one_by_one_and_is_undone(merged_viewer: LiveViewer, open_page: OpenPage):
    page = open_page(merged_viewer, "/histograms?shape=heat&full=w")
    wait_until_drawn(full(page))
    status = full(page).get_by_test_id("merged")
    expect(status).to_have_text("1\u2009000 steps merged into 500")
    drag(page, full(page), (0.4, 0.5), (0.6, 0.52))
    expect(full(page).get_by_test_id("steps")).to_contain_text("/ 1\u2009000 steps")
    point_at(full(page), 0.1, 0.5)
    expect(tip(page, "tip-step")).to_have_text(re.compile("^[34][0-9][0-9]$"))
    drag(page, full(page), (0.4, 0.3), (0.6, 0.7))
    shown = page.url
    page.reload()
    wait_until_drawn(full(page))
    expect(page).to_have_url(shown)
    expect(full(page).get_by_test_id("steps")).to_have_text(re.compile("^[2-5][0-9] / 1\u2009000 steps$"))
    page.mouse.move(640, 400)
    full(page).get_by_test_id("panel").hover()
    full(page).get_by_test_id("zoom-back").click()
    expect(status).to_have_text("1\u2009000 steps merged into 500")
    drag(page, full(page), (0.4, 0.5), (0.6, 0.52))
    expect(status).to_have_count(0)
    chart(full(page)).dblclick()
    expect(status).to_have_text("1\u2009000 steps merged into 500")
    drag(page, full(page), (0.4, 0.5), (0.6, 0.52))
    expect(status).to_have_count(0)
    full(page).get_by_test_id("panel").hover()
    full(page).get_by_test_id("zoom-restore").click()
    expect(status).to_have_text("1\u2009000 steps merged into 500")
    page.get_by_test_id("restore-all").click()
    expect_view(page, "shape", None)


def test_outlines_stand_beside_the_heat_map_and_point_together(merged_viewer: LiveViewer, open_page: OpenPage):
    page = open_page(merged_viewer, "/histograms?shape=both")
    charts = chart(card(page, "w"))
    expect(charts).to_have_count(2)
    wait_until_drawn(card(page, "w"))
    front = 'chart => chart.querySelectorAll("canvas")[1].toDataURL()'
    before = charts.nth(1).evaluate(front)
    charts.first.hover()
    expect(page.get_by_test_id("histogram-tip")).to_be_visible()
    until(page, lambda: charts.nth(1).evaluate(front) != before)
    page.get_by_test_id("shape").get_by_text("Heat map").click()
    expect(charts).to_have_count(1)
    card(page, "w").hover()
    card(page, "w").get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id("download-svg").click()
    assert download.value.suggested_filename == "w.svg"


def sent(asked: Request) -> dict[str, Any]:
    """What the answer says of its only distribution."""
    return unpack(body(asked)).header["series"][0]


def test_a_live_page_is_sent_only_what_grew(tmp_path: Path, open_page: OpenPage):
    logs = tmp_path / "logs"
    with mindscope.SummaryRecord(logs / "run") as record, running_viewer(logs, tmp_path) as live:
        for step in range(40):
            record.add_value("histogram", "w", np.linspace(-1, 1, 50).astype(np.float32))
            record.record(step)
        record.flush()
        eventually(lambda: live.runs().get("run", {}).get("last_step") == 39)
        page = open_page(live, "/histograms")
        expect(card(page, "w").get_by_test_id("steps")).to_have_text("40 steps")
        wait_until_drawn(card(page, "w"))
        point_at(card(page, "w"), 0.5, 0.6)
        expect(tip(page, "tip-step")).to_be_visible()
        with page.expect_request_finished(
            lambda asked: "/api/histograms" in asked.url and sent(asked)["returned"] == 41
        ) as found:
            record.add_value("histogram", "w", np.linspace(-1, 1, 50).astype(np.float32))
            record.record(40)
            record.flush()
        assert sent(found.value)["kept"] == 40
        expect(card(page, "w").get_by_test_id("steps")).to_have_text("41 steps")
        expect(tip(page, "tip-step")).to_be_visible()  # the pointer rests, and has not left


def saved(page: Page, kind: str) -> bytes:
    card(page, "w").hover()
    card(page, "w").get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id(f"download-{kind}").click()
    return Path(download.value.path()).read_bytes()


def test_every_drawing_can_be_downloaded(merged_viewer: LiveViewer, open_page: OpenPage):
    page = open_page(merged_viewer, "/histograms")
    for name in SHAPES.values():
        page.get_by_test_id("shape").get_by_text(name).click()
        wait_until_drawn(card(page, "w"))
        assert saved(page, "png").startswith(b"\x89PNG")
        drawing = ElementTree.fromstring(saved(page, "svg"))
        assert "w · run" in [text.text for text in drawing.iter(f"{SVG}text")]
        assert len([*drawing.iter(f"{SVG}path"), *drawing.iter(f"{SVG}rect")]) > 10


def test_cards_of_a_tag_have_one_range_of_values(tmp_path: Path, open_page: OpenPage):
    """A run with values to 1 beside one with values to 9 shows how narrow it is; alone, it fills its card."""
    for run, largest in (("narrow", 1.0), ("wide", 9.0)):
        with mindscope.SummaryRecord(tmp_path / "logs" / run) as recorder:
            recorder.add_value("histogram", "w", np.linspace(0, largest, 500))
            recorder.record(1)

    def labels(card: Locator) -> list[str | None]:
        card.hover()
        card.get_by_test_id("download").click()
        with card.page.expect_download() as download:
            card.page.get_by_test_id("download-svg").click()
        drawing = ElementTree.fromstring(Path(download.value.path()).read_text())
        return [text.text for text in drawing.iter(f"{SVG}text") if re.fullmatch(r"[0-9.]+", text.text or "")]

    with running_viewer(tmp_path / "logs", tmp_path / "viewer") as live:
        page = open_page(live, "/histograms?run=narrow&run=wide")
        cards = page.locator('[data-testid="card"][data-tag="w"]')
        narrow, wide = (cards.filter(has_text=run) for run in ("narrow", "wide"))
        for each in (narrow, wide):
            wait_until_drawn(each)
        until(page, lambda: "8" in labels(narrow))
        assert labels(narrow) == labels(wide)
        page = open_page(live, "/histograms?run=narrow")
        wait_until_drawn(cards.first)
        assert "0.8" in labels(page.locator('[data-testid="card"][data-tag="w"]'))


def test_the_theme_and_the_size_change_the_drawing(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS + "&shape=heat")
    wait_until_drawn(card(page, TAG))
    drawn = 'chart => chart.querySelector("canvas").toDataURL()'
    before = chart(card(page, TAG)).evaluate(drawn)
    page.get_by_test_id("theme").click()
    page.get_by_test_id("theme-dark").click()
    until(page, lambda: chart(card(page, TAG)).evaluate(drawn) != before)
    wait_until_drawn(card(page, TAG))
    height = card(page, TAG).evaluate("card => card.clientHeight")
    page.get_by_test_id("chart-size").click()
    page.get_by_test_id("chart-size-large").click()
    until(page, lambda: card(page, TAG).evaluate("card => card.clientHeight") > height + 40)


def test_a_constant_has_itself_as_median_and_an_empty_page_says_how_to_fill_it(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/histograms?run=mindspore%2Fcustom_loop")
    wait_until_drawn(card(page, "const_hist"))
    chart(card(page, "const_hist")).focus()
    page.keyboard.press("ArrowRight")
    expect(tip(page, "median")).to_have_text("2.500")
    expect(tip(page, "band")).to_have_text("2.500 \u2026 2.500")
    page = open_page(viewer, "/histograms?run=tensorboard%2Ftb_all%2Frun_a%2Fmulti_a")
    expect(page.get_by_test_id("empty")).to_contain_text('record.add_value("histogram"')
