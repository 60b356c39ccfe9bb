# SPDX-License-Identifier: Apache-2.0
"""What a person sees and does on the page that compares runs."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, median

import pytest
from playwright.sync_api import Page, expect

import mindscope
from tests.server.live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

from .scalars_page import card, expect_view, full, point_at, tip_rows, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
STEPS = 10
LASTS = {"adam/1": 1.0, "adam/2": 2.0, "adam/3": 6.0, "sgd/1": 10.0, "sgd/2": 20.0}
SWEEP = "/compare?" + "&".join(f"run=mindspore%2Flineage_sweep%2Frun_{number:02}" for number in range(1, 13))


@pytest.fixture
def sweep(tmp_path: Path) -> Iterator[LiveViewer]:
    """Five runs in two directories, whose loss falls to a value of their own."""
    for name, last in LASTS.items():
        log = GrowingLog(tmp_path / "logs" / name)
        for step in range(STEPS):
            log.scalar(step, last + STEPS - 1 - step)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: [run["last_step"] for run in live.runs().values()] == [STEPS - 1] * len(LASTS))
        yield live


def cells(page: Page, group: str) -> list[str]:
    """The numbers of the tip's row of a group."""
    return tip_rows(page).filter(has_text=group).locator("td.number").all_inner_texts()


