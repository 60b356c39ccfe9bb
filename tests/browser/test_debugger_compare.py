# SPDX-License-Identifier: Apache-2.0
"""The tab Compare: what differs first and its tensor, other steps, operators that are paired by hand, the address."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.debug.recorded_runs import write_run
from tests.debug.test_compare import training
from tests.server.live_viewer import LiveViewer, eventually, running_viewer


@pytest.fixture(scope="module")
def trainings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("compared")
    write_run(base / "one", training())
    write_run(base / "other", training(differs=(3, "act")))
    write_run(base / "renamed", training(names=("x", "y", "z"), types=("D1", "D2", "D3"), differs=(2, "y")))
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) == 3)
        yield live


def opened(context: BrowserContext, viewer: LiveViewer, other: str, runs: str = "all") -> Page:
    page = context.new_page()
    left, right = (quote(json.dumps([run, "."])) for run in ("one", other))
    page.goto(f"http://127.0.0.1:{viewer.port}/debugger?runs={runs}&debug_tab=compare&debug={left}&debug_other={right}")
    return page


def test_the_first_difference_is_named_and_leads_to_its_tensor(context: BrowserContext, trainings: LiveViewer) -> None:
    page = opened(context, trainings, "other")
    expect(page.get_by_test_id("compare-head")).to_have_text(
        "From equal inputs, act/ReLU returns other values in step 3, forward"
    )
    expect(page.get_by_test_id("compare-coverage")).to_have_text("100 % of 4 operators matched")
    expect(page.get_by_test_id("compare-count")).to_have_text("2 of 4 differ")
    table = page.get_by_test_id("compare-table")
    expect(table.locator("[data-key]")).to_have_count(4)
    page.get_by_label("Only differing").check()
    expect(table.locator("[data-key]")).to_have_count(2)
    page.get_by_test_id("compare-filter").fill("fc2")
    expect(table.locator("[data-key]")).to_have_count(1)
    page.reload()
    expect(table.locator("[data-key]")).to_have_count(1)
    table.get_by_role("button", name="fc2/Linear").first.click()
    expect(page.get_by_test_id("debug-tensor")).to_contain_text("fc2/Linear")
    expect(page.get_by_test_id("debug-at-step")).to_have_text("Step 3")


def test_another_step_is_chosen_in_the_chart(context: BrowserContext, trainings: LiveViewer) -> None:
    page = opened(context, trainings, "other")
    expect(page.get_by_test_id("compare-count")).to_have_text("2 of 4 differ")
    page.get_by_test_id("compare-curve").press("ArrowLeft")
    expect(page.get_by_test_id("compare-count")).to_have_text("0 of 4 differ")
    page.get_by_test_id("compare-first-step").click()
    expect(page.get_by_test_id("compare-count")).to_have_text("2 of 4 differ")


def test_operators_are_paired_by_hand_and_the_pair_is_undone(context: BrowserContext, trainings: LiveViewer) -> None:
    page = opened(context, trainings, "renamed")
    expect(page.get_by_test_id("compare-head")).to_have_text("Nothing differs beyond the tolerance in 5 steps")
    page.get_by_test_id("unmatched-left").get_by_role("button", name="act/ReLU").click()
    expect(page.get_by_test_id("compare-pair")).to_be_disabled()
    page.get_by_test_id("unmatched-right").get_by_role("button", name="y/D2").click()
    page.get_by_test_id("compare-pair").click()
    expect(page.get_by_test_id("compare-head")).to_contain_text("act/ReLU returns other values in step 2")
    expect(page.get_by_test_id("compare-pairs")).to_contain_text("act/ReLU ↔ y/D2")
    expect(page.get_by_test_id("unmatched-left").get_by_role("button")).to_have_count(2)
    page.reload()
    page.get_by_test_id("compare-undo").click()
    expect(page.get_by_test_id("compare-head")).to_have_text("Nothing differs beyond the tolerance in 5 steps")
    expect(page.get_by_test_id("compare-pairs")).to_have_count(0)
