# SPDX-License-Identifier: Apache-2.0
"""The table of runs of an own loop: the best one first, by a metric that is guessed and changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from mindscope import SummaryRecord
from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .lineage_page import OpenPage, cells, choose, head, rows, wait_for_runs, where
from .patience import until
from .scalars_page import expect_view

ACCURACIES = {"a": (0.5, 0.8), "b": (0.9, 0.7), "c": (0.2, 0.85)}
LOSSES = {"a": 0.1, "b": 0.3, "c": 0.2, "plain": None}
OF_METRIC = ["scalar/val/accuracy:last", "scalar/val/accuracy:max", "fact/curve"]
MANY = 120


@pytest.fixture
def own_loop(tmp_path: Path) -> Iterator[LiveViewer]:
    """Three trainings with custom fields, and a run without results."""
    for place, (run, accuracies) in enumerate(ACCURACIES.items()):
        with SummaryRecord(str(tmp_path / "logs" / run)) as record:
            record.add_value("custom_lineage_data", "", {"lr": 0.1 * (place + 1), "depth": 3})
            for step, accuracy in enumerate(accuracies):
                record.add_value("scalar", "val/accuracy", accuracy)
                record.add_value("scalar", "train/loss", LOSSES[run])
                record.record(step)
    GrowingLog(tmp_path / "logs" / "plain").scalar(1, 1.0, "rate")
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == len(LOSSES) and all(run["tags"] for run in live.runs().values()))
        yield live


def heads(page: Page) -> list[str]:
    found = page.get_by_test_id("runs-table").locator("[role=columnheader]")
    return found.evaluate_all("heads => heads.map(head => head.dataset.column)")


def test_the_best_run_is_first_with_its_curve(own_loop: LiveViewer, open_page: OpenPage):
    page = open_page(own_loop, "/")
    wait_for_runs(page, ["b", "c", "a", "plain"])
    until(page, lambda: heads(page)[:7] == ["run", "fact/state", *OF_METRIC, "fact/duration", "custom/lr"])
    assert cells(page, OF_METRIC[0]) == {"a": "0.8000", "b": "0.7000", "c": "0.8500", "plain": "–"}
    assert cells(page, OF_METRIC[1]) == {"a": "0.8000", "b": "0.9000", "c": "0.8500", "plain": "–"}
    expect(page.get_by_test_id("run-curve")).to_have_count(3)
    expect(rows(page).first.get_by_role("img", name="val/accuracy: 2 points, 0.7000 … 0.9000")).to_be_visible()
    expect(page.get_by_test_id("run-list")).to_have_count(0)
    expect(page.get_by_test_id("side-toggle")).to_be_hidden()


def test_a_metric_has_the_curve_of_the_tag_that_a_run_names_it_by(tmp_path: Path, open_page: OpenPage):
    """Collectors and own loops name the curve of one metric differently; curves of the training are none of it."""
    tags = {"collected": "eval_accuracy/auto", "own": "accuracy/test", "trained": "accuracy/train"}
    for run, tag in tags.items():
        with SummaryRecord(str(tmp_path / "logs" / run)) as record:
            record.add_value("eval_lineage", "", {"metric": json.dumps({"accuracy": 0.5})})
            for step in range(3):
                record.add_value("scalar", tag, step / 4)
                record.record(step)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == len(tags) and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/")
        until(page, lambda: heads(page)[:5] == ["run", "fact/state", "metric/accuracy", "fact/curve", "fact/duration"])
        expect(page.get_by_test_id("run-curve")).to_have_count(2)
        for run in ("collected", "own"):
            row = page.locator(f'[data-testid=runs-table] [data-run="{run}"]')
            expect(row.get_by_role("img", name=f"{tags[run]}: 3 points, 0 … 0.5000")).to_be_visible()


def test_metric_and_goal_are_changed_in_the_head(own_loop: LiveViewer, open_page: OpenPage):
    page = open_page(own_loop, "/")
    wait_for_runs(page, ["b", "c", "a", "plain"])
    choose(head(page, OF_METRIC[1]), "goal")
    wait_for_runs(page, ["c", "a", "b", "plain"])
    column = "scalar/train/loss:last"
    choose(head(page, OF_METRIC[0]), f"target:{column}")
    wait_for_runs(page, ["a", "c", "b", "plain"])
    expect_view(page, "target", "scalar%2Ftrain%2Floss%3Alast")
    expect(page.get_by_test_id("target")).to_have_text("Metric: train/loss")
    until(page, lambda: own_loop.http.get("/api/annotations").json()["targets"].get(column, {}).get("goal") == "min")
    again = open_page(own_loop, "/")
    wait_for_runs(again, ["a", "c", "b", "plain"])


def test_any_scalar_is_a_column_and_part_of_an_expression(
    own_loop: LiveViewer, open_page: OpenPage, complaints: list[str]
):
    page = open_page(own_loop, "/")
    wait_for_runs(page, ["b", "c", "a", "plain"])
    page.get_by_test_id("columns").click()
    page.get_by_test_id("columns-list-filter").fill("train/loss:min")
    page.get_by_test_id("columns-list-rows").get_by_role("checkbox").check()
    page.keyboard.press("Escape")
    until(page, lambda: cells(page, "scalar/train/loss:min")["b"] == "0.3000")
    box = where(page)
    box.press_sequentially("rate:la")
    expect(page.get_by_role("option", name="scalar/rate:last", exact=True)).to_be_visible()
    box.press("Enter")
    expect(box).to_have_value("`scalar/rate:last`")
    box.press_sequentially(" > 0.5")
    wait_for_runs(page, ["plain"])
    complaints.clear()  # the server refuses what is half typed


def test_curves_are_read_for_rows_in_sight_only(tmp_path: Path, open_page: OpenPage):
    for number in range(MANY):
        GrowingLog(tmp_path / "logs" / f"run_{number:03}").scalar(1, number / 8)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == MANY and all(run["tags"] for run in live.runs().values()))
        asked: list[str] = []

        def note(request: Request) -> None:
            if request.url.endswith("/api/curves"):
                asked.extend(one["run"] for one in json.loads(request.post_data or "")["series"])

        page = open_page(live, "/scalars?runs=none")
        page.on("request", note)
        page.get_by_role("navigation").get_by_role("link", name="Runs").click()
        until(page, lambda: page.get_by_test_id("run-curve").count() > 10)
        expect(rows(page).first).to_have_attribute("data-run", "run_000")
        assert 10 < len(set(asked)) < MANY / 2
        GrowingLog(tmp_path / "logs" / "run_000").scalar(2, 3.5)
        expect(rows(page).get_by_role("img", name="2 points, 0 … 3.500")).to_be_visible()


def test_a_color_scale_says_what_is_beyond_it(tmp_path: Path, open_page: OpenPage):
    for number in range(12):
        GrowingLog(tmp_path / "logs" / f"run_{number}").scalar(1, 100.0 if number == 5 else 1 + number / 8)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 12 and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/lineage/models")
        expect(page.get_by_test_id("color-clipped")).to_have_text("1 run beyond the scale has the color of an end")
        expect(page.get_by_text("≥ 2.375")).to_be_visible()
