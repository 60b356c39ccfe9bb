# SPDX-License-Identifier: Apache-2.0
"""The charts over the table of runs, whose page was Model lineage."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.server.live_viewer import LiveViewer

from .lineage_page import (
    KEYS,
    OF_SWEEP,
    TABLE,
    TARGET,
    OpenPage,
    cells,
    rows,
    whole_table,
)
from .patience import until
from .scalars_page import to_number


def test_the_goal_of_a_target_is_remembered(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{TABLE}&with=fact/rank")
    page.get_by_test_id("target").click()
    page.get_by_test_id("target-rows").get_by_text("metric/Accuracy", exact=True).click()
    expect(page.get_by_test_id("target")).to_have_text("Metric: Accuracy")
    best = whole_table().filter(OF_SWEEP).best("Accuracy")
    assert best is not None
    assert cells(page, "fact/rank")[str(best["run"])] == "1"
    page.get_by_test_id("goal").click()
    expect(page.get_by_role("button", name="Lower is better")).to_be_visible()
    until(page, lambda: viewer.http.get("/api/annotations").json()["targets"]["metric/Accuracy"]["goal"] == "min")
    again = open_page(viewer, TABLE)
    expect(again.get_by_test_id("target")).to_have_text("Metric: Accuracy")
    expect(again.get_by_role("button", name="Lower is better")).to_be_visible()
    again.get_by_test_id("goal").click()
    until(again, lambda: viewer.http.get("/api/annotations").json()["targets"]["metric/Accuracy"]["goal"] == "max")


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
    page.get_by_role("link", name="Scalars").click()
    expect(page.get_by_test_id("run-list").get_by_role("listitem")).to_have_count(len(want))
    chips = page.get_by_test_id("run-selection").get_by_test_id("conditions")
    expect(chips).to_contain_text("0.005 ≤ learning_rate ≤ 0.02")
    chips.get_by_role("button").click()
    expect(page.get_by_test_id("run-list").get_by_role("listitem")).to_have_count(12)


def test_importance_says_its_sample_and_what_is_set_apart(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/lineage/models?find=lineage_sweep&{TARGET}&lineage_chart=importance")
    runs = whole_table().filter(OF_SWEEP)
    result = runs.importance("metric/Accuracy")
    expect(page.get_by_text(f"{result.sample_size} runs with a finite metric")).to_be_visible()
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
    chips = page.get_by_test_id("conditions")
    expect(chips).to_contain_text("learning_rate")
    expect(chips).to_contain_text("metric/Accuracy")
    until(page, lambda: 0 < rows(page).count() < len(runs))
    left = rows(page).count()
    page.get_by_test_id("lineage-chart").select_option("coordinates")
    expect(page.get_by_test_id("chart-count")).to_contain_text(f"{left} of {len(runs)}")


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
