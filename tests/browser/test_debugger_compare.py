# SPDX-License-Identifier: Apache-2.0
"""The tab Compare: what differs first and its tensor, other steps, operators that are paired by hand, the address."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.debug.recorded_runs import write_run
from tests.debug.test_compare import training
from tests.debug.whole_tensor_dumps import write_dumped_run
from tests.server.live_viewer import LiveViewer, eventually, running_viewer


@pytest.fixture(scope="module")
def trainings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("compared")
    write_run(base / "one", training())
    write_run(base / "other", training(differs=(3, "act")))
    write_run(base / "renamed", training(names=("x", "y", "z"), types=("D1", "D2", "D3"), differs=(2, "y")))
    x = np.arange(-60, 60, dtype=np.float32).reshape(2, 10, 6)
    for name, error in (("whole", 0), ("other_whole", 5)):
        found = np.maximum(x, 0)
        found[1, 7, 4] += error
        write_dumped_run(base / name, {1: {"Functional.relu.0.forward": ([x], [found])}})
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) == 5)
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
    expect(page).to_have_url(re.compile("debug_other_filter=fc2"))
    page.reload()
    expect(table.locator("[data-key]")).to_have_count(1)
    table.get_by_role("button", name="fc2/Linear").first.click()
    difference = page.get_by_test_id("tensor-difference")
    expect(difference.get_by_test_id("difference-statistics").locator("tr", has_text="L2 norm")).to_contain_text(
        "0.0099"
    )
    expect(difference.get_by_test_id("difference-needs")).to_contain_text("need the whole tensor in both trainings")
    difference.get_by_test_id("difference-open-left").click()
    expect(page.get_by_test_id("debug-tensor")).to_contain_text("fc2/Linear")
    expect(page.get_by_test_id("debug-at-step")).to_have_text("Step 3")


def test_whole_tensors_are_compared_around_their_largest_error(context: BrowserContext, trainings: LiveViewer) -> None:
    page = context.new_page()
    left, right = (quote(json.dumps([run, "dump"])) for run in ("whole", "other_whole"))
    page.goto(f"http://127.0.0.1:{trainings.port}/debugger?runs=all&debug_tab=compare&debug={left}&debug_other={right}")
    page.get_by_test_id("compare-table").get_by_role("button", name="relu").first.click()
    difference = page.get_by_test_id("tensor-difference")
    expect(difference.get_by_test_id("difference-level")).to_have_text("Warning: the error of the norm grows")
    figures = difference.get_by_test_id("difference-figures")
    expect(figures.locator("[data-figure=max_abs]")).to_have_text("5")
    expect(figures).to_contain_text("✗ < 0.001")
    expect(figures.locator("[data-figure=share_beyond]")).to_have_text("0.8333 %")
    expect(difference.get_by_test_id("ulp-chart").locator("text").first).to_be_visible()
    worst = difference.get_by_test_id("difference-cells").locator("td.fault")
    expect(worst).to_have_text(["46", "51", "−5"])
    difference.get_by_test_id("difference-atol").fill("6")
    difference.get_by_test_id("difference-atol").press("Enter")
    expect(figures.locator("[data-figure=share_beyond]")).to_have_text("0 %")
    expect(page).to_have_url(re.compile("debug_pair=.*debug_atol=6"))
    page.reload()
    expect(figures.locator("[data-figure=share_beyond]")).to_have_text("0 %")
    difference.get_by_test_id("difference-tensor").select_option(label="input 0")
    expect(difference).to_contain_text("All elements are equal.")


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
