# SPDX-License-Identifier: Apache-2.0
"""The page Model lineage against the logs' own readers."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

import mindscope
from mindscope.reading.lineage_table import LineageTable
from tests.server.live_viewer import DATA, GrowingLog, LiveViewer, running_viewer

from .held_requests import HeldRequests
from .patience import until
from .scalars_page import expect_view, to_number

OpenPage = Callable[[LiveViewer, str], Page]
SWEEP = "mindspore/lineage_sweep"
TARGET = "target=metric/Accuracy"
TABLE = "/lineage/models?find=lineage_sweep&lineage_chart=none"
OF_SWEEP = f'"{SWEEP}" in run'
LOADED = "performance.getEntriesByType('resource').map(({ name }) => name)"
KEYS = "rows => rows.map(row => row.dataset.key)"


def whole_table() -> LineageTable:
    return mindscope.open_runs(DATA).lineage()


def rows(page: Page) -> Locator:
    return page.get_by_test_id("lineage-table-rows").locator("[data-key]")


def head(page: Page, column: str) -> Locator:
    return page.get_by_test_id("lineage-table").locator(f"[role=columnheader][data-column='{column}']")


def cells(page: Page, column: str) -> dict[str, str]:
    """The texts of a column by run."""
    expect(head(page, column)).to_be_visible()
    place = head(page, column).get_attribute("aria-colindex")
    found = rows(page).locator(f"[aria-colindex='{place}']")
    return dict(zip(rows(page).evaluate_all(KEYS), found.all_inner_texts(), strict=True))


def choose(column: Locator, action: str) -> None:
    """An action of the menu of a column."""
    column.hover()
    column.get_by_test_id("column-menu").click()
    column.page.get_by_test_id(f"column-menu-{action}").click()


def wait_for_runs(page: Page, want: list[str]) -> None:
    until(page, lambda: rows(page).evaluate_all(KEYS) == want)


def test_a_table_whose_runs_are_to_come_is_not_yet_an_empty_one(
    viewer: LiveViewer, open_page: OpenPage, context: BrowserContext
):
    held = HeldRequests(context, "**/api/runs*")
    page = open_page(viewer, TABLE)
    until(page, lambda: any("/api/lineage" in name for name in page.evaluate(LOADED)))
    expect(page.get_by_role("main").get_by_test_id("waiting")).to_be_visible()
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
    assert refusals == []
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
    page = open_page(viewer, f"/lineage/models?{TARGET}&lineage_chart=none")
    where = 'learning_rate < 0.01 and metric["Accuracy"] > 0.5'
    want = whole_table().filter(where).runs
    assert 0 < len(want) < 12
    box = page.get_by_test_id("where")
    box.fill(where)
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


def test_names_of_columns_are_completed(viewer: LiveViewer, open_page: OpenPage, complaints: list[str]):
    page = open_page(viewer, "/lineage/models?lineage_chart=none")
    box = page.get_by_test_id("where")
    expect(rows(page).first).to_be_visible()
    box.press_sequentially("learn")
    expect(page.get_by_role("option", name="learning_rate", exact=True)).to_be_visible()
    box.press("Enter")
    expect(box).to_have_value("learning_rate")
    box.press_sequentially(" < 0.002 and metric/Acc")
    box.press("Tab")
    expect(box).to_have_value("learning_rate < 0.002 and `metric/Accuracy`")
    complaints.clear()  # the server refuses what is half typed


def test_columns_are_chosen_pinned_moved_and_hidden(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{TABLE}&{TARGET}")
    expect(head(page, "device_num")).to_have_count(0)  # equal in all runs
    page.get_by_test_id("columns").click()
    page.get_by_test_id("columns-list-filter").fill("device_num")
    page.get_by_test_id("columns-list-rows").get_by_role("checkbox").check()
    page.keyboard.press("Escape")
    choose(head(page, "optimizer"), "pin")
    expect(head(page, "optimizer")).to_have_css("position", "sticky")
    expect_view(page, "fixed", "optimizer")
    choose(head(page, "optimizer"), "hide")
    expect(head(page, "optimizer")).to_have_count(0)
    shown = (
        page.get_by_test_id("lineage-table")
        .locator("[role=columnheader]")
        .evaluate_all("heads => heads.map(head => head.dataset.column)")
    )
    moved = shown[-2]
    place = int(head(page, moved).get_attribute("aria-colindex") or "")
    choose(head(page, moved), "left")
    expect(head(page, moved)).to_have_attribute("aria-colindex", str(place - 1))


def test_the_goal_of_a_target_is_remembered(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, TABLE)
    page.get_by_test_id("target").click()
    page.get_by_test_id("target-rows").get_by_text("metric/Accuracy", exact=True).click()
    expect(page.get_by_test_id("target")).to_contain_text("metric/Accuracy")
    best = whole_table().filter(OF_SWEEP).best("Accuracy")
    assert best is not None
    assert cells(page, "fact/rank")[str(best["run"])] == "1"
    page.get_by_test_id("goal").click()
    expect(page.get_by_role("button", name="Lower is better")).to_be_visible()
    until(page, lambda: viewer.http.get("/api/annotations").json()["targets"]["metric/Accuracy"]["goal"] == "min")
    again = open_page(viewer, TABLE)
    expect(again.get_by_test_id("target")).to_contain_text("metric/Accuracy")
    expect(again.get_by_role("button", name="Lower is better")).to_be_visible()
    again.get_by_test_id("goal").click()
    until(again, lambda: viewer.http.get("/api/annotations").json()["targets"]["metric/Accuracy"]["goal"] == "max")


def test_the_table_is_saved_as_csv_json_and_parquet(viewer: LiveViewer, open_page: OpenPage):
    order = "sort=-learning_rate&columns=chosen&with=learning_rate&with=custom/hidden"
    page = open_page(viewer, f"{TABLE}&{order}")
    want = whole_table().filter(OF_SWEEP).sort("-learning_rate").choose("run", "learning_rate", "custom/hidden")
    wait_for_runs(page, list(want.runs))

    def saved(kind: str) -> bytes:
        page.get_by_test_id("download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"download-{kind}").click()
        return Path(download.value.path()).read_bytes()

    lines = list(csv.DictReader(io.StringIO(saved("csv").decode())))
    assert [line["run"] for line in lines] == list(want.runs)
    assert [float(line["learning_rate"]) for line in lines] == [row["learning_rate"] for row in want]
    assert json.loads(saved("json")) == [dict(row) for row in want]
    assert pyarrow.parquet.read_table(io.BytesIO(saved("parquet"))).to_pylist() == [dict(row) for row in want]


def test_two_runs_are_compared_field_by_field(viewer: LiveViewer, open_page: OpenPage):
    pair = [f"{SWEEP}/run_01", f"{SWEEP}/run_02"]
    page = open_page(viewer, f"{TABLE}&run={pair[0]}&run={pair[1]}")
    page.get_by_test_id("selected-actions").click()
    page.get_by_test_id("selected-actions-pair").click()
    panel = page.get_by_test_id("pair")
    want = [field for field in whole_table().diff(*pair) if field.one is not None or field.other is not None]
    differing = [field for field in want if field.differs and field.key.id != "run"]
    expect(panel.locator("tr.differs")).to_have_count(len(differing))
    names = panel.locator("tr[data-field]").evaluate_all("rows => rows.map(row => row.dataset.field)")
    assert set(names[: len(differing)]) == {field.key.id for field in differing}


def test_a_run_that_begins_or_grows_is_there_at_once(tmp_path: Path, open_page: OpenPage):
    for number in range(3):
        folder = tmp_path / "logs" / f"run_{number}"
        GrowingLog(folder).scalar(1, 0.5 + number / 10)
        (folder / "params.json").write_text(json.dumps({"lr": 0.1 * (number + 1)}))
    with running_viewer(tmp_path / "logs", tmp_path / "workspace") as viewer:
        page = open_page(
            viewer, "/lineage/models?lineage_chart=none&scalar=*&columns=chosen&with=lr&with=scalar/loss:last"
        )
        wait_for_runs(page, ["run_0", "run_1", "run_2"])
        assert cells(page, "lr") == {"run_0": "0.1", "run_1": "0.2", "run_2": "0.3"}
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
    page.get_by_test_id("selected-actions").click()
    page.get_by_test_id("selected-actions-/scalars").click()
    expect(page.get_by_test_id("run-count")).to_contain_text(f"{len(want)} of")


def test_a_brush_selects_rows_and_is_a_condition_of_every_page(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(
        viewer, f"/lineage/models?find=lineage_sweep&{TARGET}&dimension=:learning_rate&dimension=:metric/Accuracy"
    )
    chart = page.get_by_test_id("parallel-coordinates")
    expect(chart).to_be_visible()
    want = whole_table().filter(f"{OF_SWEEP} and 0.005 <= learning_rate <= 0.02").runs
    brush = '["learning_rate",{"low":0.005,"high":0.02}]'
    page = open_page(viewer, f"/lineage/models?find=lineage_sweep&{TARGET}&brush={brush}")
    until(page, lambda: sorted(rows(page).evaluate_all(KEYS)) == sorted(want))
    expect(page.get_by_test_id("chart-count")).to_contain_text(f"{len(want)} of 12")
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_test_id("run-list").get_by_role("listitem")).to_have_count(len(want))
    chips = page.get_by_test_id("run-selection").get_by_test_id("conditions")
    expect(chips).to_contain_text("0.005 ≤ learning_rate ≤ 0.02")
    chips.get_by_role("button").click()
    expect(page.get_by_test_id("run-list").get_by_role("listitem")).to_have_count(12)


def test_importance_says_its_sample_and_what_is_set_apart(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/lineage/models?find=lineage_sweep&{TARGET}&lineage_chart=importance")
    runs = whole_table().filter(OF_SWEEP)
    result = runs.importance("metric/Accuracy")
    expect(page.get_by_text(f"{result.sample_size} runs with a finite target")).to_be_visible()
    notes = page.get_by_test_id("importance-notes")
    for apart in result.set_apart:
        expect(notes).to_contain_text(apart.key.id)
    expect(page.get_by_test_id("importance-bars")).to_be_visible()
    page.get_by_test_id("measure").get_by_text("Rank correlation").click()
    expect(page.get_by_text("misses an optimum in the middle")).to_be_visible()


def test_charts_of_two_columns_follow_their_choices(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/lineage/models?find=lineage_sweep&{TARGET}")
    page.get_by_test_id("lineage-chart").select_option("scatter")
    page.get_by_test_id("on-x").click()
    page.get_by_test_id("on-x-rows").get_by_text("learning_rate", exact=True).click()
    expect(page.get_by_role("application", name="12 runs: metric/Accuracy over learning_rate")).to_be_visible()
    page.get_by_test_id("lineage-chart").select_option("heat")
    expect(page.get_by_test_id("target-heat")).to_be_visible()
    page.get_by_test_id("lineage-chart").select_option("distribution")
    page.get_by_test_id("distribution-group").click()
    page.get_by_test_id("distribution-group-rows").get_by_text("optimizer", exact=True).click()
    groups = len(whole_table().filter(OF_SWEEP).columns["optimizer"].distinct)
    expect(page.get_by_role("img", name=f"Distribution of metric/Accuracy in {groups} groups")).to_be_visible()
    page.get_by_test_id("lineage-chart").select_option("none")
    expect(page.get_by_test_id("split")).to_have_count(0)


def test_the_edge_of_the_chart_is_dragged_or_moved_with_the_keys(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/lineage/models?find=lineage_sweep&{TARGET}")
    edge = page.get_by_test_id("split")
    expect(edge).to_have_attribute("aria-orientation", "horizontal")
    box = edge.bounding_box()
    assert box
    default = int(edge.get_attribute("aria-valuenow") or 0)
    page.mouse.move(box["x"] + 300, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 350, box["y"] - 36)
    page.mouse.up()
    expect(edge).to_have_attribute("aria-valuenow", str(default - 40))
    moved = edge.bounding_box()
    assert moved
    assert abs(moved["y"] - box["y"] + 40) <= 1
    edge.press("ArrowDown")
    expect(edge).to_have_attribute("aria-valuenow", str(default - 24))
    page.reload()
    expect(edge).to_have_attribute("aria-valuenow", str(default - 24))
    for _ in range(60):
        edge.press("ArrowUp")
    expect(edge).to_have_attribute("aria-valuenow", edge.get_attribute("aria-valuemin") or "")
    edge.dblclick()
    expect(edge).to_have_attribute("aria-valuenow", str(default))


def test_the_list_of_runs_has_the_same_columns_and_order(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/?find=lineage_sweep&{TARGET}&lineage_chart=none")
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
    page.get_by_role("link", name="Model lineage").click()
    wait_for_runs(page, list(whole_table().filter(OF_SWEEP).sort("-learning_rate").runs))
    expect(head(page, "learning_rate")).to_have_css("position", "sticky")
    expect(head(page, "learning_rate")).to_have_attribute("aria-colindex", "2")
    expect(head(page, "fact/rank")).to_have_attribute("aria-colindex", "3")
    page.get_by_test_id("columns").click()
    page.get_by_test_id("columns-list-filter").fill("duration")
    expect(page.get_by_test_id("columns-list-rows").get_by_role("checkbox")).not_to_be_checked()
    page.get_by_test_id("columns-reset").click()
    expect(page.get_by_test_id("columns-list-rows").get_by_role("checkbox")).to_be_checked()


def test_a_column_is_dragged_resized_and_chosen_alone(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{TABLE}&{TARGET}")
    head(page, "optimizer").drag_to(head(page, "fact/rank"))
    expect(head(page, "optimizer")).to_have_attribute("aria-colindex", "2")
    expect(head(page, "fact/rank")).to_have_attribute("aria-colindex", "3")
    grip = page.get_by_test_id("lineage-table").get_by_role("separator", name="Width of optimizer")
    width = int(grip.get_attribute("aria-valuenow") or "")
    grip.press("ArrowRight")
    expect(grip).to_have_attribute("aria-valuenow", str(width + 16))
    expect_view(page, "width", f"{width + 16}%3Aoptimizer")
    page.get_by_role("link", name="Runs", exact=True).click()
    page.go_back()
    expect(grip).to_have_attribute("aria-valuenow", str(width + 16))
    page.get_by_test_id("columns").click()
    page.get_by_label("All columns").click()
    expect_view(page, "columns", "chosen")
    page.get_by_test_id("columns-list-filter").fill("epoch")
    page.get_by_test_id("columns-list-rows").get_by_role("checkbox").first.check()
    heads = page.get_by_test_id("lineage-table").get_by_role("columnheader")
    expect(heads).to_have_count(2)


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
    expect(card).to_contain_text("rank ")
    card.get_by_role("link").first.click()
    expect(page.get_by_test_id("lineage-toolbar")).to_be_visible()


def test_a_box_in_the_scatter_plot_brushes_every_chart_and_the_table(viewer: LiveViewer, open_page: OpenPage):
    query = "lineage_chart=scatter&on_x=learning_rate&on_y=metric/Accuracy&colored_by=run&with=fact/best"
    page = open_page(viewer, f"/lineage/models?find=lineage_sweep&{TARGET}&{query}")
    plot = page.get_by_role("application", name="12 runs: metric/Accuracy over learning_rate")
    expect(plot).to_be_visible()
    runs = whole_table().filter(OF_SWEEP)
    until(page, lambda: len(cells(page, "fact/best")) == len(runs))
    bests = [to_number(text) for text in cells(page, "fact/best").values() if text != "–"]
    best = runs.best("Accuracy")
    assert best is not None
    assert abs(max(bests) - float(str(best["metric/Accuracy"]))) < 1e-4
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.35)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] * 0.75, steps=4)
    page.mouse.up()
    chips = page.get_by_test_id("run-selection").get_by_test_id("conditions")
    expect(chips).to_contain_text("learning_rate")
    expect(chips).to_contain_text("metric/Accuracy")
    until(page, lambda: 0 < rows(page).count() < len(runs))
    left = rows(page).count()
    page.get_by_test_id("lineage-chart").select_option("coordinates")
    expect(page.get_by_test_id("chart-count")).to_contain_text(f"{left} of {len(runs)}")


def test_names_that_every_object_inherits_are_names_of_columns_and_runs(tmp_path: Path, open_page: OpenPage):
    names = ["constructor", "toString", "__proto__", "hasOwnProperty"]
    for place, run in enumerate(names):
        GrowingLog(tmp_path / "logs" / run).scalar(1, 0.5)
        settings = dict.fromkeys(names, place + 0.25)
        (tmp_path / "logs" / run / "params.json").write_text(json.dumps(settings))
    with running_viewer(tmp_path / "logs", tmp_path / "workspace") as viewer:
        page = open_page(viewer, "/lineage/models?lineage_chart=none&sort=-constructor")
        wait_for_runs(page, names[::-1])
        for name in names:
            assert cells(page, name) == {run: f"{place}.25" for place, run in enumerate(names)}
        table = page.get_by_test_id("compare-table")
        for column in ("columns=chosen&with=constructor&with=toString", "group=directory"):
            page.goto(page.url.split("/lineage")[0].split("/compare")[0] + f"/compare?show=table&{column}")
            expect(table.locator("[role=columnheader][data-column=constructor]")).to_be_visible()
        page.goto(page.url.split("/compare")[0] + "/lineage/data")
        expect(page.get_by_text("No data pipelines in the runs")).to_be_visible()


def test_ranks_and_the_running_best_are_those_of_the_finite_results(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{TABLE}&{TARGET}&columns=chosen&with=fact/rank&with=fact/best")
    results = {
        str(row["run"]): (float(str(row["fact/start"])), float(str(row["metric/Accuracy"])))
        for row in whole_table()
        if "metric/Accuracy" in row
    }
    assert 1 < len(results) < 12
    until(page, lambda: len(rows(page).evaluate_all(KEYS)) == 12)
    ranks, bests = cells(page, "fact/rank"), cells(page, "fact/best")
    assert {run for run, text in ranks.items() if text == "–"} == set(ranks) - set(results)
    for run, (start, accuracy) in results.items():
        assert ranks[run] == str(1 + sum(other > accuracy for _, other in results.values()))
        best = max(other for begun, other in results.values() if begun <= start)
        assert abs(to_number(bests[run]) - best) < 1e-4


def test_columns_that_are_equal_in_all_runs_are_shown_when_asked(tmp_path: Path, open_page: OpenPage):
    for place in range(3):
        folder = tmp_path / "logs" / f"run_{place}"
        GrowingLog(folder).scalar(1, 0.5)
        (folder / "params.json").write_text(json.dumps({"lr": 0.1 * (place + 1), "depth": 3}))
    with running_viewer(tmp_path / "logs", tmp_path / "workspace") as viewer:
        page = open_page(viewer, "/lineage/models?lineage_chart=none")
        expect(head(page, "lr")).to_be_visible()
        expect(head(page, "depth")).to_have_count(0)
        page.get_by_test_id("columns").click()
        page.get_by_test_id("only-differing").uncheck()
        expect(head(page, "depth")).to_be_visible()
        expect_view(page, "differing", "no")


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
        page = open_page(viewer, "/lineage/models?pair=run_0&where=depth+>=+0")
        other = open_page(viewer, "/compare?show=table&group=parameter&parameter=depth")
        wait_for_runs(page, ["run_0", "run_1", "run_2"])
        expect(other.get_by_test_id("compare-table-rows").get_by_role("row")).to_have_count(3)
        shutil.rmtree(tmp_path / "logs" / "run_1")
        page.bring_to_front()
        wait_for_runs(page, ["run_0", "run_2"])
        expect(page.get_by_test_id("parallel-coordinates")).to_be_visible()
        other.bring_to_front()
        expect(other.get_by_test_id("compare-table-rows").get_by_role("row")).to_have_count(2)
