# SPDX-License-Identifier: Apache-2.0
"""Profiles: overview, tables, and every gesture of the timeline."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from mindscope.profile.trace.json_trace import read_json_trace
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .patience import until

OpenAt = Callable[[str], Page]
STEP_US = 10_000
NAME = "host_1.1.pt.trace.json"


def write_trace(path: Path) -> None:
    """Three steps, each with a launch of a kernel that runs later, and one event without a duration."""
    where = {"pid": 1, "tid": 1}
    kernel = {"pid": 0, "tid": 7}
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", **where, "ts": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "process_name", **kernel, "ts": 0, "args": {"name": "GPU 0"}},
        {"ph": "X", "name": "no duration", **where, "ts": 5},
    ]
    for step in range(3):
        at = step * STEP_US
        slices: list[dict[str, Any]] = [
            {"name": f"ProfilerStep#{step}", "cat": "user_annotation", "ts": at, "dur": STEP_US, **where},
            {"name": "aten::linear", "cat": "cpu_op", "ts": at + 1000, "dur": 4000, **where},
            {"name": "aten::addmm", "cat": "cpu_op", "ts": at + 1500, "dur": 3000, **where,
             "args": {"Input Dims": [[32, 64]]}},
            {"name": "cudaLaunchKernel", "cat": "cuda_runtime", "ts": at + 2000, "dur": 500, **where,
             "args": {"correlation": step + 1}},
            {"name": "gemm", "cat": "kernel", "ts": at + 6000, "dur": 2500, **kernel,
             "args": {"correlation": step + 1, "stream": 7}},
        ]  # fmt: skip
        events += [{"ph": "X", **each} for each in slices]
        arrow = {"name": "ac2g", "cat": "ac2g", "id": step + 1}
        events.append({"ph": "s", **arrow, **where, "ts": at + 2000})
        events.append({"ph": "f", "bp": "e", **arrow, **kernel, "ts": at + 6000})
        events.append({"ph": "C", "name": "queue", **where, "ts": at + 2000, "args": {"length": step}})
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("profiles")
    write_trace(base / "run" / NAME)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: any(run["contents"] for run in live.runs().values()))
        yield live


@pytest.fixture
def open_at(context: BrowserContext, profiles: LiveViewer) -> OpenAt:
    def open_page(query: str) -> Page:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{profiles.port}/profile?{query}")
        return page

    return open_page


def address(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def shown_range(page: Page) -> tuple[int, int]:
    begin, end = address(page)["timeline"][0].split("~")
    return int(begin), int(end)


def test_overview_says_where_the_time_goes(open_at: OpenAt) -> None:
    page = open_at("")
    expect(page.get_by_test_id("profile-overview")).to_contain_text("10.00\u2009ms")
    expect(page.get_by_test_id("profile-overview")).to_contain_text("profile_memory=True")
    expect(page.get_by_test_id("profile-skipped")).to_contain_text("1 without a duration")
    with page.expect_download() as saved:
        page.get_by_test_id("save-view").click()
    text = saved.value.path().read_text()
    view = json.loads(re.search(r'id="values">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    titles = [card["title"] for card in view["cards"]]
    assert titles[:5] == ["Figures", "Advice", "Time of each step", "Top operators by self time", "Top kernels by time"]
    assert "profile_memory=True" in text
    tabs = page.get_by_test_id("profile-tabs").locator("label")
    expect(tabs).to_have_text(["Overview", "Operators", "Modules", "Timeline", "Memory", "Compare"])
    page.get_by_test_id("steps-table").locator("[data-key] button").first.click()
    page.get_by_test_id("open-step").click()
    expect(page.get_by_test_id("timeline-tracks")).to_be_visible()
    until(page, lambda: "timeline" in address(page))
    begin, end = shown_range(page)
    assert end - begin < 1.1e7


def test_types_lead_to_operators_kernels_and_back(open_at: OpenAt) -> None:
    page = open_at("profile_tab=operators")
    table, path, details = (page.get_by_test_id(f"profile-{each}") for each in ("table", "path", "row"))
    table.get_by_role("button", name="addmm", exact=True).click()
    expect(path).to_have_text("All operators Type: addmm")
    table.get_by_role("button", name="aten::addmm", exact=True).click()
    expect(path).to_have_text("All operators Type: addmm Name: aten::addmm")

    def is_row_open() -> bool:
        """The table before, which has a button of the same name, may still be there."""
        if not details.is_visible():
            table.get_by_role("button", name="aten::addmm", exact=True).click()
        return details.is_visible()

    until(page, is_row_open)
    expect(details).to_contain_text("[[32,64]]")
    page.reload()
    details.get_by_test_id("profile-related").get_by_role("button", name="gemm").click()
    expect(path).to_have_text("All kernels Operator: aten::addmm Name: gemm")
    table.get_by_role("button", name="gemm").click()
    details.get_by_test_id("profile-related").get_by_role("button", name="aten::addmm").click()
    expect(path).to_have_text("All operators Name: aten::addmm")
    path.get_by_role("button", name="All operators").click()
    expect(table.get_by_role("button", name="aten::linear")).to_be_visible()
    until(page, lambda: address(page).get("rows_group") == ["name"])


def test_rows_are_sorted_filtered_saved_and_found_in_the_timeline(open_at: OpenAt) -> None:
    page = open_at("profile_tab=operators&rows_group=name")
    table = page.get_by_test_id("profile-table")
    names = table.get_by_role("rowheader")
    expect(names.first).to_contain_text("aten::addmm")
    page.get_by_role("columnheader", name="Name").get_by_role("button").first.click()
    expect(names.first).to_contain_text("aten::addmm")
    page.get_by_role("columnheader", name="Name").get_by_role("button").first.click()
    expect(names.first).to_contain_text("aten::linear")
    until(page, lambda: address(page).get("rows_sort") == ["-name"])
    page.get_by_test_id("profile-filter").fill("addm")
    expect(names).to_have_count(1)
    page.get_by_test_id("profile-save").click()
    with page.expect_download() as saved:
        page.get_by_test_id("profile-save-csv").click()
    assert "aten::addmm" in saved.value.path().read_text()
    table.get_by_test_id("profile-row-details").click()
    page.get_by_test_id("profile-row-find").click()
    expect(page.get_by_test_id("slice-search")).to_have_value("^aten::addmm$")


def test_keys_wheel_and_drag_move_the_range(open_at: OpenAt) -> None:
    page = open_at("profile_tab=timeline")
    tracks = page.get_by_test_id("timeline-tracks")
    expect(tracks.locator("xpath=..")).not_to_contain_text("Loading")
    page.get_by_test_id("timeline").focus()
    for key in "www":
        page.keyboard.press(key)
    page.wait_for_url("**timeline=**")
    zoomed = shown_range(page)
    page.keyboard.press("d")
    until(page, lambda: shown_range(page)[0] > zoomed[0])
    moved = shown_range(page)
    box = tracks.bounding_box()
    assert box
    page.mouse.move(box["x"] + 300, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 60, steps=4)
    page.mouse.up()
    until(page, lambda: shown_range(page)[0] < moved[0])
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    until(page, lambda: shown_range(page)[1] - shown_range(page)[0] < moved[1] - moved[0])
    page.keyboard.press("0")
    until(page, lambda: "timeline" not in address(page))


def test_search_walks_through_slices_and_shows_their_details(open_at: OpenAt) -> None:
    page = open_at("profile_tab=timeline")
    search = page.get_by_test_id("slice-search")
    search.fill("Launch")
    expect(page.get_by_test_id("slice-next")).to_be_enabled()
    search.press("Enter")
    details = page.get_by_test_id("slice-details")
    expect(details).to_contain_text("cudaLaunchKernel")
    expect(details).to_contain_text("correlation")
    expect(details.get_by_role("button", name="aten::addmm")).to_be_visible()
    until(page, lambda: "timeline_slice" in address(page))
    first = address(page)["timeline_slice"]
    page.get_by_test_id("slice-next").click()
    until(page, lambda: address(page).get("timeline_slice") != first)
    page.get_by_test_id("slice-previous").click()
    until(page, lambda: address(page).get("timeline_slice") == first)
    details.get_by_role("button", name="gemm").click()
    expect(details.locator("h2")).to_have_text("gemm")
    expect(details).to_contain_text("3.500\u2009ms later")


def test_a_box_has_statistics_a_flame_graph_and_an_export(open_at: OpenAt) -> None:
    page = open_at("profile_tab=timeline")
    tracks = page.get_by_test_id("timeline-tracks")
    expect(page.get_by_test_id("timeline-process")).to_have_count(2)
    expect(tracks.locator("xpath=..")).not_to_contain_text("Loading")
    box = tracks.bounding_box()
    assert box
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 20, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + 150, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    statistics = page.get_by_test_id("range-statistics")
    expect(statistics.locator("[data-key]").filter(has_text="gemm")).to_contain_text("2.500\u2009ms")
    until(page, lambda: "timeline_area" in address(page))
    page.get_by_test_id("timeline-export").click()
    with page.expect_download() as saved:
        page.get_by_test_id("timeline-export-trace").click()
    trace = read_json_trace(saved.value.path())
    assert "gemm" in trace.names
    assert len(trace.slices) < 15
    page.get_by_test_id("timeline-panels").get_by_text("Flame graph").click()
    expect(page.get_by_test_id("flame")).to_be_visible()


def test_a_link_shows_the_same_view(open_at: OpenAt) -> None:
    page = open_at("profile_tab=timeline&timeline=0~9000000&timeline_closed=p0&timeline_slice=0")
    expect(page.get_by_test_id("slice-details")).to_be_visible()
    expect(page.get_by_test_id("timeline-process").first).to_have_attribute("aria-expanded", "false")
    page.get_by_test_id("timeline-process").first.click()
    expect(page.get_by_test_id("timeline-process").first).to_have_attribute("aria-expanded", "true")
    assert shown_range(page) == (0, 9_000_000)