def test_runs_are_grouped_by_directory_with_mean_band_and_count(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/compare")
    page.get_by_test_id("group-by").select_option("directory")
    expect_view(page, "group", "directory")
    for _ in range(2):
        wait_until_drawn(card(page, "loss"))
        point_at(card(page, "loss"), "End")
        expect(tip_rows(page)).to_have_count(2)
        assert cells(page, "adam") == [f"{mean([1, 2, 6]):.0f}", "1", "6", "3", "9"]
        assert cells(page, "sgd") == ["15", "10", "20", "2", "9"]
        page.reload()
    page.get_by_test_id("centre").select_option("median")
    page.get_by_test_id("spread").select_option("quartiles")
    wait_until_drawn(card(page, "loss"))
    point_at(card(page, "loss"), "End")
    expect(tip_rows(page)).to_have_count(2)
    assert cells(page, "adam")[:3] == [f"{median([1, 2, 6]):.0f}", "1.500", "4"]


def test_a_hyper_parameter_groups(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, SWEEP)
    page.get_by_test_id("group-by").select_option(label="By optimizer")
    expect_view(page, "group_by", "optimizer")
    wait_until_drawn(card(page, "loss/auto"))
    card(page, "loss/auto").hover()
    card(page, "loss/auto").get_by_test_id("full").click()
    rows = full(page).get_by_test_id("group-table").locator("tbody tr")
    sweep = mindscope.open_runs(DATA / "mindspore" / "lineage_sweep").values()
    want = Counter(f"optimizer = {run.lineage.row()['optimizer']}" for run in sweep)
    expect(rows).to_have_count(len(want))
    assert {row.get_attribute("data-key"): int(row.locator("td").first.inner_text()) for row in rows.all()} == want
    full(page).get_by_test_id("group-table-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("group-table-download-csv").click()
    figures = csv.DictReader(Path(download.value.path()).read_text().splitlines())
    assert {figure["group"]: int(figure["runs"]) for figure in figures} == want
    saved = {}
    for kind in ("csv", "json", "svg"):
        full(page).get_by_test_id("download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"download-{kind}").click()
        saved[kind] = Path(download.value.path()).read_text()
    groups = json.loads(saved["json"])
    assert {group["group"]: group["runs"] for group in groups} == want
    points = list(csv.DictReader(saved["csv"].splitlines()))
    assert [float(point["mean"]) for point in points] == [value for group in groups for value in group["mean"]]
    assert all(f">{name}<" in saved["svg"] for name in want)


def choose_baseline(page: Page, name: str) -> None:
    page.get_by_test_id("baseline").click()
    page.get_by_test_id("baseline-rows").get_by_role("button", name=name, exact=True).click()


def test_a_baseline_draws_differences(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/compare")
    choose_baseline(page, "adam/2")
    expect_view(page, "baseline", "adam%2F2")
    wait_until_drawn(card(page, "loss"))
    point_at(card(page, "loss"), "End")
    expect(tip_rows(page)).to_have_count(5)
    got = {
        row.locator("td").nth(1).inner_text().replace("\n", ""): row.locator("td.value").inner_text()
        for row in tip_rows(page).all()
    }
    assert got == {run: f"{last - 2:.0f}".replace("-", "\u2212") for run, last in LASTS.items()}


def test_a_group_is_the_baseline_of_groups(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/compare?group=directory")
    choose_baseline(page, "adam")
    expect_view(page, "baseline", "adam")
    for centre, away in (("mean", mean([1, 2, 6])), ("median", median([1, 2, 6]))):
        page.get_by_test_id("centre").select_option(centre)
        expect(card(page, "loss")).to_contain_text(f"{15 - away:.0f}")
        wait_until_drawn(card(page, "loss"))
        point_at(card(page, "loss"), "End")
        expect(tip_rows(page).filter(has_text="sgd").locator("td.value")).to_have_text(f"{15 - away:.0f}")
        expect(tip_rows(page).filter(has_text="adam").locator("td.value")).to_have_text("0")
    page.get_by_test_id("group-by").select_option("none")
    expect_view(page, "baseline", None)
    page = open_page(sweep, "/compare?group=directory&baseline=gone")
    expect(card(page, "loss")).to_contain_text("“gone” is no group")


def test_a_baseline_that_is_not_shown_is_named_and_can_be_left(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/compare?run=sgd%2F1&baseline=adam%2F2")
    expect(page.get_by_test_id("baseline")).to_have_text("less adam/2")
    expect(card(page, "loss")).to_contain_text("8")
    page.get_by_test_id("baseline").click()
    expect(page.get_by_test_id("baseline-rows").get_by_role("button", name="No baseline")).to_be_focused()
    page.keyboard.press("Enter")
    expect_view(page, "baseline", None)
    expect(card(page, "loss")).to_contain_text("10")


def test_the_table_holds_figures_of_whole_series_and_its_order_is_in_the_address(
    sweep: LiveViewer, open_page: OpenPage
):
    page = open_page(sweep, "/compare?figures=first,last,minimum,maximum,mean&show=table")
    rows = page.get_by_test_id("compare-table-rows").get_by_role("row")
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("5.5000")
    last = page.get_by_test_id("compare-table").get_by_role("columnheader", name="loss Last")
    last.get_by_role("button").click()
    expect(last).to_have_attribute("aria-sort", "ascending")
    last.get_by_role("button").click()
    expect(rows.first).to_have_attribute("data-key", "sgd/2")
    expect_view(page, "figures_down", "last+loss")
    page.reload()
    expect(rows.first).to_have_attribute("data-key", "sgd/2")
    for kind in ("csv", "json"):
        page.get_by_test_id("compare-download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"compare-download-{kind}").click()
        text = Path(download.value.path()).read_text()
        if kind == "csv":
            header, first, *_ = csv.reader(text.splitlines())
            assert header == ["run", "loss first", "loss last", "loss minimum", "loss maximum", "loss mean"]
            assert first == ["sgd/2", "29", "20", "20", "29", "24.5"]
        else:
            assert json.loads(text)[0] == {
                "run": "sgd/2",
                **{"loss first": 29, "loss last": 20, "loss minimum": 20, "loss maximum": 29, "loss mean": 24.5},
            }


def test_only_the_parameters_that_differ_are_columns(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, SWEEP + "&show=table")
    page.set_viewport_size({"width": 2600, "height": 800})
    columns = page.get_by_test_id("compare-table").get_by_role("columnheader")
    expect(columns.filter(has_text="optimizer")).to_have_count(1)
    expect(columns.filter(has_text="loss_function")).to_have_count(0)
    page.get_by_test_id("all-parameters").check()
    expect(columns.filter(has_text="loss_function")).to_have_count(1)
    expect_view(page, "parameters", "all")
    row = page.get_by_test_id("compare-table-rows").locator("[data-key$=run_05]")
    expect(row.get_by_role("cell", name="Adam", exact=True)).to_be_visible()
    expect(row.get_by_role("cell", name="0.001", exact=True)).to_be_visible()
