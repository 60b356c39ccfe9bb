# SPDX-License-Identifier: Apache-2.0
"""The page Debugger begins with the training that has a bad number, and says on every tab where it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .debugged_trainings import break_bias, fail_in_forward, train


@pytest.fixture(scope="module")
def trainings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("judged")
    train(base / "a_healthy")
    with pytest.raises(RuntimeError, match="out of memory"):
        train(base / "b_ended", fail_in_forward)
    train(base / "c_nan", break_bias)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) == 3)
        yield live


def test_the_run_with_nan_comes_first_and_every_tab_has_its_verdict(
    context: BrowserContext, trainings: LiveViewer
) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{trainings.port}/debugger?runs=all")
    verdict = page.get_by_test_id("debug-verdict")
    expect(verdict).to_contain_text("1 of 3 runs has NaN")
    expect(verdict).to_contain_text("c_nan: first NaN in step 6, 2/Linear")
    expect(page.get_by_test_id("debug-source")).to_contain_text("c_nan")
    for tab in ("Watchpoints", "Compare", "First bad"):
        page.get_by_test_id("debug-tabs").get_by_text(tab).click()
        expect(verdict).to_contain_text("c_nan: first NaN in step 6")
    page.get_by_test_id("debug-tabs").get_by_text("Watchpoints").click()
    expect(page.get_by_test_id("watch-hit")).to_have_count(1)
    page.get_by_test_id("watch-fold").click()
    expect(page.get_by_test_id("watch-hit").nth(5)).to_be_visible()
    verdict.get_by_role("button").click()
    expect(page.get_by_test_id("first-bad-head")).to_contain_text("step 6")


@pytest.mark.parametrize(
    ("run", "text"),
    [
        ("a_healthy", "a_healthy: no NaN and no Inf damages the training"),
        ("b_ended", "The training ended within step 6, after 1/ReLU."),
    ],
)
def test_a_chosen_run_has_its_own_verdict(context: BrowserContext, trainings: LiveViewer, run: str, text: str) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{trainings.port}/debugger?runs=all&debug={quote(json.dumps([run, '.']))}")
    expect(page.get_by_test_id("debug-verdict")).to_contain_text(text)
    expect(page.get_by_test_id("debug-source")).to_contain_text(run)
