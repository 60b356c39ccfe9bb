# SPDX-License-Identifier: Apache-2.0
"""The timeline by mouse, wheel, fingers and keys, over a trace of PyTorch; and one of a file that is being read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, FloatRect, Locator, Page, Position, Route, expect
from torch import nn, randn
from torch.optim import SGD

from mindscope.torch import Profiler
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .patience import until
from .test_profile_page import address, shown_range

ROW = 18
LARGE = "large.pt.trace.json.gz"
LARGE_MB = 1000


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A viewer over a training of three profiled steps, and a large trace that was not read yet."""
    base = tmp_path_factory.mktemp("profiled")
    network = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = SGD(network.parameters(), 0.01)
    with Profiler(output_path=str(base / "run"), with_stack=True, record_shapes=True) as profiler:
        for _ in range(3):
            network(randn(32, 64)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            profiler.step()
    (base / "large").mkdir()
    write_large(base / "large" / LARGE)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: sum(bool(run["contents"]) for run in live.runs().values()) == 2)
        yield live


def write_large(path: Path) -> None:
    """Two thousand calls, and then so many labels that reading takes seconds; compressed, they need little room."""
    calls = [{"ph": "X", "name": "aten::add", "pid": 1, "tid": 1, "ts": 10 * call, "dur": 8} for call in range(2000)]
    label = {"ph": "M", "name": "process_labels", "pid": 1, "args": {"labels": "x" * 1000}}
    begin = '{"schemaVersion": 1, "traceEvents": [\n' + ",\n".join(map(json.dumps, calls))
    megabyte = gzip.compress(((",\n" + json.dumps(label)) * 1000).encode(), 1)
    path.write_bytes(gzip.compress(begin.encode()) + megabyte * LARGE_MB + gzip.compress(b"]}"))


class Tracks:
    """The tracks of a timeline in a page, in which slices are found by their places on the screen."""

    def __init__(self, page: Page, live: LiveViewer) -> None:
        self.page, self.canvas = page, page.get_by_test_id("timeline-tracks")
        (entry,) = live.http.post("/api/profiles", json={"runs": ["run"]}).json()["profiles"]
        of = {"run": "run", "profile": entry["profile"]}
        self.facts: dict[str, Any] = {}

        def is_read() -> bool:
            self.facts = live.http.get("/api/profiles/timeline", params=of).json()["timeline"] or {}
            return bool(self.facts)

        eventually(is_read)
        self._of = {**of, "version": self.facts["version"]}
        self._live = live

    def slice(self, name: str, after_ns: int = -1) -> dict[str, Any]:
        """The first slice of this name that begins after a time."""
        names = self._live.http.get("/api/profiles/names", params=self._of).json()["names"]
        query = {**self._of, "names": [names.index(name)], "after_ns": after_ns}
        return self._live.http.post("/api/profiles/search", json=query).json()["found"]

    def range(self) -> tuple[float, float]:
        """What is shown, in nanoseconds."""
        if "timeline" in address(self.page):
            return shown_range(self.page)
        margin = self.facts["duration_ns"] * 0.01
        return -margin, self.facts["duration_ns"] + margin

    def place(self, of: dict[str, Any]) -> tuple[float, float]:
        """The middle of a slice on the canvas."""
        begin, end = self.range()
        track = next(each for each in self.facts["tracks"] if each["track"] == of["track"])
        name = self.page.get_by_test_id("timeline-track").filter(
            has_text="Steps" if track["is_steps"] else track["thread_name"]
        )
        top, left = box(name)["y"] - box(self.canvas)["y"], of["begin_ns"] + of["duration_ns"] / 2 - begin
        return left / (end - begin) * box(self.canvas)["width"], top + of["row"] * ROW + ROW / 2

    def position(self, of: dict[str, Any]) -> Position:
        """The middle of a slice, for clicks."""
        x, y = self.place(of)
        return {"x": x, "y": y}

    def move(self, x: float, y: float) -> None:
        """The mouse, to a place on the canvas."""
        self.page.mouse.move(box(self.canvas)["x"] + x, box(self.canvas)["y"] + y, steps=3)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.move(*start)
        self.page.mouse.down()
        self.move(*end)
        self.page.mouse.up()

    def wheel(self, x: float, y: float, key: str | None = None) -> None:
        """Turn the wheel up or down by ``y`` with a key."""
        self.move(x, 40)
        if key:
            self.page.keyboard.down(key)
        self.page.mouse.wheel(0, y)
        if key:
            self.page.keyboard.up(key)

    def until_range(self, holds: Callable[[float, float], bool]) -> tuple[float, float]:
        """Wait until the shown range fulfills a condition."""
        until(self.page, lambda: holds(*self.range()))
        return self.range()


def box(locator: Locator) -> FloatRect:
    found = locator.bounding_box()
    assert found
    return found


