# SPDX-License-Identifier: Apache-2.0
"""Groups of runs in the list, and what people keep about a run."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet
import pytest
from playwright.sync_api import Locator, Page, expect

import mindscope
from tests.server.live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

from .barriers import serious
from .scalars_page import card, expect_view

OpenPage = Callable[[LiveViewer, str], Page]
RUNS = ("big/rank_0", "big/rank_1", "sweep/deep/x", "sweep/y")


@contextmanager
def viewed_logs(room: Path) -> Generator[LiveViewer]:
    for name in RUNS:
        GrowingLog(room / "logs" / name).scalar(1, 1.0)
    with running_viewer(room / "logs", room) as live:
        eventually(lambda: len(live.runs()) == len(RUNS) and all(run["tags"] for run in live.runs().values()))
        yield live


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """For tests that keep nothing on the server."""
    with viewed_logs(tmp_path_factory.mktemp("logs")) as live:
        yield live


@pytest.fixture
def own_logs(tmp_path: Path) -> Iterator[LiveViewer]:
    """With annotations that no other test has written."""
    with viewed_logs(tmp_path) as live:
        yield live


def lines(page: Page) -> Locator:
    return page.get_by_test_id("runs-table-rows").get_by_role("row")


def details(page: Page, run: str) -> Locator:
    page.get_by_test_id("runs-table").locator(f'[data-run="{run}"]').get_by_test_id("run-actions").click()
    page.get_by_test_id("run-actions-details").click()
    return page.get_by_test_id("run-details")


def test_directories_nest_and_ranks_fold(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/")
    page.get_by_test_id("runs-group").select_option("directory")
    groups = page.get_by_test_id("run-group")
    expect(groups).to_have_count(3)
    page.locator('[data-group="sweep/"]').get_by_role("button").click()
    expect(groups).to_have_count(2)
    expect(page.locator('[data-run="sweep/y"]').and_(page.get_by_role("row"))).to_have_count(0)
    rank = page.locator('[data-run="big/rank_0"]').and_(page.get_by_role("row"))
    expect(rank.get_by_role("button").first).not_to_contain_text("big")
    expect_view(page, "fold", "sweep%2F")
    page.reload()
    expect(groups).to_have_count(2)
    expect(page.locator('[data-group="big/"]').and_(page.get_by_test_id("run-group"))).to_contain_text("1 scalar")
    page.get_by_test_id("runs-group").select_option("ranks")
    expect_view(page, "by", "ranks")
    expect(lines(page)).to_have_count(3)
    expect(groups).to_contain_text("2 runs")
    groups.get_by_role("button").click()
    expect(lines(page)).to_have_count(5)
    groups.get_by_role("checkbox").uncheck()
    expect(page.get_by_test_id("open-selected")).to_contain_text("2")


def test_notes_and_labels_are_kept_and_found(own_logs: LiveViewer, open_page: OpenPage):
    page = open_page(own_logs, "/")
    panel = details(page, "sweep/y")
    panel.get_by_test_id("run-note").fill("diverged after warm-up")
    panel.get_by_test_id("label-add").fill("paper")
    panel.get_by_test_id("label-add").press("Enter")
    eventually(lambda: kept(own_logs, "sweep/y") == ("diverged after warm-up", ["paper"]))
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    page.reload()
    row = page.get_by_test_id("runs-table").locator('[data-run="sweep/y"]')
    expect(row).to_contain_text("paper")
    expect(row).to_contain_text("diverged")
    page.get_by_test_id("runs-filter").fill("warm-up")
    expect(lines(page)).to_have_count(1)
    expect_view(page, "find", "warm-up")
    expect(row.get_by_role("button", name="paper diverged after warm-up Notes of sweep/y")).to_be_visible()
    assert serious(page) == []


def kept(live: LiveViewer, run: str) -> tuple[str, list[str]] | None:
    """Note and labels of a run on the server."""
    notes = live.http.get("/api/annotations").json()["runs"].get(run)
    return notes and (notes["note"], notes["tags"])


def test_what_two_people_keep_at_once_reaches_both(own_logs: LiveViewer, open_page: OpenPage, complaints: list[str]):
    """A change that meets a newer one is refused, which the console tells, and made again on top of it."""
    mine, theirs = (open_page(own_logs, "/?details=sweep%2Fy") for _ in range(2))
    my_note, their_note = (page.get_by_test_id("run-note") for page in (mine, theirs))
    their_note.fill("diverged")
    their_note.blur()
    expect(my_note).to_have_value("diverged")
    my_note.fill("diverged, as expected")
    their_note.fill("diverged at step 3")
    their_note.blur()
    expect(mine.get_by_test_id("note-conflict")).to_contain_text("diverged at step 3")
    mine.bring_to_front()
    mine.keyboard.press("Escape")
    expect(mine.get_by_test_id("run-details")).to_have_count(0)
    mine.get_by_test_id("unkept-note").get_by_role("button").click()
    expect(my_note).to_have_value("diverged, as expected")
    mine.get_by_test_id("note-both").click()
    expect(their_note).to_have_value("diverged at step 3\ndiverged, as expected")
    for page, label in ((mine, "paper"), (theirs, "baseline")):
        page.get_by_test_id("label-add").fill(label)
        page.get_by_test_id("label-add").press("Enter")
    for page in (mine, theirs):
        expect(page.get_by_test_id("labels")).to_contain_text("paper")
        expect(page.get_by_test_id("labels")).to_contain_text("baseline")
        page.bring_to_front()
        page.get_by_test_id("run-details").get_by_role("button", name="Close", exact=True).click()
        page.get_by_role("navigation").get_by_role("link", name="Scalars").click()
    a_pin_reaches(mine, theirs)
    a_threshold_reaches(mine, theirs)
    a_color_reaches(mine, theirs)
    complaints[:] = [one for one in complaints if "409 (Conflict)" not in one]


def a_pin_reaches(mine: Page, theirs: Page) -> None:
    expect(card(theirs, "loss")).to_be_visible()
    mine.bring_to_front()
    card(mine, "loss").hover()
    card(mine, "loss").get_by_test_id("pin").click()
    for page in (mine, theirs):
        pinned = page.locator('[data-group="pinned"]').get_by_test_id("card")
        expect(pinned).to_have_attribute("data-tag", "loss")
        expect(pinned.get_by_test_id("pin")).to_have_attribute("aria-pressed", "true")


def a_threshold_reaches(mine: Page, theirs: Page) -> None:
    """And its removal comes back."""
    card(mine, "loss").hover()
    card(mine, "loss").get_by_test_id("thresholds").click()
    mine.get_by_test_id("threshold-limit-0").fill("0.5")
    mine.get_by_test_id("threshold-add").click()
    expect(card(theirs, "loss").get_by_test_id("thresholds")).to_have_attribute("aria-pressed", "true")
    theirs.bring_to_front()
    card(theirs, "loss").hover()
    card(theirs, "loss").get_by_test_id("thresholds").click()
    panel = theirs.get_by_test_id("threshold-panel")
    expect(panel.get_by_test_id("threshold-rule")).to_have_value("value > 0.5")
    expect(mine.get_by_test_id("threshold-rule")).to_have_value("value > 0.5")
    panel.get_by_test_id("threshold-remove").click()
    expect(mine.get_by_test_id("threshold")).to_have_count(0)
    panel.get_by_role("button", name="Close", exact=True).click()


def a_color_reaches(mine: Page, theirs: Page) -> None:
    """And that it is taken back."""
    swatch = mine.get_by_test_id("run-list").get_by_role("button", name="Color of sweep/y")
    theirs.get_by_test_id("run-list").get_by_role("button", name="Color of sweep/y").click()
    theirs.get_by_role("button", name="Color 7").click()
    expect(swatch).to_have_attribute("style", re.compile(r"var\(--series-6\)"))
    theirs.get_by_test_id("run-list").get_by_role("button", name="Color of sweep/y").click()
    theirs.get_by_role("button", name="Reset color").click()
    expect(swatch).not_to_have_attribute("style", re.compile(r"var\(--series-6\)"))


def test_the_list_is_saved_as_a_table(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/?find=sweep&sort=-run&with=fact/notes")
    expect(lines(page)).to_have_count(2)
    saved: dict[str, bytes] = {}
    for kind in ("csv", "json", "parquet"):
        page.get_by_test_id("runs-download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"runs-download-{kind}").click()
        saved[kind] = Path(download.value.path()).read_bytes()
    rows = list(csv.DictReader(saved["csv"].decode().splitlines()))
    assert [row["run"] for row in rows] == ["sweep/y", "sweep/deep/x"]
    assert [row["fact/data"] for row in rows] == ["scalar: 1"] * 2
    assert {"fact/labels", "fact/note"} <= rows[0].keys()
    want = [(name, logs.runs()[name]["size_bytes"]) for name in ("sweep/y", "sweep/deep/x")]
    assert [(row["run"], row["fact/size"]) for row in json.loads(saved["json"])] == want
    table = ["run", "fact/size"]
    assert pyarrow.parquet.read_table(io.BytesIO(saved["parquet"])).select(table).to_pylist() == [
        dict(zip(table, row, strict=True)) for row in want
    ]


def test_an_archived_run_is_in_no_list_until_it_is_taken_out(own_logs: LiveViewer, open_page: OpenPage):
    page = open_page(own_logs, "/")
    details(page, "sweep/y").get_by_test_id("archive").click()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("run-details")).to_have_count(0)
    expect(lines(page)).to_have_count(3)
    page.get_by_test_id("show-archived").check()
    expect(lines(page)).to_have_count(4)
    details(page, "sweep/y").get_by_test_id("archive").click()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("run-details")).to_have_count(0)
    page.get_by_test_id("show-archived").wait_for(state="detached")
    expect(lines(page)).to_have_count(4)


def test_runs_of_a_link_that_are_not_here_are_named(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/scalars?run=gone%2Faway&run=sweep%2Fy")
    notice = page.get_by_test_id("missing-runs")
    expect(notice).to_contain_text("1 run of this link is not in")
    expect(notice).to_contain_text("gone/away")
    notice.get_by_role("button").click()
    expect(notice).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/scalars\?run=sweep%2Fy$"))


def test_the_selected_runs_are_compared(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/?run=sweep%2Fy&run=big%2Frank_0")
    page.get_by_test_id("selected-actions").click()
    page.get_by_test_id("selected-actions-/scalars").click()
    expect(page).to_have_url(re.compile(r"/scalars\?run="))
    expect(page.get_by_test_id("card").first).to_be_visible()


def test_details_tell_the_parameters_of_the_log(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/")
    panel = details(page, "mindspore/lineage_sweep/run_05")
    expect(panel.get_by_test_id("run-parameters")).to_contain_text("Adam")
    expect_view(page, "details", "mindspore%2Flineage_sweep%2Frun_05")
    page.reload()
    expect(panel.get_by_test_id("run-parameters").get_by_text("0.001", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect_view(page, "details", None)


def test_the_search_opens_pages(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/")
    expect(page.get_by_test_id("search")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_test_id("search")).to_be_focused()
    page.keyboard.type("compar")
    expect(page.get_by_role("listbox").get_by_role("option", selected=True)).to_have_text("Scalars")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/scalars"))


def test_a_run_is_deleted_only_where_the_viewer_allows_it(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/")
    expect(details(page, "sweep/y").get_by_test_id("archive")).to_be_visible()
    expect(page.get_by_test_id("delete")).to_have_count(0)


def test_a_run_is_deleted_after_its_files_were_shown(tmp_path: Path, open_page: OpenPage):
    for name in ("gone", "stays"):
        log = GrowingLog(tmp_path / "logs" / name)
        log.scalar(1, 1.0)
        os.utime(log.path, (1.0, 1.0))
    with running_viewer(tmp_path / "logs", tmp_path, "--allow-delete") as live:
        eventually(lambda: {run["state"] for run in live.runs().values()} == {"idle"})
        page = open_page(live, "/")
        panel = details(page, "gone")
        panel.get_by_test_id("delete").click()
        expect(panel).to_contain_text("events.out.events.summary")
        expect(panel.get_by_test_id("delete-cancel")).to_be_focused()
        page.keyboard.press("Enter")
        expect(panel.get_by_test_id("delete")).to_be_focused()
        assert (tmp_path / "logs" / "gone").exists()
        panel.get_by_test_id("delete").click()
        backgrounds = "button => [getComputedStyle(button).backgroundColor, getComputedStyle(button).borderColor]"
        assert panel.get_by_test_id("delete-confirm").evaluate(backgrounds) == [danger(page)] * 2
        panel.get_by_test_id("delete-confirm").click()
        expect(lines(page)).to_have_count(1)
        eventually(lambda: not (tmp_path / "logs" / "gone").exists())


def danger(page: Page) -> str:
    """The color of what destroys something."""
    probe = "document.body.appendChild(Object.assign(document.createElement('i'), {style: 'color: var(--bad)'}))"
    return page.evaluate(f"getComputedStyle({probe}).color")


def test_the_run_selection_groups_like_the_list(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/scalars")
    page.get_by_test_id("side-group").click()
    page.get_by_test_id("side-group-directory").click()
    head = page.locator('[data-testid="side-head"][data-group="big/"]')
    expect(head).to_contain_text("2")
    head.get_by_role("checkbox").uncheck()
    expect(page.get_by_test_id("run-list").get_by_label("Show big/rank_0")).not_to_be_checked()
    head.get_by_role("button").click()
    expect(page.get_by_test_id("run-list").get_by_label("Show big/rank_0")).to_have_count(0)
    all_runs_and_only_one_are_shown(page)


def all_runs_and_only_one_are_shown(page: Page) -> None:
    selection, every = page.get_by_test_id("run-selection"), page.get_by_test_id("all-runs")
    expect(every).to_be_checked(indeterminate=True)
    every.click()
    expect(every).to_be_checked()
    expect(selection).to_contain_text("4 of 4 shown")
    every.click()
    expect(selection).to_contain_text("0 of 4 shown")
    expect(page.get_by_role("main")).to_contain_text("No runs selected")
    page.get_by_test_id("run-filter").fill("sweep")
    expect(page.get_by_test_id("run-list").locator("[data-run]")).to_have_count(2)
    every.click()
    expect(selection).to_contain_text("2 of 4 shown")
    line = page.get_by_test_id("run-list").locator('[data-run="sweep/y"]')
    line.hover()
    line.get_by_role("button", name="Show only sweep/y").click()
    expect(selection).to_contain_text("1 of 4 shown")
    expect(line.get_by_role("checkbox")).to_be_checked()
    expect(every).to_be_checked(indeterminate=True)
    expect_view(page, "run", "sweep%2Fy")


def test_the_run_selection_groups_by_a_field_of_the_lineage(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?runs=all")
    page.get_by_test_id("run-filter").fill("lineage_sweep")
    page.get_by_test_id("side-group").focus()
    page.keyboard.press("Enter")
    page.get_by_test_id("side-group-field:optimizer").click()
    head = page.get_by_test_id("side-head").filter(has_text="optimizer = Adam")
    sweep = mindscope.open_runs(DATA / "mindspore" / "lineage_sweep").values()
    count = sum(run.lineage.row()["optimizer"] == "Adam" for run in sweep)
    expect(head).to_contain_text(str(count))
    page.reload()
    head.get_by_role("checkbox").uncheck()
    expect_view(page, "without", re.compile(".*mindspore%2Flineage_sweep"))
