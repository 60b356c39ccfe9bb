# SPDX-License-Identifier: Apache-2.0
"""Results and settings in the list of runs, by themselves and over groups of runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from mindscope.formats import mindspore_schemas, wire
from mindscope.formats.frames import frame
from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .patience import until
from .scalars_page import expect_view

OpenPage = Callable[[LiveViewer, str], Page]
RATES = {
    "big/a": 5.7112345e-05,
    "big/b": 3.2e-05,
    "small/x": 0.1,
    "small/deep/y": 0.25,
    "small/deep/z": 0.5,
    "bare": None,
}
ACCURACIES = {"big/a": 0.5, "big/b": 0.75, "small/x": 0.25, "small/deep/y": float("nan"), "small/deep/z": 0.5}
BY_ITSELF = ["run", "fact/state", "metric/Accuracy", "fact/duration", "lr", "optimizer", "data"]
"""The first columns. A parameter with the name of a fact hides no fact."""


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("sweep")
    for place, (run, rate) in enumerate(RATES.items()):
        GrowingLog(base / "logs" / run).scalar(1, 0.5)
        if rate is not None:
            settings = {"lr": rate, "epochs": 3, "optimizer": ["Adam", "SGD"][place % 2], "data": f"disk {place}"}
            (base / "logs" / run / "params.json").write_text(json.dumps(settings))
            event = {"wall_time": 1.0, "evaluation_lineage": {"metric": json.dumps({"Accuracy": ACCURACIES[run]})}}
            file = base / "logs" / run / "events.out.events.summary.1.0.host_lineage"
            file.write_bytes(frame(wire.encode(mindspore_schemas.LINEAGE_EVENT, event)))
    with running_viewer(base / "logs", base) as live:
        eventually(lambda: len(live.runs()) == len(RATES))
        yield live


def heads(page: Page) -> list[str]:
    found = page.get_by_test_id("runs-table").locator("[role=columnheader]")
    return found.evaluate_all("heads => heads.map(head => head.dataset.column)")


def cell(page: Page, row: Locator, column: str) -> Locator:
    place = page.get_by_test_id("runs-table").locator(f"[data-column='{column}']").get_attribute("aria-colindex")
    return row.locator(f"[aria-colindex='{place}']")


def run_row(page: Page, run: str) -> Locator:
    return page.get_by_test_id("runs-table-rows").locator(f"[data-run='{run}']")


def group_row(page: Page, group: str) -> Locator:
    return page.get_by_test_id("runs-table-rows").locator(f"[data-group='{group}']")


def test_the_list_shows_the_target_and_settings_that_differ(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/")
    page.set_viewport_size({"width": 1900, "height": 800})
    until(page, lambda: heads(page)[:7] == BY_ITSELF)
    assert not {"epochs", "fact/notes"} & set(heads(page))
    rate = cell(page, run_row(page, "big/a"), "lr")
    expect(rate).to_have_text("5.711e\u22125")
    expect(rate).to_have_attribute("title", "0.000057112345")
    expect(rate).to_have_css("text-align", "right")
    expect(cell(page, run_row(page, "bare"), "lr")).to_have_text("–")
    expect(cell(page, run_row(page, "small/deep/y"), "metric/Accuracy")).to_have_text("NaN")
    chosen = page.get_by_test_id("runs-table").locator("[data-column=optimizer]")
    chosen.hover()
    chosen.get_by_test_id("column-menu").click()
    page.get_by_test_id("column-menu-hide").click()
    expect_view(page, "hidden", "optimizer")
    changes = [{"run": "big/b", "version": 0, "note": "warm restarts"}]
    sweep.http.patch("/api/annotations/runs", json={"changes": changes}).raise_for_status()
    until(page, lambda: "fact/notes" in heads(page))
    assert "optimizer" not in heads(page)
    page = open_page(sweep, "/?columns=chosen&with=data&with=fact/data")
    until(page, lambda: heads(page) == ["run", "data", "fact/data"])
    expect(cell(page, run_row(page, "big/b"), "data")).to_have_text("disk 1")


def test_groups_have_sets_of_settings_and_means_of_results(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/?by=directory&sort=-lr")
    page.set_viewport_size({"width": 1900, "height": 800})
    until(page, lambda: "lr" in heads(page))
    rows = page.get_by_test_id("runs-table-rows").locator("[data-key]")
    expect(cell(page, group_row(page, "small/"), "lr")).to_have_text("0.1, 0.25, 0.5")
    expect(cell(page, group_row(page, "small/"), "lr")).to_have_attribute("title", "0.1 (1)\n0.25 (1)\n0.5 (1)")
    expect(cell(page, group_row(page, "small/"), "metric/Accuracy")).to_have_text("0.3750")
    expect(cell(page, group_row(page, "small/"), "metric/Accuracy")).to_have_attribute(
        "title", "Mean of 2 runs, 0.2500 … 0.5000\n1 run with NaN or infinity"
    )
    expect(cell(page, group_row(page, "small/deep/"), "lr")).to_have_text("0.25, 0.5")
    expect(cell(page, group_row(page, "big/"), "optimizer")).to_have_text("Adam, SGD")
    expect(cell(page, group_row(page, "big/"), "optimizer")).to_have_attribute("title", "Adam (1)\nSGD (1)")
    keys = "rows => rows.map(row => row.dataset.group ?? row.dataset.run)"
    falling = ["small/", "small/deep/", "small/deep/z", "small/deep/y", "small/x", "big/", "big/a", "big/b", "bare"]
    until(page, lambda: rows.evaluate_all(keys) == falling)
    page.get_by_test_id("runs-table").locator("[data-column=lr]").get_by_role("button").first.click()
    page.get_by_test_id("runs-table").locator("[data-column=lr]").get_by_role("button").first.click()
    expect_view(page, "sort", "%2Blr")
    until(page, lambda: rows.evaluate_all(keys)[:2] == ["big/", "big/b"])


def test_rows_are_all_or_only_the_selected_ones_on_every_page(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/?run=big%2Fa&run=small%2Fx")
    listed = page.get_by_test_id("runs-table-rows").locator("[data-run]")
    expect(listed).to_have_count(6)
    page.get_by_test_id("table-rows").select_option("selected")
    expect(listed).to_have_count(2)
    page.get_by_role("link", name="Scalars", exact=True).click()
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(listed).to_have_count(2)
    page.get_by_test_id("table-rows").select_option("unselected")
    expect(listed).to_have_count(4)
    run_row(page, "bare").get_by_role("checkbox").click()
    expect(listed).to_have_count(3)
    page.goto(page.url.split("?")[0] + "?run=bare&rows=selected&find=big")
    page.get_by_test_id("no-match").get_by_role("button").click()
    expect(listed).to_have_count(6)


def test_a_wide_and_long_table_of_other_types_is_saved_exactly(tmp_path: Path, open_page: OpenPage):
    names = ["=1+1", "a,b", 'say "no"', "run", "metric/x", "<b>", "\u202e", "notes", "x" * 300]
    settings = {name: 0.1 + 0.2 + place for place, name in enumerate(names)}
    for run, more in (("one", {"mixed": "text", "big": 2**70}), ("two", {"mixed": 3, "big": 1})):
        GrowingLog(tmp_path / "logs" / run).scalar(1, 0.5)
        (tmp_path / "logs" / run / "params.json").write_text(json.dumps({**settings, **more}))
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 2)
        page = open_page(
            live, "/?columns=chosen&with=mixed&with=big&with=parameter/run&with=parameter/metric/x&with=<b>"
        )
        until(page, lambda: heads(page) == ["run", "mixed", "big", "parameter/run", "parameter/metric/x", "<b>"])
        expect(cell(page, run_row(page, "one"), "big")).to_have_text(str(2**70))
        page.get_by_test_id("runs-download").click()
        with page.expect_download() as download:
            page.get_by_test_id("runs-download-json").click()
        got = {row["run"]: row for row in json.loads(Path(download.value.path()).read_text())}
        assert (got["one"]["big"], got["one"]["mixed"], got["two"]["mixed"]) == (2**70, "text", 3)
        assert got["one"]["parameter/run"] == settings["run"]