def test_the_mouse_and_fingers_choose_move_and_zoom(context: BrowserContext, profiled: LiveViewer) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{profiled.port}/profile?run=run&profile_tab=timeline")
    expect(page.get_by_test_id("timeline-track").first).to_be_visible()
    expect(page.get_by_text("Loading")).to_have_count(0)
    tracks = Tracks(page, profiled)
    step = tracks.slice("ProfilerStep#1")

    tracks.move(*tracks.place(step))
    expect(page.get_by_test_id("timeline-tip")).to_contain_text("ProfilerStep#1")
    tracks.canvas.click(position=tracks.position(step))
    details = page.get_by_test_id("slice-details")
    expect(details.locator("h2")).to_have_text("ProfilerStep#1")
    tracks.canvas.dblclick(position=tracks.position(step))
    low, high = step["begin_ns"], step["begin_ns"] + step["duration_ns"]
    begin, end = tracks.until_range(lambda begin, end: high - low <= end - begin < 1.5 * (high - low))
    assert begin < low < high < end

    backward = tracks.slice("aten::addmm", low)
    assert low < backward["begin_ns"] < high
    width = box(tracks.canvas)["width"]
    tracks.wheel(width / 4, -300, "Control")
    zoomed = tracks.until_range(lambda first, last: last - first < 0.7 * (end - begin))
    assert abs((zoomed[0] + (zoomed[1] - zoomed[0]) / 4) - (begin + (end - begin) / 4)) < 0.02 * (end - begin)
    tracks.wheel(width / 4, 100, "Shift")
    moved = tracks.until_range(lambda first, _: first > zoomed[0])
    assert moved[1] - moved[0] == pytest.approx(zoomed[1] - zoomed[0], abs=2)
    tracks.drag((200, 60), (400, 60))
    tracks.until_range(lambda first, _: first < moved[0])
    expect(details.locator("h2")).to_have_text("ProfilerStep#1")
    scroller = tracks.canvas.locator("xpath=ancestor::div[contains(@class, 'scroller')]")
    tracks.wheel(200, 100)
    until(page, lambda: scroller.evaluate("each => each.scrollTop") > 0)
    tracks.wheel(200, -1000)
    until(page, lambda: scroller.evaluate("each => each.scrollTop") == 0)

    ruler = page.get_by_test_id("timeline-ruler")
    ruler.click(position={"x": 8, "y": 12})
    begin, end = tracks.until_range(lambda first, _: first < 0)
    spread(page, tracks)
    tracks.until_range(lambda first, last: last - first < 0.7 * (end - begin))
    expect(details.locator("h2")).to_have_text("ProfilerStep#1")


def spread(page: Page, tracks: Tracks) -> None:
    """Two fingers move apart on the canvas."""
    session = page.context.new_cdp_session(page)
    left, top = box(tracks.canvas)["x"], box(tracks.canvas)["y"] + 60
    for kind, distance in [("touchStart", 60), ("touchMove", 90), ("touchMove", 120), ("touchEnd", 0)]:
        points = [{"x": left + 400 - distance, "y": top, "id": 1}, {"x": left + 400 + distance, "y": top, "id": 2}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points if distance else []})


def test_a_range_is_selected_fitted_cleared_searched_and_pictured(
    context: BrowserContext, profiled: LiveViewer, tmp_path: Path
) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{profiled.port}/profile?run=run&profile_tab=timeline")
    expect(page.get_by_test_id("timeline-track").first).to_be_visible()
    tracks = Tracks(page, profiled)
    ruler = page.get_by_test_id("timeline-ruler")
    left, top = box(ruler)["x"], box(ruler)["y"]
    page.mouse.move(left + 200, top + 55)
    page.mouse.down()
    page.mouse.move(left + 500, top + 55, steps=4)
    page.mouse.up()
    statistics = page.get_by_test_id("range-statistics")
    expect(statistics).to_be_visible()
    page.get_by_test_id("timeline").focus()
    page.keyboard.press("f")
    share = 1.02 / box(tracks.canvas)["width"] * tracks.facts["duration_ns"]
    begin, end = tracks.until_range(lambda first, last: last - first < 301 * share)
    assert end - begin == pytest.approx(300 * share, rel=0.01)
    page.keyboard.press("Escape")
    until(page, lambda: "timeline_area" not in address(page))
    page.keyboard.press("0")
    until(page, lambda: "timeline" not in address(page))

    search = page.get_by_test_id("slice-search")
    search.fill("^aten::(addmm|mm)$")
    page.get_by_role("toolbar").get_by_role("button", name="Regular expression").click()
    expect(page.get_by_test_id("slice-next")).to_be_enabled()
    found: list[str] = []
    for keys in ("Enter", "Enter", "Shift+Enter"):
        before = found[-1:]
        search.press(keys)
        until(page, lambda before=before: address(page).get("timeline_slice", before) != before)
        found += address(page)["timeline_slice"]
    assert found[0] == found[2] != found[1]
    expect(page.get_by_test_id("slice-details").locator("h2")).to_have_text("aten::addmm")

    page.get_by_test_id("timeline-export").click()
    with page.expect_download() as saved:
        page.get_by_test_id("timeline-export-png").click()
    saved.value.save_as(tmp_path / "timeline.png")
    picture = Image.open(tmp_path / "timeline.png", formats=["PNG"])
    assert picture.width > box(tracks.canvas)["width"]
    assert len(np.unique(np.asarray(picture.convert("L")))) > 20


class FirstPart:
    """Holds what a page requests of a timeline after a part of it arrived, until ``release``."""

    def __init__(self, page: Page) -> None:
        self._is_there = self._is_released = False
        self._held: list[Route] = []
        page.route("**/api/profiles/timeline?*", self._take)

    def release(self) -> None:
        self._is_released = True
        for route in self._held:
            route.continue_()

    def _take(self, route: Route) -> None:
        if self._is_there and not self._is_released:
            self._held.append(route)
            return
        answer = route.fetch()
        self._is_there = self._is_there or bool(answer.json()["progress"] and answer.json()["timeline"])
        route.fulfill(response=answer)


def test_a_large_trace_shows_what_is_read_of_it_so_far(context: BrowserContext, profiled: LiveViewer) -> None:
    page = context.new_page()
    first_part = FirstPart(page)
    page.goto(f"http://127.0.0.1:{profiled.port}/profile?run=large&profile_tab=timeline")
    partial = page.get_by_test_id("profile-partial")
    expect(partial).to_contain_text("MiB")
    expect(page.get_by_test_id("timeline-track")).to_be_visible()
    first_part.release()
    expect(partial).to_have_count(0)
    expect(page.get_by_role("main")).to_contain_text("000 slices")
