# SPDX-License-Identifier: Apache-2.0
"""The list of runs, as a person sees it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copy

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.server.live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

OpenPage = Callable[[LiveViewer, str], Page]
Torn = tuple[LiveViewer, GrowingLog, int]
BY_COLUMN = {
    "State": ["torn", "long", "wide"],
    "Last update": ["wide", "long", "torn"],
    "Duration": ["long", "wide", "torn"],
    "Last step": ["torn", "long", "wide"],
    "Data": ["wide", "long", "torn"],
    "Files": ["torn", "long", "wide"],
    "Size": ["long", "wide", "torn"],
    "Notes": ["long", "wide", "torn"],
    "Issues": ["torn", "long", "wide"],
}
"""The order of the runs of ``torn`` after the first press on the name of a column."""
BESIDE = {"updated": ["wide", "long", "torn"], "state": ["torn", "long", "wide"], "name": ["long", "torn", "wide"]}
"""Their order in the run selection."""


@pytest.fixture(scope="module")
def torn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Torn]:
    """Three runs, each first by some columns; also the damaged log of one, and the byte where its damage begins."""
    room = tmp_path_factory.mktemp("torn")
    log = GrowingLog(room / "logs" / "torn")
    copy(log.path, log.path.with_name("events.out.events.summary.1795225260.0.test_MS"))
    log.scalar(50, 1.0)
    offset = log.path.stat().st_size
    log.scalar(51, 1.0)
    content = bytearray(log.path.read_bytes())
    content[-1] ^= 1
    log.path.write_bytes(content)
    closed_logs(room / "logs")
    with running_viewer(room / "logs", room) as live:
        eventually(lambda: len(live.runs()) == 3 and all(run["tags"] for run in live.runs().values()))
        eventually(lambda: live.runs()["torn"]["damages"])
        notes = [{"run": "wide", "version": 0, "note": "worse"}, {"run": "long", "version": 0, "note": "baseline"}]
        live.http.patch("/api/annotations/runs", json={"changes": notes}).raise_for_status()
        yield live, log, offset


def closed_logs(base: Path) -> None:
    long, wide = (GrowingLog(base / name) for name in ("long", "wide"))
    for step in range(1, 31):
        long.scalar(step, 1.0, wall_time=1000.0 + 100 * step)
    for tag in ("loss", "accuracy", "rate"):
        wide.scalar(1, 1.0, tag, wall_time=6000.0)
        wide.scalar(5, 1.0, tag, wall_time=6500.0)
    for log in (long, wide):
        log.path.chmod(0o400)


def row(page: Page, run: str):
    return page.get_by_test_id("runs-table").locator(f'[data-run="{run}"]')


def test_every_run_is_listed_with_its_facts(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/")
    page.set_viewport_size({"width": 1600, "height": 800})
    want = {path.parent.relative_to(DATA).as_posix() for path in DATA.rglob("events*")}
    expect(page.get_by_test_id("runs-table").get_by_role("table")).to_have_attribute(
        "aria-rowcount", str(len(want) + 1)
    )
    custom_loop = row(page, "mindspore/custom_loop")
    expect(custom_loop).to_contain_text("8 scalars")
    expect(custom_loop).to_contain_text("38.1 KiB")
    expect(custom_loop).to_contain_text("Idle")


def test_runs_are_filtered_and_sorted(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/")
    page.get_by_test_id("runs-filter").fill("lineage_sweep")
    rows = page.get_by_test_id("runs-table-rows").locator("[data-run]")
    expect(rows).to_have_count(12)
    page.get_by_role("columnheader", name="Run", exact=True).get_by_role("button").first.click()
    expect(rows.first).to_have_attribute("data-run", "mindspore/lineage_sweep/run_01")
    page.get_by_role("columnheader", name="Run", exact=True).get_by_role("button").first.click()
    expect(rows.first).to_have_attribute("data-run", "mindspore/lineage_sweep/run_12")
    expect_expressions(page.get_by_role("main"), rows)
    page.get_by_role("navigation").get_by_role("link", name="Scalars").click()
    expect_expressions(page.get_by_test_id("run-selection"), page.get_by_test_id("run-list").locator("[data-run]"))


def expect_expressions(within: Locator, listed: Locator) -> None:
    """The filter, which both lists share, takes regular expressions; a wrong one is told, and leaves no run out."""
    find = within.get_by_role("searchbox", name="Filter runs")
    find.fill("run_0[1-3]|custom")
    expect(listed).to_have_count(0)
    expression = within.get_by_role("button", name="Regular expression")
    expression.click()
    expect(expression).to_have_attribute("aria-pressed", "true")
    expect(listed).to_have_count(4)
    find.fill("run_0(")
    expect(find).to_have_attribute("aria-invalid", "true")
    expect(within.get_by_title(re.compile("^Invalid regular expression: "))).to_be_visible()
    expect(within.get_by_role("alert")).to_contain_text("Invalid regular expression")
    expect(listed.and_(within.page.locator('[data-run="mindspore/ops"]'))).to_be_visible()
    find.fill("run_0[1-2]")
    expect(within.get_by_role("alert")).to_have_count(0)
    expect(listed).to_have_count(2)
    expression.click()


def test_every_column_and_the_run_selection_are_sorted(torn: Torn, open_page: OpenPage):
    page = open_page(torn[0], "/")
    page.set_viewport_size({"width": 1600, "height": 800})
    for name, runs in BY_COLUMN.items():
        column = page.get_by_role("columnheader", name=name, exact=True)
        column.get_by_role("button").first.click()
        is_ascending = name in ("State", "Notes")
        expect(column).to_have_attribute("aria-sort", "ascending" if is_ascending else "descending")
        expect(page.get_by_test_id("runs-table-rows").locator("[data-run]")).to_contain_text(runs)
    page.get_by_role("navigation").get_by_role("link", name="Scalars").click()
    for value, runs in BESIDE.items():
        page.get_by_test_id("run-sort").click()
        page.get_by_test_id(f"run-sort-{value}").click()
        expect(page.get_by_test_id("run-list").locator("[data-run]")).to_contain_text(runs)


def test_a_run_opens_its_scalars(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/")
    row(page, "mindspore/custom_loop").get_by_title(re.compile("Open in Scalars")).click()
    expect(page).to_have_url(re.compile(r"/scalars\?run=mindspore%2Fcustom_loop$"))
    expect(page.get_by_test_id("card").first).to_be_visible()
    page.go_back()
    expect(page.get_by_test_id("runs-table")).to_be_visible()


def test_an_empty_directory_says_what_to_write_and_what_cannot_be_read(tmp_path: Path, open_page: OpenPage):
    circle = tmp_path / "logs" / "first" / "events.out.tfevents.1"
    circle.parent.mkdir(parents=True)
    circle.symlink_to(circle.name)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        page = open_page(live, "/")
        expect(page.get_by_test_id("no-runs")).to_contain_text("mindscope.SummaryRecord")
        banner = page.get_by_test_id("unread-banner")
        expect(banner).to_contain_text("Its symbolic links form a loop. Delete the link")
        expect(banner.get_by_title(str(circle))).to_contain_text(circle.name)
        GrowingLog(tmp_path / "logs" / "second").scalar(1, 1.0)
        expect(row(page, "second")).to_be_visible()
        page.get_by_test_id("language").click()
        page.get_by_test_id("language-zh").click()
        expect(banner).to_contain_text("链接形成了循环。 请删除该链接")
        banner.get_by_role("button").click()
        panel = page.get_by_test_id("unread-panel")
        expect(panel.get_by_role("listitem")).to_have_count(1)
        expect(panel.get_by_title(str(circle))).to_contain_text(circle.name)
        circle.unlink()
        GrowingLog(circle.parent).scalar(1, 1.0)
        expect(panel.get_by_role("listitem")).to_have_count(0)
        expect(panel).to_contain_text("现在所有路径都可以读取")
        expect(banner).to_have_count(0)
        expect(row(page, "first")).to_be_attached()


def test_damage_is_shown_with_file_and_byte(torn: Torn, open_page: OpenPage):
    live, log, offset = torn
    page = open_page(live, "/")
    expect(row(page, "torn").get_by_test_id("run-actions")).to_be_in_viewport(ratio=1)
    row(page, "torn").get_by_role("button", name=re.compile("Damage details")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(log.path.name)
    expect(dialog).to_contain_text(str(offset))
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_test_id("language").click()
    page.get_by_test_id("language-zh").click()
    row(page, "torn").get_by_role("button", name=re.compile("损坏")).click()
    expect(dialog).to_contain_text(re.compile("内容的校验和为 0x[0-9a-f]{8}，应为"))


def test_a_note_is_typed_at_once(viewer: LiveViewer, open_page: OpenPage):
    """The closing button of the panel had the focus, and what was typed was lost."""
    page = open_page(viewer, "/?find=custom_loop&with=fact/notes")
    row(page, "mindspore/custom_loop").get_by_test_id("run-notes").click()
    page.keyboard.type("warm")
    expect(page.get_by_test_id("run-note")).to_have_value("warm")
    page.get_by_test_id("run-note").fill("")


def test_the_menu_of_a_run_offers_pages_that_show_it(torn: Torn, open_page: OpenPage):
    page = open_page(torn[0], "/")
    row(page, "long").get_by_test_id("run-actions").click()
    options = page.get_by_role("dialog").get_by_role("button")
    expect(options.filter(has_text="Scalars")).to_be_visible()
    for name in ("Media", "Histograms", "Parameters"):
        expect(options.filter(has_text=name)).to_have_count(0)


def test_the_dashboard_tells_the_damage_of_its_run_only(torn: Torn, open_page: OpenPage):
    page = open_page(torn[0], "/dashboard?run=long&run=torn")
    expect(page.get_by_test_id("dashboard-run")).to_contain_text("long")
    expect(page.get_by_test_id("card-scalars")).to_be_visible()
    expect(page.get_by_test_id("issues-banner")).to_have_count(0)
    page.get_by_test_id("next-run").click()
    expect(page.get_by_test_id("issues-banner")).to_be_visible()
    expect(page.get_by_test_id("card-profile")).to_contain_text("profiler.analyse()")
