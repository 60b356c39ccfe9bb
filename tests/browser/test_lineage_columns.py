# SPDX-License-Identifier: Apache-2.0
"""The columns of the table of runs."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from tests.server.live_viewer import GrowingLog, LiveViewer, running_viewer

from .lineage_page import (
    TABLE,
    TARGET,
    OpenPage,
    cells,
    choose,
    head,
    rows,
    wait_for_runs,
    where,
)
from .scalars_page import expect_view


def test_names_of_columns_are_completed(viewer: LiveViewer, open_page: OpenPage, complaints: list[str]):
    page = open_page(viewer, "/")
    box = where(page)
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
        page.get_by_test_id("runs-table")
        .locator("[role=columnheader]")
        .evaluate_all("heads => heads.map(head => head.dataset.column)")
    )
    moved = shown[-2]
    place = int(head(page, moved).get_attribute("aria-colindex") or "")
    choose(head(page, moved), "left")
    expect(head(page, moved)).to_have_attribute("aria-colindex", str(place - 1))


def test_a_column_is_dragged_resized_and_chosen_alone(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{TABLE}&{TARGET}")
    head(page, "optimizer").drag_to(head(page, "fact/state"))
    expect(head(page, "optimizer")).to_have_attribute("aria-colindex", "2")
    expect(head(page, "fact/state")).to_have_attribute("aria-colindex", "3")
    grip = page.get_by_test_id("runs-table").get_by_role("separator", name="Width of optimizer")
    width = int(grip.get_attribute("aria-valuenow") or "")
    grip.press("ArrowRight")
    expect(grip).to_have_attribute("aria-valuenow", str(width + 16))
    expect_view(page, "width", f"{width + 16}%3Aoptimizer")
    page.get_by_role("link", name="Scalars", exact=True).click()
    page.go_back()
    expect(grip).to_have_attribute("aria-valuenow", str(width + 16))
    page.get_by_test_id("columns").click()
    page.get_by_label("All columns").click()
    expect_view(page, "columns", "chosen")
    page.get_by_test_id("columns-list-filter").fill("epoch")
    page.get_by_test_id("columns-list-rows").get_by_role("checkbox").first.check()
    heads = page.get_by_test_id("runs-table").get_by_role("columnheader")
    expect(heads).to_have_count(2)


def test_names_that_every_object_inherits_are_names_of_columns_and_runs(tmp_path: Path, open_page: OpenPage):
    names = ["constructor", "toString", "__proto__", "hasOwnProperty"]
    for place, run in enumerate(names):
        GrowingLog(tmp_path / "logs" / run).scalar(1, 0.5)
        settings = dict.fromkeys(names, place + 0.25)
        (tmp_path / "logs" / run / "params.json").write_text(json.dumps(settings))
    with running_viewer(tmp_path / "logs", tmp_path / "workspace") as viewer:
        page = open_page(viewer, "/?sort=-constructor")
        wait_for_runs(page, names[::-1])
        for name in names:
            assert cells(page, name) == {run: f"{place}.25" for place, run in enumerate(names)}
        table = page.get_by_test_id("scalar-table")
        for column in ("columns=chosen&with=constructor&with=toString", "group=directory"):
            page.goto(f"http://127.0.0.1:{viewer.port}/scalars?show=table&{column}")
            expect(table.locator("[role=columnheader][data-column=constructor]")).to_be_visible()
        page.goto(f"http://127.0.0.1:{viewer.port}/lineage/data")
        expect(page.get_by_text("No data pipelines in the runs")).to_be_visible()


def test_columns_that_are_equal_in_all_runs_are_shown_when_asked(tmp_path: Path, open_page: OpenPage):
    for place in range(3):
        folder = tmp_path / "logs" / f"run_{place}"
        GrowingLog(folder).scalar(1, 0.5)
        (folder / "params.json").write_text(json.dumps({"lr": 0.1 * (place + 1), "depth": 3}))
    with running_viewer(tmp_path / "logs", tmp_path / "workspace") as viewer:
        page = open_page(viewer, "/")
        expect(head(page, "lr")).to_be_visible()
        expect(head(page, "depth")).to_have_count(0)
        page.get_by_test_id("columns").click()
        page.get_by_test_id("only-differing").uncheck()
        expect(head(page, "depth")).to_be_visible()
        expect_view(page, "differing", "no")
