# SPDX-License-Identifier: Apache-2.0
"""Step trace, data pipeline and memory of profiles: what a user does on each tab."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.profile.formats.test_memory_snapshot import MB, entry
from tests.server.live_viewer import LiveViewer, eventually, running_viewer
from tests.server.test_profile_steps import write as write_steps

from .patience import until

OpenAt = Callable[[str, str], Page]
SNAPSHOT = "gpt.memory_snapshot.pickle"
TRACE = "host_1.1.pt.trace.json"
KEPT, BATCH = ({"filename": "/train/loop.py", "line": line, "name": name} for line, name in ((9, "keep"), (4, "batch")))


def write_snapshot(path: Path) -> None:
    """Each of 16 ms keeps 1 MiB and frees 4 MiB; two segments of 20 MiB."""
    entries: list[dict[str, Any]] = []
    for place in range(2):
        entries.append(entry("segment_alloc", (place + 1) << 32, 20 * MB, 0))
    for place in range(16):
        at = place * 1000 + 10
        entries.append(entry("alloc", (1 << 32) + place * MB, MB, at, frames=[KEPT]))
        entries.append(entry("alloc", 2 << 32, 4 * MB, at + 100, frames=[BATCH, KEPT]))
        entries.append(entry("free_requested", 2 << 32, 4 * MB, at + 600))
        entries.append(entry("free_completed", 2 << 32, 4 * MB, at + 600))
    kept = [{"address": (1 << 32) + place * MB, "size": MB, "state": "active_allocated"} for place in range(16)]
    segments = [
        {"device": 0, "address": (place + 1) << 32, "total_size": 20 * MB, "stream": 0, "blocks": blocks}
        for place, blocks in enumerate([kept, []])
    ]
    path.write_bytes(pickle.dumps({"segments": segments, "device_traces": [entries]}))


def write_trace(path: Path) -> None:
    """An operator that allocates, in a step."""
    where = {"ph": "X", "pid": 1, "tid": 1}
    memory = {"Device Type": 0, "Device Id": -1, "Addr": 64, "Bytes": 4096, "Total Allocated": 4096}
    events: list[dict[str, Any]] = [
        {**where, "name": "ProfilerStep#3", "cat": "user_annotation", "ts": 0, "dur": 900},
        {**where, "name": "aten::mm", "cat": "cpu_op", "ts": 100, "dur": 300},
        {"ph": "i", "name": "[memory]", "s": "t", "pid": 1, "tid": 1, "ts": 200, "args": memory},
    ]
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("profiles")
    (base / "run").mkdir()
    write_steps(base / "run")
    write_snapshot(base / "run" / SNAPSHOT)
    write_trace(base / "run" / TRACE)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: any(run["contents"] for run in live.runs().values()))
        yield live


@pytest.fixture
def open_at(context: BrowserContext, viewer: LiveViewer) -> OpenAt:
    def open_page(profile: str, query: str) -> Page:
        page = context.new_page()
        chosen = quote(json.dumps(["run", profile]))
        page.goto(f"http://127.0.0.1:{viewer.port}/profile?profile={chosen}&{query}")
        return page

    return open_page


def address(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_memory_of_a_moment(open_at: OpenAt) -> None:
    page = open_at(SNAPSHOT, "profile_tab=memory")
    sums = page.get_by_test_id("memory-sums")
    expect(sums).to_contain_text("17 blocks of 20.0 MiB")  # the peak
    page.get_by_test_id("memory-groups").get_by_role("button", name="loop.py(9): keep").click()
    expect(page.get_by_test_id("memory-blocks").locator("tbody tr")).to_have_count(16)
    chart = page.get_by_test_id("memory-chart")
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": 80, "y": 60})
    expect(sums).to_contain_text("blocks of")
    expect(sums).not_to_contain_text("17 blocks")
    until(page, lambda: "memory_at" in address(page))
    chosen = address(page)["memory_at"]
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 50, box["y"] + 60)
    page.mouse.up()
    page.get_by_role("button", name="Show all of the time").click()
    until(page, lambda: address(page).get("memory_at") == chosen)
    page.get_by_test_id("memory-peak").click()
    expect(sums).to_contain_text("17 blocks")
    page.get_by_test_id("memory-panels").get_by_text("Fragmentation").click()
    expect(page.get_by_test_id("segment-figures")).to_contain_text("20.0 MiB · 50.0 %")
    page.get_by_test_id("segment-map").click(position={"x": 80, "y": 12})
    expect(page.get_by_test_id("memory-block")).to_contain_text("/train/loop.py(9): keep")
    page.get_by_test_id("memory-panels").get_by_text("Leak hints (1)").click()
    expect(page.get_by_test_id("memory-leaks")).to_contain_text("loop.py(9): keep")


def test_a_block_opens_its_operator_in_the_timeline(open_at: OpenAt) -> None:
    page = open_at(TRACE, "profile_tab=memory")
    page.get_by_test_id("memory-blocks").locator("tbody tr").first.click()
    page.get_by_test_id("memory-open").click()
    expect(page.get_by_test_id("slice-details")).to_contain_text("aten::mm")


def test_a_slow_step_opens_as_lanes_and_in_the_timeline(open_at: OpenAt) -> None:
    page = open_at("profiler", "profile_tab=steps")
    page.get_by_test_id("steps-table").get_by_role("button", name="2", exact=True).click()
    expect(page.get_by_test_id("one-step")).to_contain_text("15.00\u2009µs")
    expect(page.get_by_test_id("one-step")).to_contain_text("520")
    until(page, lambda: address(page).get("profile_step") == ["2"])
    page.get_by_test_id("step-lines-legend").get_by_role("button", name="Compute").click()
    until(page, lambda: "profile_hidden" in address(page))
    assert "compute" not in address(page)["profile_hidden"][0]
    page.get_by_test_id("open-step").click()
    until(page, lambda: address(page).get("profile_tab") == ["timeline"])


def test_a_pipeline_says_which_operation_is_slow(open_at: OpenAt) -> None:
    page = open_at("profiler", "profile_tab=pipeline")
    operations = page.get_by_test_id("pipeline-operations")
    expect(operations.locator("tr.slow")).to_contain_text("BatchOp_1")
    expect(operations.locator("tr.slow")).to_contain_text("prefetch_size")
    expect(page.get_by_test_id("queue-chart")).to_contain_text("empty in 1 of 3 samples")
    operations.get_by_role("button", name="MapOp_2").click()
    expect(page.get_by_text("Output queue of MapOp_2")).to_be_visible()
    until(page, lambda: address(page).get("profile_operation") == ["MapOp_2"])


def test_what_is_missing_has_its_line_of_code(open_at: OpenAt) -> None:
    page = open_at("profiler", "profile_tab=memory")
    expect(page.get_by_test_id("empty")).to_contain_text("Profiler(profile_memory=True)")
    page.get_by_test_id("profile-pipeline").click()
    expect(page.get_by_test_id("pipeline")).to_be_visible()
