# SPDX-License-Identifier: Apache-2.0
"""What a person sees and does on the page that compares runs."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, median

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

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
    legend = full(page).get_by_role("listitem")
    expect(legend.first).to_contain_text("optimizer = ")
    counts = [int(found[1]) for text in legend.all_inner_texts() if (found := re.search(r"(\d+) runs?", text))]
    assert sum(counts) == 12


def test_a_baseline_draws_differences(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/compare")
    page.get_by_test_id("baseline").select_option("=adam/2")
    expect_view(page, "baseline", "adam%2F2")
    wait_until_drawn(card(page, "loss"))
    point_at(card(page, "loss"), "End")
    expect(tip_rows(page)).to_have_count(5)
    got = {
        row.locator("td").nth(1).inner_text().replace("\n", ""): row.locator("td.value").inner_text()
        for row in tip_rows(page).all()
    }
    assert got == {run: f"{last - 2:.0f}".replace("-", "\u2212") for run, last in LASTS.items()}


def test_the_table_holds_figures_of_whole_series(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/compare?figures=first,last,minimum,maximum,mean&show=table")
    rows = page.get_by_test_id("compare-rows").get_by_role("row")
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("5.5000")
    page.get_by_test_id("compare-table").get_by_role("columnheader", name="Last").get_by_role("button").click()
    page.get_by_test_id("compare-table").get_by_role("columnheader", name="Last").get_by_role("button").click()
    expect(rows.first).to_have_attribute("data-run", "sgd/2")
    with page.expect_download() as download:
        page.get_by_test_id("compare-csv").click()
    header, first, *_ = csv.reader(Path(download.value.path()).read_text().splitlines())
    assert header == ["run", "loss first", "loss last", "loss minimum", "loss maximum", "loss mean"]
    assert first == ["sgd/2", "29", "20", "20", "29", "24.5"]


def test_only_the_parameters_that_differ_are_columns(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, SWEEP + "&show=table")
    columns = page.get_by_test_id("compare-table").get_by_role("columnheader")
    expect(columns.filter(has_text="optimizer")).to_have_count(1)
    differing = columns.count()
    page.get_by_test_id("all-parameters").check()
    eventually(lambda: columns.count() > differing)
    expect(page.get_by_test_id("compare-rows").locator("[data-run$=run_05]")).to_contain_text("Adam")
