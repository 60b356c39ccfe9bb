# SPDX-License-Identifier: Apache-2.0
"""From a step of a curve to the profile that has it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import mindscope
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .scalars_page import full, wait_until_drawn

STEPS = 41
PROFILED = {"3": 19, "4": 20, "5": 21}
"""Marks of the profiler, and their steps of the training."""


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("profiled")
    with mindscope.SummaryRecord(base / "run") as record:
        for step in range(STEPS):
            record.add_value("scalar", "loss", 1 / (1 + step))
            record.record(step)
    write_trace(base / "run" / "host_1.1.pt.trace.json")
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: any(run["contents"] for run in live.runs().values()))
        yield live


def write_trace(path: Path) -> None:
    events: list[dict[str, Any]] = [
        {"ph": "X", "name": f"ProfilerStep#{mark}", "cat": "user_annotation", "pid": 1, "tid": 1,
         "ts": 1000 * int(mark), "dur": 1000}
        for mark in PROFILED
    ]  # fmt: skip
    path.write_text(json.dumps({"schemaVersion": 1, "mindscope": {"steps": PROFILED}, "traceEvents": events}))


def keep_tip_at(page: Page, step: int) -> None:
    place = full(page).get_by_test_id("plot-area").bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + place["width"] * step / (STEPS - 1), place["y"] + place["height"] / 2)
    expect(page.get_by_test_id("tip")).to_contain_text(str(step))
    page.mouse.down()
    page.mouse.up()


def test_a_step_of_a_curve_opens_its_profile(context: BrowserContext, profiled: LiveViewer) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{profiled.port}/scalars?runs=all&full=loss")
    wait_until_drawn(full(page))
    keep_tip_at(page, 30)
    expect(page.get_by_test_id("tip").get_by_role("button").first).to_be_visible()
    expect(page.get_by_test_id("tip-profile")).to_have_count(0)
    page.keyboard.press("Escape")
    keep_tip_at(page, 20)
    page.get_by_test_id("tip-profile").click()
    expect(page.get_by_test_id("one-step")).to_contain_text("20")


def test_profiled_steps_are_marked_and_lead_there_and_back(context: BrowserContext, profiled: LiveViewer) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{profiled.port}/scalars?runs=all")
    mark = page.get_by_test_id("profiled-mark")
    expect(mark).to_have_accessible_name("run: steps 19 to 21 are profiled in host_1.1.pt.trace.json")
    place, area = mark.bounding_box(), page.get_by_test_id("plot-area").bounding_box()
    assert place is not None
    assert area is not None
    middle = (place["x"] + place["width"] / 2 - area["x"]) / area["width"]
    assert middle == pytest.approx(20 / (STEPS - 1), abs=0.02)
    mark.click()
    expect(page.get_by_test_id("one-step")).to_contain_text("19")
    page.get_by_test_id("steps-table").get_by_role("button", name="20", exact=True).click()
    page.get_by_test_id("open-curves").click()
    expect(page.get_by_test_id("marked-step")).to_contain_text("Step 20")
    page.get_by_test_id("marked-step").get_by_role("button").click()
    expect(page.get_by_test_id("marked-step")).to_have_count(0)
