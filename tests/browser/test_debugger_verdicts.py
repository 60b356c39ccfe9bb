# SPDX-License-Identifier: Apache-2.0
"""The findings: why a training failed, that another one is healthy, and the ways that lead there."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from mindscope import SummaryRecord
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .debugged_trainings import break_bias, fail_in_forward, train


@pytest.fixture(scope="module")
def trainings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("judged")
    train(base / "a_healthy")
    with pytest.raises(RuntimeError, match="out of memory"):
        train(base / "b_ended", fail_in_forward)
    train(base / "c_nan", break_bias)
    with SummaryRecord(base / "d_failed") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(7)
    try:
        {}["rate"]
    except KeyError:
        (base / "d_failed" / "train.log").write_text(f"step 7\n{traceback.format_exc()}")
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) == 4)
        yield live


def opened(context: BrowserContext, viewer: LiveViewer, query: str) -> Page:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{viewer.port}/{query}")
    return page


ROOM = """([article, save]) => {
  const first = article.firstElementChild;
  const end = first.getBoundingClientRect().right - parseFloat(getComputedStyle(first).paddingRight);
  return save.getBoundingClientRect().left - end;
}"""
"""Pixels between the first text and the buttons beside it."""


@pytest.mark.parametrize("query", ["run=d_failed", "run=a_healthy", "run=a_healthy&run=c_nan"])
def test_on_a_phone_the_first_text_is_beside_the_buttons(
    context: BrowserContext, trainings: LiveViewer, query: str
) -> None:
    page = opened(context, trainings, f"debugger?{query}")
    page.set_viewport_size({"width": 390, "height": 844})
    findings = page.get_by_test_id("findings")
    expect(findings.get_by_test_id("findings-looked")).to_be_visible()
    parts = [findings.locator("> article").element_handle(), findings.get_by_test_id("save-view").element_handle()]
    assert page.evaluate(ROOM, parts) >= 0


def test_of_several_runs_the_one_with_nan_comes_first(context: BrowserContext, trainings: LiveViewer) -> None:
    page = opened(context, trainings, "debugger?run=a_healthy&run=b_ended&run=c_nan")
    expect(page.get_by_test_id("findings-count")).to_have_text("1 of 3 runs has NaN")
    expect(page.get_by_test_id("debug-source")).to_contain_text("c_nan")
    expect(page.get_by_test_id("first-bad-head")).to_contain_text("step 6")
    expect(page.get_by_test_id("watch-hit")).to_have_count(1)
    page.get_by_test_id("watch-fold").click()
    expect(page.get_by_test_id("watch-hit").nth(5)).to_be_visible()
    expect(page.get_by_test_id("findings-none")).to_have_count(0)


@pytest.mark.parametrize(
    ("run", "text", "is_healthy"),
    [
        ("a_healthy", "no NaN and no Inf damages the training", True),
        ("b_ended", "The training ended within step 6, after 1/ReLU.", False),
    ],
)
def test_a_chosen_run_has_its_own_findings(
    context: BrowserContext, trainings: LiveViewer, run: str, text: str, is_healthy: bool
) -> None:
    page = opened(context, trainings, f"debugger?runs=all&debug={quote(json.dumps([run, '.']))}")
    expect(page.get_by_test_id("findings")).to_contain_text(text)
    expect(page.get_by_test_id("findings-looked")).to_contain_text("10 watchpoints: no hits")
    expect(page.get_by_test_id("findings-none")).to_have_count(int(is_healthy))
    expect(page.get_by_test_id("debug-source")).to_contain_text(run)


def test_a_failed_run_leads_to_its_findings_from_the_list_and_the_bell(
    context: BrowserContext, trainings: LiveViewer
) -> None:
    page = opened(context, trainings, "runs")
    mark = page.get_by_test_id("state-failed")
    expect(mark).to_have_count(1, timeout=15_000)
    mark.click()
    head = page.get_by_test_id("crash-head")
    expect(head).to_have_text("The training failed: KeyError: 'rate'")
    expect(page.get_by_test_id("crash-before")).to_have_text("step 7")
    expect(page.get_by_test_id("findings-looked")).to_contain_text("Statistics of tensors were not recorded")
    page.get_by_test_id("crash-logs").click()
    expect(page.get_by_test_id("log-details")).to_contain_text("KeyError: 'rate'")

    page = opened(context, trainings, "scalars?run=a_healthy")
    page.get_by_test_id("alerts").click()
    alert = page.locator("[data-testid=alert][data-rule=failed]")
    expect(alert.get_by_test_id("alert-error")).to_have_text("KeyError: 'rate'")
    alert.get_by_role("button").first.click()
    expect(page.get_by_test_id("crash-head")).to_be_visible()
