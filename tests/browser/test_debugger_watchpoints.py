# SPDX-License-Identifier: Apache-2.0
"""Watchpoints of the findings over real trainings: recommended ones, own ones, links, the address, a live training."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from mindscope.debug.watchpoints.recommended import RECOMMENDED
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .debugged_trainings import kill_units, train


@pytest.fixture(scope="module")
def trainings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("debugged")
    train(base / "dead", kill_units)
    train(base / "healthy")
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) == 2)
        yield live


def opened(context: BrowserContext, viewer: LiveViewer, run: str, more: str = "") -> Page:
    page = context.new_page()
    source = quote(json.dumps([run, "."]))
    page.goto(f"http://127.0.0.1:{viewer.port}/debugger?runs=all&debug_tab=watchpoints&debug={source}{more}")
    return page


def watchpoints(page: Page) -> None:
    """Opens the panel of watchpoints."""
    page.get_by_test_id("watch-open").click()


def closed(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("watch-panel")).to_have_count(0)


def test_recommended_watchpoints_find_a_dead_relu_and_lead_to_its_tensor(
    context: BrowserContext, trainings: LiveViewer
) -> None:
    page = opened(context, trainings, "dead")
    watchpoints(page)
    expect(page.get_by_test_id("watch-on")).to_have_count(len(RECOMMENDED))
    assert all(each.is_checked() for each in page.get_by_test_id("watch-on").all())
    dead = page.locator("[data-testid=watchpoint][data-text=dead_relu]")
    expect(dead.get_by_test_id("watch-hits")).to_have_text("5")
    closed(page)
    hit = page.get_by_test_id("watch-hit").filter(has_text="ReLU is dead")
    expect(hit).to_contain_text("100")
    expect(hit).to_contain_text("> 99.9")
    hit.get_by_role("button", name="1/ReLU · output 0").click()
    expect(page.get_by_test_id("debug-tensor")).to_contain_text("1/ReLU")
    expect(page.get_by_test_id("debug-at-step")).to_have_text("Step 8")


def test_a_healthy_training_is_quiet(context: BrowserContext, trainings: LiveViewer) -> None:
    page = opened(context, trainings, "healthy")
    expect(page.get_by_test_id("findings-none")).to_have_text("No problem found")
    expect(page.get_by_test_id("findings-looked")).to_contain_text("12 steps of")
    expect(page.get_by_test_id("findings-looked")).to_contain_text(f"{len(RECOMMENDED)} watchpoints: no hits")
    expect(page.get_by_test_id("watch-total")).to_have_text("0 hits")


def test_watchpoints_are_switched_added_edited_and_removed_and_the_address_keeps_them(
    context: BrowserContext, trainings: LiveViewer
) -> None:
    page = opened(context, trainings, "healthy")
    watchpoints(page)
    page.get_by_test_id("watch-on").first.uncheck()
    page.get_by_test_id("watch-add").click()
    form = page.get_by_test_id("watch-form")
    expect(form.get_by_test_id("watch-save")).to_be_disabled()
    form.get_by_test_id("watch-max_gt").fill("no number")
    expect(form).to_contain_text("Want a number")
    expect(form.get_by_test_id("watch-save")).to_be_disabled()
    form.get_by_test_id("watch-max_gt").fill("0")
    form.get_by_test_id("watch-patterns").fill("1, 2.bias")
    form.get_by_test_id("watch-save").click()
    own = page.locator("[data-testid=watchpoint]").last
    expect(own).to_have_attribute("data-text", "tensor_too_large max_gt=0 @ 1,2.bias")
    expect(own.get_by_test_id("watch-hits")).not_to_have_text("0")
    expect(page.get_by_test_id("watch-hit").first).to_contain_text("Max > 0")
    closed(page)
    page.get_by_test_id("watch-by").get_by_text("Step").click()
    expect(page.get_by_test_id("watch-table").locator("tr.step").first).to_have_text("Step 1")

    page.reload()  # the address says all of it
    expect(page.get_by_test_id("watch-table").locator("tr.step").first).to_have_text("Step 1")
    watchpoints(page)
    expect(page.get_by_test_id("watch-on").first).not_to_be_checked()
    own.hover()
    own.get_by_test_id("watch-edit").click()
    expect(form.get_by_test_id("watch-max_gt")).to_have_value("0")
    form.get_by_test_id("watch-for").fill("20")
    form.get_by_test_id("watch-save").click()
    expect(own).to_have_attribute("data-text", "tensor_too_large max_gt=0 for 20 @ 1,2.bias")
    expect(own).to_contain_text("for 20 consecutive steps")
    own.hover()
    own.get_by_test_id("watch-remove").click()
    expect(page.get_by_test_id("watchpoint")).to_have_count(len(RECOMMENDED))
    page.get_by_test_id("watch-reset").click()
    expect(page.get_by_test_id("watch-on").first).to_be_checked()
    expect(page).not_to_have_url(re.compile("watchpoint="))


def test_hits_of_one_watchpoint_and_the_ways_from_a_hit(context: BrowserContext, trainings: LiveViewer) -> None:
    page = opened(context, trainings, "dead")
    watchpoints(page)
    page.locator("[data-testid=watchpoint][data-text=vanishing_gradients]").get_by_role(
        "button", name="Gradients vanish"
    ).first.click()
    closed(page)
    expect(page.get_by_test_id("watch-total")).to_contain_text("Gradients vanish: 10 hits")
    expect(page.get_by_test_id("watch-hit")).to_have_count(2)
    page.get_by_test_id("watch-ways").first.click()
    page.get_by_test_id("watch-ways-curves").click()
    expect(page.get_by_test_id("marked-step")).to_contain_text("Step 8")
    page.go_back()
    page.get_by_test_id("watch-ways").first.click()
    page.get_by_test_id("watch-ways-heat").click()
    expect(page.get_by_test_id("debug-figure")).to_have_value("mean_abs")
    page.get_by_test_id("debug-tabs").get_by_text("Findings").click()
    page.get_by_test_id("watch-all").click()
    expect(page.get_by_test_id("watch-total")).to_have_text("20 hits")


def test_new_hits_appear_while_a_training_records(context: BrowserContext, tmp_path: Path) -> None:
    going_on, logs = threading.Event(), tmp_path / "logs"
    reached = threading.Event()

    def pause(step: int) -> None:
        if step == 5:
            reached.set()
            assert going_on.wait(60)

    logs.mkdir()
    training = threading.Thread(target=train, args=(logs / "run", kill_units, range(1, 13), pause))
    training.start()
    assert reached.wait(60)
    with running_viewer(logs, tmp_path / "viewer") as viewer:
        eventually(lambda: len(viewer.runs()) == 1)
        page = opened(context, viewer, "run")
        expect(page.get_by_test_id("watch-total")).to_have_text("0 hits")
        going_on.set()
        expect(page.get_by_test_id("watch-hit").filter(has_text="ReLU is dead")).to_contain_text(
            "5 hits", timeout=15_000
        )
    training.join()
