# SPDX-License-Identifier: Apache-2.0
"""A run at a glance, and the way from there to everything else."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree
from urllib.parse import quote_plus

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect

import mindscope
from tests.reading.test_failures import write_failure
from tests.server.live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

from .conftest import WEB
from .page_watch import expect_no_shift, loading
from .patience import until
from .scalars_page import expect_view

OpenPage = Callable[[LiveViewer, str], Page]
CARDS = {
    "card-scalars": ("/scalars", "scalars"),
    "card-histograms": ("/histograms", "histograms"),
    "card-images": ("/media", "media"),
    "card-tensors": ("/media", "media"),
}


DRAWN = "canvas => canvas.toDataURL()"
BELOW = """card => Math.max(...[...card.querySelectorAll("*")].map((one) => one.getBoundingClientRect().bottom))
  - card.getBoundingClientRect().bottom"""


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_moves_while_the_dashboard_loads(
    viewer: LiveViewer, open_page: OpenPage, context: BrowserContext, width: int
):
    page = loading(context, open_page, viewer, width, "/dashboard?run=mindspore%2Fops")
    expect(page.get_by_test_id("card-images").get_by_test_id("picture").first).to_have_attribute("data-loaded", "true")
    expect(page.get_by_test_id("card-pipeline")).to_contain_text("MnistDataset")
    expect(page.get_by_test_id("card-lineage")).to_contain_text("learning_rate")
    expect(page.get_by_test_id("run-result").locator("strong")).to_be_visible()
    expect(page.get_by_test_id("run-events").locator("li")).not_to_have_count(0)
    expect(page.get_by_test_id("not-recorded")).to_be_attached()
    expect_no_shift(page)


def test_the_result_is_compared_with_all_runs(viewer: LiveViewer, open_page: OpenPage):
    table = mindscope.open_runs(DATA).lineage()
    scored = [row for row in table if isinstance(row.get("metric/Accuracy"), float)]
    ranked = sorted(scored, key=lambda row: -row["metric/Accuracy"])
    run = ranked[1]["run"]
    rank = 1 + sum(row["metric/Accuracy"] > ranked[1]["metric/Accuracy"] for row in ranked)
    page = open_page(viewer, f"/dashboard?run={quote_plus(run)}&target=metric/Accuracy")
    result = page.get_by_test_id("run-result")
    expect(result.locator("strong").first).to_have_text(f"{ranked[1]['metric/Accuracy']:.4f}")
    ordinals = {1: "1st", 2: "2nd", 3: "3rd"}
    expect(page.get_by_test_id("run-rank")).to_have_text(f"{ordinals[rank]} of {len(ranked)} runs")
    page.get_by_test_id("compare-best").click()
    expect(page.get_by_test_id("pair-run-0")).to_have_attribute("title", run)
    page.keyboard.press("Escape")
    page.get_by_test_id("run-rank").click()
    expect(page.get_by_test_id("runs-table")).to_be_visible()


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """Runs that began again, failed, ended in NaN, have no metric, and one that ran well."""
    base = tmp_path_factory.mktemp("odd") / "logs"

    def record(run: str, values: list[float], first: int = 0) -> None:
        with mindscope.SummaryRecord(base / run) as recorder:
            for step, value in enumerate(values, first):
                recorder.add_value("scalar", "val/accuracy", value)
                recorder.record(step)

    record("good", [0.1, 0.5, 0.9])
    record("nan", [0.1, 0.7, math.nan])
    record("again", [0.1, 0.2, 0.3, 0.4])
    record("again", [0.35, 0.45], first=2)
    record("failed", [0.1, 0.2])
    write_failure(base / "failed")
    with mindscope.SummaryRecord(base / "bare") as recorder:
        recorder.add_value("histogram", "weight", np.ones(4, np.float32))
        recorder.record(1)
    with mindscope.SummaryRecord(base / "other") as recorder:
        recorder.add_value("scalar", "rate", 0.25)
        recorder.record(1)
    with running_viewer(base, base.parent) as live:
        eventually(lambda: len(live.runs()) == 6 and all(run["tags"] for run in live.runs().values()))
        yield live


def test_what_happened_is_a_line_that_leads_there(odd: LiveViewer, open_page: OpenPage):
    page = open_page(odd, "/dashboard?run=again")
    line = page.get_by_test_id("run-events").locator("li")
    expect(line).to_have_text("1 restart from step 2")
    line.get_by_role("button").click()
    expect(page.get_by_test_id("scalars")).to_be_visible()
    expect_view(page, "at", "2")
    page.goto(f"http://127.0.0.1:{odd.port}/dashboard?run=failed")
    expect(line).to_have_text("The training failed: ValueError: loss is nan")
    line.get_by_role("button").click()
    expect(page).to_have_url(re.compile("/debugger"))
    for run in ("good", "bare"):
        page.goto(f"http://127.0.0.1:{odd.port}/dashboard?run={run}")
        expect(line).to_have_text("No alerts, restarts or recorded failures")


def test_three_events_are_in_sight_at_every_width(tmp_path: Path, open_page: OpenPage):
    log = GrowingLog(tmp_path / "logs" / "run")
    for step in range(30):
        for tag in ("loss", "train/loss", "val/loss"):
            log.scalar(step, float("nan") if step > 20 else 1.0, tag)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("last_step") == 29)
        page = open_page(live, "/dashboard?run=run")
        lines = page.get_by_test_id("run-events").locator("li[data-event=alert]")
        expect(lines).to_have_count(3, timeout=20_000)
        for width in (390, 900, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            frame = page.get_by_test_id("run-events").bounding_box()
            last = lines.nth(2).bounding_box()
            assert frame
            assert last
            assert last["y"] + last["height"] <= frame["y"] + frame["height"]


def test_a_result_says_nan_no_value_and_its_rank(odd: LiveViewer, open_page: OpenPage):
    page = open_page(odd, "/dashboard?run=nan")
    figures = page.get_by_test_id("run-result").locator("strong")
    expect(figures).to_have_text(["NaN", "0.7000"])
    expect(page.get_by_test_id("run-rank")).to_have_text("2nd of 4 runs")
    page.goto(f"http://127.0.0.1:{odd.port}/dashboard?run=good")
    expect(figures).to_have_text(["0.9000", "0.9000"])
    expect(page.get_by_test_id("run-rank")).to_have_text("1st of 4 runs")
    expect(page.get_by_test_id("compare-best")).to_contain_text("nan")
    page.goto(f"http://127.0.0.1:{odd.port}/dashboard?run=bare")
    expect(page.get_by_test_id("no-result")).to_have_text("No val/accuracy in this run")
    expect(figures).to_have_count(0)
    page.goto(f"http://127.0.0.1:{odd.port}/dashboard?run=other")
    expect(page.get_by_test_id("no-result")).to_have_text("No val/accuracy in this run")
    expect(figures).to_have_text(["0.2500"])
    page.get_by_role("button", name="Compare runs by rate").click()
    expect(page.get_by_test_id("target")).to_have_text("Metric: rate")


def test_every_kind_of_a_run_has_a_preview(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/dashboard?run=mindspore%2Fops")
    run = mindscope.open_run(DATA / "mindspore" / "ops")
    last = run.scalars("loss/auto").value[-1]
    expect(page.get_by_test_id("card-scalars")).to_contain_text(f"{len(run.tags('scalar'))} scalars")
    expect(page.get_by_test_id("card-scalars")).to_contain_text(f"{last:.4f}")
    expect(page.get_by_test_id("card-scalars").locator("path")).not_to_have_count(0)
    expect(page.get_by_test_id("card-histograms").locator("canvas").first).to_be_visible()
    expect(page.get_by_test_id("card-images").get_by_test_id("picture").first).to_have_attribute("data-loaded", "true")
    expect(page.get_by_test_id("card-tensors").get_by_test_id("facts")).to_contain_text("float32")
    graph = page.get_by_test_id("card-graph")
    expect(graph).to_contain_text(f"{len(list(run.graphs().values())[-1].operations)} nodes")
    expect(graph.locator("rect")).not_to_have_count(0)
    assert graph.evaluate(BELOW) <= 0
    expect(page.get_by_test_id("card-pipeline")).to_contain_text("MnistDataset")
    expect(page.get_by_test_id("card-pipeline")).to_contain_text("batch_size 32")


def test_a_landscape_is_drawn_with_the_path_of_the_training(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/dashboard?run=mindspore%2Flandscape%2Funit_step")
    shown = page.get_by_test_id("card-landscape")
    expect(shown.locator("canvas")).to_be_visible()
    landscapes = mindscope.open_run(DATA / "mindspore" / "landscape" / "unit_step").landscapes()
    with_path = [tag for tag, each in landscapes.items() if each.path_x is not None]
    expect(shown).to_contain_text(with_path[-1])


def test_another_landscape_is_chosen_and_kept_in_the_address(viewer: LiveViewer, open_page: OpenPage):
    landscapes = mindscope.open_run(DATA / "mindspore" / "landscape" / "unit_step").landscapes()
    first = next(iter(landscapes))
    page = open_page(viewer, "/dashboard?run=mindspore%2Flandscape%2Funit_step")
    choice = page.get_by_test_id("card-landscape").get_by_test_id("preview-tag")
    expect(choice.locator("option")).to_have_text(list(landscapes))
    expect(choice).not_to_have_value(first)
    canvas = page.get_by_test_id("card-landscape").locator("canvas")
    usual = canvas.evaluate(DRAWN)
    with page.expect_response(lambda response: "landscape=" in response.url) as answer:
        choice.select_option(first)
    assert answer.value.json()["landscape"]["tag"] == first
    expect(choice).to_have_value(first)
    expect_view(page, "preview_landscape", quote_plus(first))
    until(page, lambda: canvas.evaluate(DRAWN) != usual)
    again = open_page(viewer, page.url.removeprefix(f"http://127.0.0.1:{viewer.port}"))
    expect(again.get_by_test_id("card-landscape").get_by_test_id("preview-tag")).to_have_value(first)
    elsewhere = open_page(viewer, "/dashboard?run=mindspore%2Flandscape%2Funit_step&preview_landscape=nix")
    expect(elsewhere.get_by_test_id("card-landscape").get_by_test_id("preview-tag")).not_to_have_value(first)


def test_a_card_opens_its_page_with_this_run(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/dashboard?run=mindspore%2Fops&run=mindspore%2Fcustom_loop")
    page.get_by_test_id("dashboard-run").click()
    page.get_by_test_id("dashboard-run-filter").fill("ops")
    page.get_by_test_id("dashboard-run-filter").press("Enter")
    expect(page.get_by_test_id("dashboard-run-filter")).to_have_count(0)
    expect_view(page, "dashboard", "mindspore%2Fops")
    for card, (path, testid) in CARDS.items():
        page.get_by_test_id(card).get_by_role("link").click()
        expect(page.get_by_test_id(testid)).to_be_visible()
        expect(page).to_have_url(re.compile(path))
        expect_view(page, "run", "mindspore%2Fops")
        expect(page).not_to_have_url(re.compile("custom_loop"))
        page.go_back()
        expect(page.get_by_test_id("dashboard")).to_be_visible()


def test_what_is_missing_is_one_line_that_opens_to_what_to_write(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/dashboard?run=tensorboard%2Ftb_all%2Frun_a%2Fmulti_a")
    line = page.get_by_test_id("not-recorded").locator("summary")
    expect(line).to_contain_text("Not recorded: Images, Histograms, Tensors")
    expect(page.get_by_test_id("card-images")).to_be_hidden()
    line.click()
    expect(page.get_by_test_id("card-images")).to_be_visible()
    for card, code in {
        "card-histograms": 'add_value("histogram"',
        "card-images": 'add_value("image"',
        "card-tensors": 'add_value("tensor"',
        "card-graph": "collect_graph",
        "card-pipeline": "collect_dataset_graph",
        "card-landscape": "collect_landscape",
    }.items():
        expect(page.get_by_test_id(card)).to_have_attribute("data-filled", "false")
        expect(page.get_by_test_id(card)).to_contain_text(code)


def test_a_card_fills_when_its_data_arrives(tmp_path: Path, open_page: OpenPage):
    with (
        mindscope.SummaryRecord(tmp_path / "logs" / "run") as record,
        running_viewer(tmp_path / "logs", tmp_path) as live,
    ):
        record.add_value("scalar", "loss", 0.5)
        record.record(1)
        record.flush()
        page = open_page(live, "/dashboard")
        expect(page.get_by_test_id("card-scalars")).to_contain_text("0.5000")
        expect(page.get_by_test_id("card-tensors")).to_have_attribute("data-filled", "false")
        record.add_value("scalar", "loss", 0.25)
        record.add_value("scalar", "accuracy", 0.75)
        record.add_value("tensor", "t", np.ones((2, 2), np.float32))
        record.record(2)
        record.flush()
        expect(page.get_by_test_id("card-scalars")).to_contain_text("0.2500")
        expect(page.get_by_test_id("card-tensors").get_by_test_id("facts")).to_contain_text("2 × 2")
        page.get_by_test_id("card-scalars").get_by_test_id("preview-tag").select_option("accuracy")
        expect(page.get_by_test_id("card-scalars")).to_contain_text("0.7500")
        expect_view(page, "preview_scalar", "accuracy")


def test_shown_runs_are_looked_at_one_after_the_other(viewer: LiveViewer, open_page: OpenPage):
    """The other runs stay shown, behind the curve and on the way back from a page."""
    runs = [f"mindspore%2Flineage_sweep%2Frun_0{number}" for number in (1, 2, 3)]
    page = open_page(viewer, "/dashboard?" + "&".join(f"run={run}" for run in runs))
    expect(page.get_by_test_id("card-scalars")).to_contain_text("2 other runs")
    bar, previous = page.get_by_test_id("dashboard-bar"), page.get_by_test_id("previous-run")
    expect(previous).to_be_disabled()
    page.get_by_test_id("next-run").click()
    expect(bar).to_contain_text("2 of 3")
    previous.click()
    expect(bar).to_contain_text("1 of 3")
    expect(bar).to_contain_text("run_01")
    expect(previous).to_be_disabled()
    page.get_by_test_id("next-run").click()
    expect_view(page, "dashboard", runs[1])
    expect(bar).to_contain_text("2 of 3")
    page.get_by_test_id("card-scalars").get_by_role("link").click()
    expect(page.get_by_test_id("scalars")).to_be_visible()
    expect(page).not_to_have_url(re.compile(runs[0]))
    page.go_back()
    expect(bar).to_contain_text("2 of 3")
    expect_view(page, "run", runs[2])


def test_damage_is_told_wherever_a_run_is_shown(tmp_path: Path, open_page: OpenPage):
    run = tmp_path / "logs" / "custom_loop"
    copytree(DATA / "mindspore" / "custom_loop", run)
    log = next(run.glob("events*"))
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(bytes(content))
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        for path in ("dashboard", "tensors", "images"):
            page = open_page(live, f"/{path}")
            page.get_by_test_id("issues-banner").get_by_role("button").click()
            expect(page.get_by_role("dialog")).to_contain_text(log.name)
            page.close()


def test_the_first_page_fetches_little(viewer: LiveViewer, open_page: OpenPage):
    """Less than 250 kB compressed, and nothing of the pages that are not open."""
    page = open_page(viewer, "/")
    expect(page.get_by_test_id("runs-table")).to_be_visible()
    page.wait_for_load_state("load")
    names = page.evaluate("performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname)")
    files = [WEB / name.removeprefix("/") for name in names if name.startswith("/assets/")]
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) < 250_000
    assert not [file.name for file in files if file.name.startswith(("Scalars", "Media", "Tensor", "Text", "Image"))]
