# SPDX-License-Identifier: Apache-2.0
"""The lineage of the table of runs against the logs' own readers."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet
from playwright.sync_api import BrowserContext, Route, expect

from tests.server.live_viewer import LiveViewer

from .held_requests import HeldRequests
from .lineage_page import (
    KEYS,
    OF_SWEEP,
    TABLE,
    TARGET,
    OpenPage,
    cells,
    choose,
    head,
    rows,
    wait_for_runs,
    where,
    whole_table,
)
from .patience import until
from .scalars_page import expect_view, to_number


def test_a_table_whose_runs_are_to_come_is_not_yet_an_empty_one(
    viewer: LiveViewer, open_page: OpenPage, context: BrowserContext
):
    held = HeldRequests(context, "**/api/runs*")
    page = open_page(viewer, TABLE)
    expect(page.get_by_role("main").get_by_text("Loading runs…")).to_be_visible()
    expect(page.get_by_test_id("save-view")).to_be_disabled()
    held.release()
    expect(rows(page)).to_have_count(len(whole_table().filter(OF_SWEEP).runs))
    expect(page.get_by_test_id("save-view")).to_be_enabled()


def test_a_table_that_takes_longer_than_a_request_is_requested_again(
    viewer: LiveViewer, open_page: OpenPage, context: BrowserContext, complaints: list[str]
):
    refusals = [{"error": {"code": "answer_too_slow", "values": {"most": 30}, "message": "slow", "remedy": ""}}] * 2

    def answer(route: Route) -> None:
        if refusals:
            route.fulfill(status=503, json=refusals.pop())
        else:
            route.continue_()

    context.route("**/api/lineage", answer)
    page = open_page(viewer, TABLE)
    expect(rows(page)).to_have_count(len(whole_table().filter(OF_SWEEP).runs))
    until(page, lambda: refusals == [])
    expect(head(page, "learning_rate")).to_be_visible()
    assert len(complaints) == 2  # the browser reports the refused requests
    complaints.clear()


def test_values_are_those_of_the_logs(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(
        viewer,
        f"{TABLE}&{TARGET}&columns=chosen&with=metric/Accuracy&with=learning_rate",
    )
    table = whole_table().filter(OF_SWEEP)
    until(page, lambda: sorted(rows(page).evaluate_all(KEYS)) == sorted(table.runs))
    accuracies, rates = cells(page, "metric/Accuracy"), cells(page, "learning_rate")
    for row in table:
        want = row.get("metric/Accuracy")
        got = accuracies[str(row["run"])]
        assert (got == "–") == (want is None)
        assert want is None or abs(to_number(got) - float(str(want))) < 1e-4
        assert to_number(rates[str(row["run"])]) == row["learning_rate"]


def test_rows_are_sorted_by_several_columns(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{TABLE}&{TARGET}")
    table = whole_table().filter(OF_SWEEP)
    head(page, "optimizer").get_by_role("button").first.click()
    expect(head(page, "optimizer")).to_have_attribute("aria-sort", "ascending")
    rate = head(page, "learning_rate").get_by_role("button").first
    rate.click(modifiers=["Shift"])
    rate.click(modifiers=["Shift"])
    expect(head(page, "learning_rate")).to_have_attribute("aria-sort", "descending")
    wait_for_runs(page, list(table.sort("optimizer", "-learning_rate").runs))
    expect_view(page, "sort", "%2Boptimizer")
    choose(head(page, "learning_rate"), "up")
    wait_for_runs(page, list(table.sort("learning_rate").runs))


def test_an_expression_filters_every_page_and_an_error_marks_its_place(
    viewer: LiveViewer, open_page: OpenPage, complaints: list[str]
):
    page = open_page(viewer, f"/?{TARGET}")
    expression = 'learning_rate < 0.01 and metric["Accuracy"] > 0.5'
    want = whole_table().filter(expression).runs
    assert 0 < len(want) < 12
    box = where(page)
    box.fill(expression)
    until(page, lambda: sorted(rows(page).evaluate_all(KEYS)) == sorted(want))
    page.get_by_role("link", name="Scalars").click()
    listed = page.get_by_test_id("run-list").get_by_role("listitem")
    expect(listed).to_have_count(len(want))
    chip = page.get_by_test_id("run-selection").get_by_test_id("conditions")
    expect(chip).to_contain_text("learning_rate < 0.01")
    chip.get_by_role("button").click()
    expect(chip).to_have_count(0)
    until(page, lambda: listed.count() > len(want))
    page.go_back()
    box.fill("learning_rate << 1")
    problem = page.get_by_test_id("where-problem")
    expect(problem.locator("mark")).to_have_text("<")
    complaints.clear()  # the refusal of the expression


def test_the_table_is_saved_as_csv_json_and_parquet(viewer: LiveViewer, open_page: OpenPage):
    order = "sort=-learning_rate&columns=chosen&with=learning_rate&with=custom/hidden"
    page = open_page(viewer, f"{TABLE}&{order}")
    want = whole_table().filter(OF_SWEEP).sort("-learning_rate").choose("run", "learning_rate", "custom/hidden")
    wait_for_runs(page, list(want.runs))

    def saved(kind: str) -> bytes:
        page.get_by_test_id("runs-download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"runs-download-{kind}").click()
        return Path(download.value.path()).read_bytes()

    lines = list(csv.DictReader(io.StringIO(saved("csv").decode())))
    assert [line["run"] for line in lines] == list(want.runs)
    assert [float(line["learning_rate"]) for line in lines] == [row["learning_rate"] for row in want]
    assert json.loads(saved("json")) == [dict(row) for row in want]
    assert pyarrow.parquet.read_table(io.BytesIO(saved("parquet"))).to_pylist() == [dict(row) for row in want]


def test_shift_click_selects_the_runs_in_between(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/?find=lineage_sweep&runs=none&sort=%2Brun")
    box = page.get_by_test_id("runs-table").get_by_role("checkbox")
    expect(box).to_have_count(12)
    box.nth(2).click()
    box.nth(6).click(modifiers=["Shift"])
    expect(page.get_by_test_id("open-selected")).to_contain_text("5")
    box.nth(4).click()
    box.nth(5).click(modifiers=["Shift"])
    expect(page.get_by_test_id("open-selected")).to_contain_text("3")
