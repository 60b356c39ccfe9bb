# SPDX-License-Identifier: Apache-2.0
"""The list of runs, as a person sees it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

OpenPage = Callable[[LiveViewer, str], Page]


def row(page: Page, run: str):
    return page.get_by_test_id("runs-table").locator(f'[data-run="{run}"]')


def test_every_run_is_listed_with_its_facts(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/")
    want = {path.parent.relative_to(DATA).as_posix() for path in DATA.rglob("events*")}
    expect(page.get_by_test_id("runs-table")).to_have_attribute("aria-rowcount", str(len(want) + 1))
    custom_loop = row(page, "mindspore/custom_loop")
    expect(custom_loop).to_contain_text("8 scalars")
    expect(custom_loop).to_contain_text("38.1 KiB")
    expect(custom_loop).to_contain_text("Idle")


def test_runs_are_filtered_and_sorted(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/")
    page.get_by_test_id("runs-filter").fill("lineage_sweep")
    rows = page.get_by_test_id("runs-rows").locator("[data-run]")
    expect(rows).to_have_count(12)
    page.get_by_role("columnheader", name="Run", exact=True).get_by_role("button").click()
    expect(rows.first).to_have_attribute("data-run", "mindspore/lineage_sweep/run_01")
    page.get_by_role("columnheader", name="Run", exact=True).get_by_role("button").click()
    expect(rows.first).to_have_attribute("data-run", "mindspore/lineage_sweep/run_12")


def test_a_run_opens_its_scalars(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/")
    row(page, "mindspore/custom_loop").get_by_role("button").first.click()
    expect(page).to_have_url(re.compile(r"/scalars\?run=mindspore%2Fcustom_loop$"))
    expect(page.get_by_test_id("card").first).to_be_visible()
    page.go_back()
    expect(page.get_by_test_id("runs-table")).to_be_visible()


def test_an_empty_directory_says_what_to_write(tmp_path: Path, open_page: OpenPage):
    (tmp_path / "logs").mkdir()
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        page = open_page(live, "/")
        expect(page.get_by_test_id("no-runs")).to_contain_text("mindscope.SummaryRecord")
        GrowingLog(tmp_path / "logs" / "first").scalar(1, 1.0)
        expect(row(page, "first")).to_be_visible()


def test_damage_is_shown_with_file_and_byte(tmp_path: Path, open_page: OpenPage):
    log = GrowingLog(tmp_path / "logs" / "run")
    log.scalar(1, 1.0)
    offset = log.path.stat().st_size
    log.scalar(2, 1.0)
    data = bytearray(log.path.read_bytes())
    data[-1] ^= 1
    log.path.write_bytes(data)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("damages"))
        page = open_page(live, "/")
        expect(row(page, "run").get_by_test_id("run-actions")).to_be_in_viewport(ratio=1)
        row(page, "run").get_by_role("button", name=re.compile("damage")).click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text(log.path.name)
        expect(dialog).to_contain_text(str(offset))
        page.keyboard.press("Escape")
        page.get_by_test_id("language").click()
        page.get_by_test_id("language-zh").click()
        row(page, "run").get_by_role("button", name=re.compile("损坏")).click()
        expect(dialog).to_contain_text(re.compile("内容的校验和为 0x[0-9a-f]{8}，应为"))


@pytest.mark.parametrize("width", [700, 960, 1280, 1920])
@pytest.mark.parametrize("address", ["/", "/scalars"])
def test_no_page_is_wider_than_its_window(viewer: LiveViewer, open_page: OpenPage, address: str, width: int):
    page = open_page(viewer, address)
    page.set_viewport_size({"width": width, "height": 800})
    page.reload()
    expect(page.get_by_role("main")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
