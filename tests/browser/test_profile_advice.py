# SPDX-License-Identifier: Apache-2.0
"""A row that advice rests on opens its tab with that row selected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.profile.advised_profiles import ASCEND, TRACE, advised_ascend, advised_trace
from tests.profile.kineto_events import Events
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .profile_tabs import at

OpenPage = Callable[[LiveViewer, str], Page]


@pytest.fixture(scope="module")
def advised(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("advised")
    (base / "run").mkdir()
    advised_trace(base / "run" / TRACE)
    advised_ascend(base / "run")
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: any(run["contents"] for run in live.runs().values()))
        yield live


def follow(page: Page, code: str, place: int = 0) -> str:
    """From the overview on, what the link says."""
    page.get_by_test_id("profile-tabs").get_by_text("Overview", exact=True).click()
    advice = page.locator(f"[data-code={code}]").last
    expect(advice).to_be_attached()
    if not advice.is_visible():
        page.locator("details", has=advice).locator("summary").click()
    link = advice.locator("> .rows button").nth(place)
    text = link.inner_text()
    link.click()
    return text


def test_rows_of_a_trace(open_page: OpenPage, advised: LiveViewer) -> None:
    page = open_page(advised, at("run", TRACE, "overview"))
    card = page.get_by_test_id("profile-cards").locator("> li").first
    expect(card).to_contain_text("87.3\u00a0% of the time: 7.87 × at most")
    expect(card.get_by_test_id("card-function")).to_contain_text("with_stack=True")
    assert follow(page, "synchronization") in ("aten::item", "aten::_local_scalar_dense")
    expect(page.get_by_test_id("profile-operators")).to_be_visible()
    expect(page.get_by_test_id("profile-row")).to_contain_text("aten::")
    name = follow(page, "pageable_copies")
    expect(page.get_by_test_id("profile-kernels")).to_be_visible()
    expect(page.get_by_test_id("profile-row")).to_contain_text(name)
    step = follow(page, "host_bound")
    expect(page.get_by_test_id("one-step")).to_contain_text(step.removeprefix("#"))
    assert follow(page, "memory_peak").startswith("GPU 0")
    expect(page.get_by_test_id("memory-moment")).to_have_text(re.compile(r"4\D415\D000"))
    follow(page, "leak")
    expect(page.get_by_test_id("memory-block")).to_contain_text("aten::mm")
    assert follow(page, "other_backend") == "gloo:all_reduce"
    expect(page.get_by_test_id("slice-details")).to_contain_text("gloo:all_reduce")
    assert follow(page, "short_kernels") == "GPU 0 stream 7"
    row = page.get_by_test_id("stream-table").locator("[aria-selected=true]")
    expect(row).to_contain_text("GPU 0 stream 7")
    expect(row).to_be_in_viewport()
    before = row.inner_text()
    page.get_by_test_id("kernel-wait").fill("1000")
    page.get_by_test_id("kernel-wait").press("Enter")
    expect(row).not_to_have_text(before)


def test_rows_of_an_ascend_profile(open_page: OpenPage, advised: LiveViewer) -> None:
    page = open_page(advised, at("run", ASCEND, "overview"))
    assert follow(page, "memory_calls") == "aclrtMalloc"
    row = page.get_by_test_id("further-table").locator("[aria-selected=true]")
    expect(row).to_contain_text("aclrtMalloc")
    expect(row).to_be_in_viewport()
    name = follow(page, "pipeline_reader")
    operations = page.get_by_test_id("pipeline-operations")
    expect(operations.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("/graph/dataset"))
    page.go_back()
    assert follow(page, "device_queue_empty", 1) == "#3"
    expect(page.get_by_test_id("pipeline")).to_be_visible()
    expect(page).to_have_url(re.compile("profile_step=3"))
    page.go_back()
    follow(page, "garbage_collection")
    expect(page.get_by_test_id("range-statistics")).to_contain_text("GC")


def test_a_profile_without_advice_uses_the_whole_width(tmp_path: Path, open_page: OpenPage) -> None:
    events = Events()
    for step in range(4):
        events.step(step, 1000 * step, 1000)
        events.op("aten::mm", 1000 * step + 10, 900)
    (tmp_path / "logs" / "run").mkdir(parents=True)
    events.write(tmp_path / "logs" / "run" / TRACE)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: any(run["contents"] for run in live.runs().values()))
        page = open_page(live, at("run", TRACE, "overview"))
        page.set_viewport_size({"width": 1440, "height": 900})
        expect(page.get_by_test_id("no-advice")).to_have_text("No rule found a problem.")
        expect(page.get_by_test_id("profile-cards")).to_have_count(0)
        parts, operators = (page.get_by_test_id(name).bounding_box() for name in ("step-parts", "top-operators"))
        assert parts
        assert operators
        assert parts["y"] == operators["y"]
        assert operators["x"] > parts["x"] + parts["width"]
