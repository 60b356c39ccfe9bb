# SPDX-License-Identifier: Apache-2.0
"""What is done with several selected runs: label, archive, download, move, delete; how runs are sorted and found."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .barriers import serious
from .lineage_page import OpenPage, wait_for_runs
from .patience import until
from .scalars_page import expect_view

ACCURACIES = {"sweep/a": 0.7, "sweep/b": 0.9, "sweep/c": 0.8, "other/a": None}
SELECTED = "?run=sweep%2Fa&run=sweep%2Fb"


@pytest.fixture
def sweep(tmp_path: Path) -> Iterator[LiveViewer]:
    """Four quiet runs below a base whose viewer may delete; one has no accuracy."""
    for name, accuracy in ACCURACIES.items():
        log = GrowingLog(tmp_path / "logs" / name)
        log.scalar(1, 0.5, "loss")
        log.scalar(1, 0.5, "train/loss")
        if accuracy is not None:
            log.scalar(1, accuracy, "val/accuracy")
        os.utime(log.path, (1.7e9, 1.7e9))
    with running_viewer(tmp_path / "logs", tmp_path, "--allow-delete") as live:
        eventually(lambda: len(live.runs()) == 4 and all(run["tags"] for run in live.runs().values()))
        yield live


def act(page: Page, action: str) -> None:
    page.get_by_test_id("selected-actions").click()
    page.get_by_test_id(f"selected-actions-{action}").click()


def notes(live: LiveViewer) -> dict[str, Any]:
    return live.http.get("/api/annotations").json()["runs"]


def test_selected_runs_get_and_lose_labels(sweep: LiveViewer, open_page: OpenPage):
    body = {"changes": [{"run": "sweep/a", "version": 0, "tags": ["paper"]}]}
    sweep.http.patch("/api/annotations/runs", json=body).raise_for_status()
    page = open_page(sweep, f"/{SELECTED}")
    act(page, "label")
    panel = page.get_by_test_id("runs-action")
    expect(panel).to_contain_text("Label 2 runs")
    panel.get_by_role("button", name="Label “paper”: 1 of 2 runs have it. Click to add it to all").click()
    until(page, lambda: notes(sweep).get("sweep/b", {}).get("tags") == ["paper"])
    panel.get_by_test_id("label-add").fill("best")
    page.keyboard.press("Enter")
    until(page, lambda: {run: each["tags"] for run, each in notes(sweep).items()}
          == {"sweep/a": ["paper", "best"], "sweep/b": ["paper", "best"]})  # fmt: skip
    assert serious(page) == []
    panel.get_by_role("button", name="Remove label paper").click()
    until(page, lambda: [each["tags"] for each in notes(sweep).values()] == [["best"], ["best"]])


def test_selected_runs_are_archived_and_back(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, f"/{SELECTED}")
    wait_for_runs(page, ["sweep/b", "sweep/c", "sweep/a", "other/a"])
    act(page, "archive")
    wait_for_runs(page, ["sweep/c", "other/a"])
    expect(page.get_by_test_id("runs-undo")).to_contain_text("Archived 2 runs")
    page.get_by_test_id("undo").click()
    wait_for_runs(page, ["sweep/b", "sweep/c", "sweep/a", "other/a"])
    expect(page.get_by_test_id("runs-undo")).to_have_count(0)
    act(page, "archive")
    page.get_by_test_id("show-archived").click()
    wait_for_runs(page, ["sweep/b", "sweep/c", "sweep/a", "other/a"])
    page.get_by_test_id("selected-actions").click()
    expect(page.get_by_test_id("selected-actions-archive")).to_have_count(0)
    page.get_by_text("Unarchive the 2 archived runs in the table").click()
    until(page, lambda: not any(each["archived"] for each in notes(sweep).values()))


def test_selected_rows_are_downloaded(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, f"/{SELECTED}")
    wait_for_runs(page, ["sweep/b", "sweep/c", "sweep/a", "other/a"])
    with page.expect_download() as download:
        act(page, "download")
    rows = list(csv.DictReader(download.value.path().read_text("utf-8-sig").splitlines()))
    assert [row["run"] for row in rows] == ["sweep/b", "sweep/a"]


def test_selected_runs_are_moved_and_back(
    sweep: LiveViewer, open_page: OpenPage, tmp_path: Path, complaints: list[str]
):
    page = open_page(sweep, f"/{SELECTED}")
    act(page, "move")
    panel = page.get_by_test_id("runs-action")
    expect(panel.get_by_test_id("move-to")).to_be_focused()
    page.keyboard.type("old/first")
    expect(panel.get_by_test_id("moves").get_by_role("listitem")).to_have_text(
        ["sweep/a → old/first/a", "sweep/b → old/first/b"]
    )
    panel.get_by_test_id("move-confirm").click()
    expect(panel).to_have_count(0)
    wait_for_runs(page, ["old/first/b", "sweep/c", "old/first/a", "other/a"])
    expect_view(page, "run", "old%2Ffirst%2Fa")
    expect(page.get_by_test_id("missing-runs")).to_have_count(0)
    assert (tmp_path / "logs" / "old" / "first" / "a").is_dir()
    page.get_by_test_id("undo").click()
    wait_for_runs(page, ["sweep/b", "sweep/c", "sweep/a", "other/a"])
    act(page, "move")
    panel.get_by_test_id("move-to").fill("other")
    panel.get_by_test_id("move-confirm").click()
    expect(panel.get_by_role("alert")).to_contain_text("“other/a” already exists. Choose another directory")
    until(page, lambda: any("409" in complaint for complaint in complaints))
    complaints.clear()
    assert (tmp_path / "logs" / "sweep" / "a").is_dir()


def test_selected_runs_are_deleted_after_their_files_were_shown(sweep: LiveViewer, open_page: OpenPage, tmp_path: Path):
    (tmp_path / "logs" / "sweep" / "b" / "model.ckpt").write_bytes(b"weights")
    page = open_page(sweep, f"/{SELECTED}")
    act(page, "delete")
    panel = page.get_by_test_id("runs-action")
    expect(panel).to_contain_text("This permanently deletes 2 files of 2 runs")
    expect(panel).to_contain_text("Kept in the directory: sweep/b/model.ckpt")
    expect(panel.get_by_role("listitem")).to_have_count(2)
    panel.get_by_test_id("delete-confirm").click()
    wait_for_runs(page, ["sweep/c", "other/a"])
    assert sorted(path.name for path in (tmp_path / "logs" / "sweep").iterdir()) == ["b", "c"]
    assert [path.name for path in (tmp_path / "logs" / "sweep" / "b").iterdir()] == ["model.ckpt"]


def test_nothing_is_moved_or_deleted_unless_allowed(tmp_path: Path, open_page: OpenPage):
    GrowingLog(tmp_path / "logs" / "a").scalar(1, 0.5)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        page = open_page(live, "/")
        page.get_by_test_id("selected-actions").click()
        expect(page.get_by_test_id("selected-actions-archive")).to_be_visible()
        for action in ("move", "delete"):
            expect(page.get_by_test_id(f"selected-actions-{action}")).to_have_count(0)


def test_the_list_beside_a_page_is_sorted_by_the_main_metric(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/scalars")
    page.get_by_test_id("run-sort").click()
    page.get_by_test_id("run-sort-result").click()
    listed = page.get_by_test_id("run-list").locator("[data-run]")
    best = ["sweep/b", "sweep/c", "sweep/a", "other/a"]
    until(page, lambda: listed.evaluate_all("rows => rows.map(row => row.dataset.run)") == best)
    expect(page.get_by_test_id("run-list-result")).to_have_text(["0.9000", "0.8000", "0.7000", "–"])
    page.reload()
    until(page, lambda: listed.evaluate_all("rows => rows.map(row => row.dataset.run)") == best)


def test_the_first_hit_for_the_name_of_a_tag_is_the_tag(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/scalars")
    expect(page.get_by_test_id("card").first).to_be_visible()
    first = page.get_by_role("listbox").get_by_role("option").first
    for text, hit in (
        ("loss", "loss"),
        ("train/loss", "train/loss"),
        ("accuracy", "val/accuracy"),
        ("los", "Loss landscape"),
    ):
        page.get_by_test_id("search").fill(text)
        expect(first).to_contain_text(hit)
    page.get_by_test_id("search").fill("loss")
    page.keyboard.press("Enter")
    expect_view(page, "full", "loss")
