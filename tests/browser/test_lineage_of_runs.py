# SPDX-License-Identifier: Apache-2.0
"""Lineage on other pages and tabs, and of runs that begin, grow or go."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from playwright.sync_api import expect

from tests.server.live_viewer import GrowingLog, LiveViewer, running_viewer

from .lineage_page import (
    KEYS,
    OF_SWEEP,
    SWEEP,
    TABLE,
    TARGET,
    OpenPage,
    cells,
    choose,
    head,
    rows,
    wait_for_runs,
    whole_table,
)
from .patience import until
from .scalars_page import expect_view


def test_a_run_that_begins_or_grows_is_there_at_once(tmp_path: Path, open_page: OpenPage):
    for number in range(3):
        folder = tmp_path / "logs" / f"run_{number}"
        GrowingLog(folder).scalar(1, 0.5 + number / 10)
        (folder / "params.json").write_text(json.dumps({"lr": 0.1 * (number + 1)}))
    with running_viewer(tmp_path / "logs", tmp_path / "workspace") as viewer:
        page = open_page(viewer, "/?sort=%2Brun&scalar=*&columns=chosen&with=lr&with=scalar/loss:last")
        wait_for_runs(page, ["run_0", "run_1", "run_2"])
        until(page, lambda: cells(page, "lr") == {"run_0": "0.1", "run_1": "0.2", "run_2": "0.3"})
        late = tmp_path / "logs" / "run_3"
        log = GrowingLog(late)
        log.scalar(1, 0.25)
        (late / "params.json").write_text('{"lr": "auto"}')
        wait_for_runs(page, ["run_0", "run_1", "run_2", "run_3"])
        until(page, lambda: cells(page, "lr")["run_3"] == "auto")
        log.scalar(2, 0.125)
        until(page, lambda: cells(page, "scalar/loss:last")["run_3"].startswith("0.125"))


def test_selected_rows_are_drawn_by_the_other_pages(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{TABLE}&where=learning_rate+>+0.5")
    want = whole_table().filter(f'"{SWEEP}" in run and learning_rate > 0.5').runs
    until(page, lambda: sorted(rows(page).evaluate_all(KEYS)) == sorted(want))
    page.get_by_test_id("selected-actions").click()
    page.get_by_test_id("selected-actions-only").click()
    page.get_by_test_id("table-rows").select_option("unselected")
    expect(page.get_by_test_id("no-match")).to_be_visible()
    page.get_by_test_id("table-rows").select_option("selected")
    until(page, lambda: sorted(rows(page).evaluate_all(KEYS)) == sorted(want))
    page.get_by_test_id("open-selected").click()
    expect(page.get_by_test_id("run-count")).to_contain_text(f"{len(want)} of")


def test_columns_and_order_are_in_the_address(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{TABLE}&{TARGET}")
    page.get_by_test_id("columns").click()
    page.get_by_test_id("columns-list-filter").fill("device_num")
    page.get_by_test_id("columns-list-rows").get_by_role("checkbox").check()
    page.keyboard.press("Escape")
    listed = page.get_by_test_id("runs-table").get_by_role("columnheader", name="learning_rate", exact=True)
    listed.get_by_role("button").first.dblclick()
    expect(listed).to_have_attribute("aria-sort", "descending")
    expect_view(page, "with", "device_num")
    want = list(whole_table().filter(OF_SWEEP).sort("-learning_rate").columns["learning_rate"].cells)
    shown = page.get_by_test_id("runs-table-rows").get_by_role("row")
    expect(shown).to_have_count(len(want))
    place = listed.get_attribute("aria-colindex")
    for row, rate in enumerate(want):
        expect(shown.nth(row).locator(f"[aria-colindex='{place}']")).to_have_text(f"{rate:g}")
    choose(listed, "pin")
    duration = page.get_by_test_id("runs-table").get_by_role("columnheader", name="Duration", exact=True)
    choose(duration, "hide")
    expect(duration).to_have_count(0)
    page.reload()
    wait_for_runs(page, list(whole_table().filter(OF_SWEEP).sort("-learning_rate").runs))
    expect(head(page, "learning_rate")).to_have_css("position", "sticky")
    expect(head(page, "learning_rate")).to_have_attribute("aria-colindex", "2")
    expect(duration).to_have_count(0)
    page.get_by_test_id("columns").click()
    page.get_by_test_id("columns-list-filter").fill("duration")
    expect(page.get_by_test_id("columns-list-rows").get_by_role("checkbox")).not_to_be_checked()
    page.get_by_test_id("columns-reset").click()
    expect(page.get_by_test_id("columns-list-rows").get_by_role("checkbox")).to_be_checked()


def test_a_condition_filters_the_list_of_runs(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/?where=learning_rate+>+0.5")
    want = whole_table().filter("learning_rate > 0.5").runs
    listed = page.get_by_test_id("runs-table-rows").locator("[data-run]")
    expect(listed).to_have_count(len(want))
    assert set(listed.evaluate_all("rows => rows.map(row => row.dataset.run)")) == set(want)


def test_the_dashboard_has_the_lineage_of_its_run(viewer: LiveViewer, open_page: OpenPage):
    run = f"{SWEEP}/run_02"
    page = open_page(viewer, f"/dashboard?run={run}&{TARGET}")
    card = page.get_by_test_id("card-lineage")
    row = next(row for row in whole_table() if row["run"] == run)
    expect(card).to_contain_text("learning_rate")
    expect(card).to_contain_text(f"{row['learning_rate']:g}")
    card.get_by_role("link").first.click()
    expect(page.get_by_test_id("parallel-coordinates")).to_be_visible()


def test_notes_and_goals_reach_another_tab(viewer: LiveViewer, open_page: OpenPage):
    page, other = (open_page(viewer, f"{TABLE}&{TARGET}&columns=chosen&with=fact/notes") for _ in range(2))
    run = f"{SWEEP}/run_06"
    expect(other.get_by_role("button", name="Higher is better")).to_be_visible()
    page.bring_to_front()
    page.get_by_test_id("goal").click()
    expect(page.get_by_role("button", name="Lower is better")).to_be_visible()

    def note(text: str, version: int) -> int:
        change = {"run": run, "version": version, "note": text}
        answer = viewer.http.patch("/api/annotations/runs", json={"changes": [change]}).raise_for_status().json()
        return int(answer["runs"][run]["version"])

    version = note("the best so far", 0)
    for tab in (page, other):
        tab.bring_to_front()
        expect(tab.get_by_role("button", name="Lower is better")).to_be_visible()
        expect(rows(tab).locator("[aria-colindex]", has_text="the best so far")).to_be_visible()
    other.get_by_test_id("goal").click()
    page.bring_to_front()
    expect(page.get_by_role("button", name="Higher is better")).to_be_visible()
    note("", version)


def test_a_run_deleted_while_the_page_is_open_leaves_its_table_and_charts(tmp_path: Path, open_page: OpenPage):
    for place in range(3):
        folder = tmp_path / "logs" / f"run_{place}"
        GrowingLog(folder).scalar(1, 0.5)
        (folder / "params.json").write_text(json.dumps({"lr": 0.1 * (place + 1), "depth": place}))
    with running_viewer(tmp_path / "logs", tmp_path / "workspace") as viewer:
        page = open_page(viewer, "/lineage/models?pair=run_0&where=depth+>=+0&sort=%2Brun")
        other = open_page(viewer, "/scalars?show=table&group=parameter&parameter=depth")
        wait_for_runs(page, ["run_0", "run_1", "run_2"])
        expect(other.get_by_test_id("scalar-table-rows").get_by_role("row")).to_have_count(3)
        shutil.rmtree(tmp_path / "logs" / "run_1")
        page.bring_to_front()
        wait_for_runs(page, ["run_0", "run_2"])
        expect(page.get_by_test_id("parallel-coordinates")).to_be_visible()
        other.bring_to_front()
        expect(other.get_by_test_id("scalar-table-rows").get_by_role("row")).to_have_count(2)
