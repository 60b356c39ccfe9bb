# SPDX-License-Identifier: Apache-2.0
"""Runs are named by what tells them apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

OpenPage = Callable[[LiveViewer, str], Page]
RATES = ("0.005", "0.02", "0.05")
IS_CUT = (
    "name => name.scrollWidth > name.clientWidth || [...name.children].some(one => one.scrollWidth > one.clientWidth)"
)


def beside(page: Page, run: str) -> Locator:
    return page.get_by_test_id("run-list").locator(f'[data-run="{run}"]')


def test_what_all_runs_share_is_left_out_of_their_names(tmp_path: Path, open_page: OpenPage):
    """The names of a sweep differ at their ends, where there was no room for them."""
    runs = [f"projects/vision/lenet-20261122-013331-baseline-lr{rate}" for rate in RATES]
    for run in runs:
        GrowingLog(tmp_path / "logs" / run).scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == len(runs) and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/")
        for run, rate in zip(runs, RATES, strict=True):
            row = page.get_by_test_id("runs-table").locator(f'[data-run="{run}"]')
            for named in (beside(page, run), row):
                expect(named.get_by_text(f"lr{rate}", exact=True)).to_be_visible()
            name = beside(page, run).get_by_title(run, exact=True).last
            expect(name).to_have_text(f"lr{rate}")
            assert not name.evaluate(IS_CUT)
        page.get_by_test_id("run-naming").click()
        page.get_by_test_id("run-naming-path").click()
        page.reload()
        expect(beside(page, runs[0])).to_contain_text(runs[0])


def test_shared_ends_that_are_cut_leave_a_sign(tmp_path: Path, open_page: OpenPage):
    """Chromium writes no sign at all where text that is cut begins with an empty element."""
    runs = [f"resnet50-imagenet-{name}-bs256-2026-11-20" for name in ("baseline-lr0.1", "cosine-lr0.05")]
    for run in (*runs, "vit/seed-3"):
        GrowingLog(tmp_path / "logs" / run).scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 3 and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/scalars")
        for run in runs:
            lead = beside(page, run).locator(".lead")
            expect(lead).to_have_text("resnet50-imagenet-")
            assert lead.evaluate("lead => lead.scrollWidth > lead.clientWidth")
            assert lead.evaluate("lead => lead.clientWidth >= 20")
            expect(lead.locator(":empty")).to_have_count(0)
            end = beside(page, run).locator(".end")
            expect(end).to_have_text("-bs256-2026-11-20")
            assert end.evaluate("end => end.scrollWidth > end.clientWidth && end.clientWidth >= 14")
            assert not beside(page, run).locator(".start").evaluate(IS_CUT)


def test_runs_are_named_by_their_parameters(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?tag=loss")
    first = beside(page, "mindspore/lineage_sweep/run_01")
    expect(first).to_contain_text("run_01")
    page.get_by_test_id("run-naming").click()
    page.get_by_test_id("run-naming-parameters").click()
    expect(first).to_contain_text("learning_rate 0.001")
    expect(first).not_to_contain_text("run_01")
    expect(first.get_by_title("mindspore/lineage_sweep/run_01").last).to_be_visible()
    expect(beside(page, "mindspore/custom_loop")).to_contain_text("custom_loop")
