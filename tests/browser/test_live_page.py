# SPDX-License-Identifier: Apache-2.0
"""A page that is open while a training goes on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.server.live_viewer import DEADLINE_S, GrowingLog, LiveViewer, eventually, running_viewer, unpack

from .patience import body, until
from .scalars_page import card, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
TRAINING = """
import sys
import mindscope

with mindscope.SummaryRecord(sys.argv[1]) as record:
    for line in sys.stdin:
        step, value = line.split()
        record.add_value("scalar", "loss", float(value))
        record.record(int(step))
        record.flush()
"""


class Training:
    """A training in another process that records what it is told."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def record(self, step: int, value: float) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{step} {value}\n")
        self._process.stdin.flush()


@contextmanager
def training(run: Path) -> Iterator[Training]:
    with subprocess.Popen([sys.executable, "-c", TRAINING, str(run)], stdin=subprocess.PIPE, text=True) as process:
        yield Training(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(DEADLINE_S) == 0


def test_a_new_point_appears_without_a_reload(tmp_path: Path, open_page: OpenPage):
    (tmp_path / "logs").mkdir()
    with running_viewer(tmp_path / "logs", tmp_path) as live, training(tmp_path / "logs" / "run") as run:
        run.record(1, 0.125)
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        page = open_page(live, "/scalars")
        expect(card(page, "loss")).to_contain_text("0.125")
        page.evaluate("window.sameDocument = true")
        for step, value in ((2, 0.25), (3, 0.375)):
            run.record(step, value)
            expect(card(page, "loss")).to_contain_text(str(value))
        assert page.evaluate("window.sameDocument")
        wait_until_drawn(card(page, "loss"))


def test_a_new_run_and_a_new_tag_appear_by_themselves(tmp_path: Path, open_page: OpenPage):
    first, old = (GrowingLog(tmp_path / "logs" / name) for name in ("first", "old"))
    for log in (first, old):
        log.scalar(1, 1.0)
    os.utime(old.path, (1.0, 1.0))
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 2 and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/scalars")
        expect(page.get_by_test_id("card")).to_have_count(1)
        GrowingLog(tmp_path / "logs" / "second").scalar(1, 2.0)
        expect(page.get_by_test_id("run-list").locator('[data-run="second"]')).to_be_visible()
        with page.expect_request_finished(lambda one: "/api/runs" in one.url and b'"first"' in body(one)) as found:
            first.scalar(2, 0.5, "accuracy")
        expect(card(page, "accuracy")).to_be_visible()
        answer = json.loads(body(found.value))
        assert not answer["is_whole"]
        assert "old" not in {run["id"] for run in answer["runs"]}


def sent(asked: Request) -> dict[str, Any]:
    """What the answer says of its only curve."""
    return unpack(body(asked)).header["series"][0]


def test_a_page_asks_only_for_the_rows_that_it_lacks(tmp_path: Path, open_page: OpenPage):
    log = GrowingLog(tmp_path / "logs" / "run")
    for step in range(500):
        log.scalar(step, step % 5)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("last_step") == 499)
        page = open_page(live, "/scalars")
        expect(card(page, "loss")).to_contain_text("4")
        wait_until_drawn(card(page, "loss"))
        with page.expect_request_finished(
            lambda asked: "/api/curves" in asked.url and sent(asked)["returned"] == 501
        ) as found:
            log.scalar(500, 0.375)
        curve = sent(found.value)
        assert (curve["kept"], curve["columns"]["value"]["length"]) == (500, 1)
        expect(card(page, "loss")).to_contain_text("0.375")
        wait_until_drawn(card(page, "loss"))


def test_a_run_that_grows_says_so_and_a_paused_page_waits(tmp_path: Path, open_page: OpenPage):
    log = GrowingLog(tmp_path / "logs" / "run")
    log.scalar(1, 0.125)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        page = open_page(live, "/scalars")
        indicator = page.get_by_test_id("live")
        expect(indicator).to_have_attribute("data-state", "live")
        expect(indicator).to_have_accessible_name(re.compile("^Live .* click to pause$"))
        expect(card(page, "loss")).to_contain_text("0.125")
        indicator.click()
        expect(indicator).to_have_attribute("data-state", "paused")
        log.scalar(2, 0.75)
        eventually(lambda: live.runs()["run"]["last_step"] == 2)
        expect(card(page, "loss")).to_contain_text("0.125")
        indicator.click()
        expect(card(page, "loss")).to_contain_text("0.75")


def test_without_reloading_the_page_says_that_it_is_loaded_once(tmp_path: Path, open_page: OpenPage):
    GrowingLog(tmp_path / "logs" / "run").scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path, "--reload-interval", "0") as live:
        page = open_page(live, "/")
        expect(page.get_by_test_id("live")).to_have_attribute("data-state", "once")


def test_a_viewer_that_comes_back_is_followed_again(tmp_path: Path, open_page: OpenPage, complaints: list[str]):
    log = GrowingLog(tmp_path / "logs" / "run")
    log.scalar(1, 0.125)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        page = open_page(live, "/scalars?group=directory")
        expect(card(page, "loss")).to_contain_text("0.125")
        color = page.get_by_test_id("run-list").get_by_role("button", name="Color of /", exact=True)
        color.click()
        page.get_by_role("button", name="Color 7").click()
        eventually(lambda: live.http.get("/api/annotations").json()["groups"].get("/", {}).get("color") == "6")
    expect(page.get_by_test_id("disconnected")).to_contain_text("mindscope start")
    log.scalar(2, 0.75)
    with running_viewer(tmp_path / "logs", tmp_path, port=live.port):
        expect(card(page, "loss")).to_contain_text("0.75")
        expect(page.get_by_test_id("disconnected")).to_have_count(0)
        page.evaluate("localStorage.clear()")
        page.reload()
        expect(color).to_have_attribute("style", re.compile(r"var\(--series-6\)"))
    complaints[:] = [text for text in complaints if "net::ERR_" not in text]


SHOW = """hidden => {
    Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_hidden_page_leaves_the_stream_and_is_up_to_date_when_shown(
    tmp_path: Path, context: BrowserContext, open_page: OpenPage
):
    (tmp_path / "logs").mkdir()
    with running_viewer(tmp_path / "logs", tmp_path) as live, training(tmp_path / "logs" / "run") as run:
        run.record(1, 0.125)
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        page = open_page(live, "/scalars")
        expect(card(page, "loss")).to_contain_text("0.125")
        expect(page.get_by_test_id("live")).to_have_attribute("data-state", "live")
        context.clock.install()
        page.evaluate(SHOW, True)
        page.clock.fast_forward(11_000)
        run.record(2, 0.75)
        eventually(lambda: live.runs()["run"]["last_step"] == 2)
        expect(card(page, "loss")).to_contain_text("0.125")
        page.evaluate(SHOW, False)
        expect(card(page, "loss")).to_contain_text("0.75")
        assert live.requests().count("GET /api/live") == 2


def test_the_page_reads_once_more_after_it_listens_so_that_no_change_is_missed(tmp_path: Path, open_page: OpenPage):
    GrowingLog(tmp_path / "logs" / "run").scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        page = open_page(live, "/")
        expect(page.get_by_test_id("runs-table")).to_be_visible()

        def asked() -> list[str]:
            return [address.partition("?")[0] for address in live.requests()]

        until(page, lambda: "GET /api/live" in asked())
        until(page, lambda: "GET /api/runs" in asked()[asked().index("GET /api/live") :])
