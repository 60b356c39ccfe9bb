# SPDX-License-Identifier: Apache-2.0
"""Profiles that appear, grow and are replaced while the page shows them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.server.live_viewer import LiveViewer, eventually, running_viewer

FIRST, SECOND = "host_1.1.pt.trace.json", "host_1.2.pt.trace.json"
PER_STEP = 40


@pytest.fixture
def profiled(tmp_path: Path) -> Iterator[tuple[LiveViewer, Path]]:
    """A viewer that only notifications lead to new data."""
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    (run / FIRST).write_text(trace(1, "aten::linear"))
    with running_viewer(tmp_path / "logs", tmp_path / "viewer", "--reload-interval", "3600") as live:
        eventually(lambda: any(each["contents"] for each in live.runs().values()))
        yield live, run


def trace(steps: int, operator: str) -> str:
    events: list[dict[str, Any]] = []
    for step in range(steps):
        where = {"ph": "X", "pid": 1, "tid": 1}
        events.append(
            {**where, "name": f"ProfilerStep#{step}", "cat": "user_annotation", "ts": 1000 * step, "dur": 1000}
        )
        events += [
            {**where, "name": f"{operator}_{call}", "cat": "cpu_op", "ts": 1000 * step + 20 * call, "dur": 10}
            for call in range(PER_STEP)
        ]
    return json.dumps({"schemaVersion": 1, "traceEvents": events})


def test_a_growing_profile_is_read_again_by_itself(context: BrowserContext, profiled: tuple[LiveViewer, Path]) -> None:
    live, run = profiled
    page = context.new_page()
    chosen = json.dumps(["run", FIRST])
    page.goto(
        f"http://127.0.0.1:{live.port}/profile?profile={chosen}&profile_tab=operators&rows_group=name&rows_sort=-name"
    )
    names = page.get_by_test_id("profile-table").get_by_role("rowheader")
    profiles = page.get_by_test_id("profile-choose").locator("option")
    expect(names.first).to_contain_text(f"aten::linear_{PER_STEP - 1}")
    expect(profiles).to_have_count(1)

    text = trace(2, "aten::conv2d")
    (run / SECOND).write_text(text)
    expect(profiles).to_have_count(2)

    (run / "new").write_text(text)
    (run / "new").replace(run / FIRST)
    expect(names.first).to_contain_text(f"aten::conv2d_{PER_STEP - 1}")

    half = len(text) // 4
    (run / FIRST).write_text(text[:half])
    expect(page.get_by_test_id("profiling")).to_contain_text("conv2d")
    expect(names.first).not_to_contain_text(f"aten::conv2d_{PER_STEP - 1}")
    with (run / FIRST).open("a") as file:
        file.write(text[half:])
    expect(names.first).to_contain_text(f"aten::conv2d_{PER_STEP - 1}")
    page.get_by_test_id("profile-tabs").get_by_text("Overview").click()
    expect(page.get_by_test_id("steps-table").locator("[data-key]")).to_have_count(2)
    (run / "new").write_text(trace(3, "aten::conv2d"))
    (run / "new").replace(run / FIRST)
    expect(page.get_by_test_id("steps-table").locator("[data-key]")).to_have_count(3)
