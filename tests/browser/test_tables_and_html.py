# SPDX-License-Identifier: Apache-2.0
"""Recorded tables and HTML pages: rows that a person looks for, two steps, and pages that can do no harm."""

from __future__ import annotations

import csv
import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mindscope import SummaryRecord
from tests.server.live_viewer import LiveViewer, running_viewer

from .scalars_page import expect_view

OpenPage = Callable[[LiveViewer, str], Page]

HOSTILE = """<!doctype html><html><head><title>calm</title>
<meta http-equiv="refresh" content="0; url=http://{host}/refresh">
<link rel="stylesheet" href="http://{host}/style.css"><link rel="preload" as="image" href="http://{host}/preload">
<link rel="prefetch" href="http://{host}/prefetch"><base href="http://{host}/">
<style>body {{ background: url(http://{host}/background) }} @import url(http://{host}/import);</style>
</head><body><p id="seen">loaded</p>
<script>document.getElementById("seen").textContent = "ran"; top.location = "http://{host}/top";
try {{ parent.document.title = "stolen" }} catch (error) {{}} fetch("http://{host}/fetch"); fetch("/api/runs");
new Image().src = "http://{host}/image2"; navigator.sendBeacon("http://{host}/beacon"); open("http://{host}/popup");
document.getElementById("form").submit(); alert(1);</script>
<img src="http://{host}/image" onerror="document.getElementById('seen').textContent = 'ran'">
<iframe src="http://{host}/frame"></iframe><object data="http://{host}/object"></object><video src="http://{host}/v"></video>
<form id="form" action="http://{host}/form" target="_top"><button id="submit">send</button></form>
<a id="top" href="http://{host}/link" target="_top">top</a> <a id="self" href="http://{host}/self">self</a>
<a id="blank" href="http://{host}/blank" target="_blank">blank</a>
</body></html>"""

SCRIPT = "<script>document.querySelector('p').textContent = 'ran'</script>"


@pytest.fixture
def listener() -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server that notes what is asked of it."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                client.settimeout(5)
                with client:
                    try:
                        asked.append(client.recv(400))
                    except OSError:
                        asked.append(b"")

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}", asked
        server.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def recorded(tmp_path: Path, listener: tuple[str, list[bytes]]) -> Iterator[LiveViewer]:
    """A run with a table of 3,000 rows and a hostile page at two steps, and a page of 50,000 paragraphs."""
    generator = np.random.default_rng(0)
    with SummaryRecord(str(tmp_path / "logs" / "run"), raise_exception=True) as record:
        for step in (1, 2):
            rows = 3000
            record.add_value(
                "table",
                "eval/predictions",
                {
                    "score": [(step * row) % rows for row in range(rows)],
                    "label": [f"label {row % 7}" for row in range(rows)],
                    "input": [generator.random((8, 8, 3)) if row < 4 else None for row in range(rows)],
                    "sound": [{"samples": np.zeros(80, np.float32)} if row == 1 else None for row in range(rows)],
                },
            )
            record.add_value("html", "page/hostile", HOSTILE.format(host=listener[0]))
            record.record(step)
        record.add_value("html", "page/huge", "<p>line</p>" * 50_000 + SCRIPT)
        record.record(3)
    with running_viewer(tmp_path / "logs", tmp_path / "room") as viewer:
        yield viewer


def test_rows_of_a_table_are_found_and_two_steps_compared(
    recorded: LiveViewer, open_page: OpenPage, tmp_path: Path, complaints: list[str]
):
    page = open_page(recorded, "/media?run=run&kind=table")
    card = page.get_by_test_id("card")
    expect(card.get_by_test_id("table-count")).to_have_text(re.compile(r"^3.000 rows\s*$"))
    expect(card.locator("img").first).to_have_js_property("complete", True)
    assert card.locator("img").first.evaluate("image => image.naturalWidth") == 8
    expect(card.locator("audio")).to_have_count(1)
    card.get_by_test_id("full").click()
    full = page.get_by_test_id("full-screen")
    count = full.get_by_test_id("table-count")
    page.get_by_test_id("table-search").fill("label 3")
    page.get_by_test_id("table-where").fill("score >= 2900")
    expect(page.get_by_test_id("table-where-problem")).to_have_count(0)
    expect_view(page, "table_where", "score+%3E%3D+2900")
    page.get_by_test_id("table-where").fill("scores >= 2900")
    expect(page.get_by_test_id("table-where-problem")).to_contain_text("scores")
    assert all("422" in complaint for complaint in complaints)
    complaints.clear()  # the browser says what was refused
    page.get_by_test_id("table-where").fill("score >= 2900")
    expect(page.get_by_test_id("table-where-problem")).to_have_count(0)
    rows = [(2 * row % 3000, f"label {row % 7}") for row in range(3000)]
    matching = sum(score >= 2900 and "3" in f"{score} {label}" for score, label in rows)
    expect(count).to_have_text(re.compile(rf"^{matching} / 3.000\s*$"))
    full.get_by_role("columnheader", name="score").get_by_role("button").first.click()
    expect_view(page, "table_sort", "0")
    with page.expect_download() as download:
        full.get_by_test_id("table-csv").click()
    download.value.save_as(tmp_path / "rows.csv")
    scores = [int(row["score"]) for row in csv.DictReader((tmp_path / "rows.csv").read_text("utf-8").splitlines())]
    assert len(scores) == matching
    assert scores == sorted(scores)
    page.get_by_test_id("table-compare").click()
    expect(full.locator("[data-step]")).to_have_count(2)
    assert [side.get_attribute("data-step") for side in full.locator("[data-step]").all()] == ["2", "1"]
    expect(count).to_have_count(2)


def test_a_hostile_page_does_nothing_until_scripts_are_allowed(
    recorded: LiveViewer, open_page: OpenPage, listener: tuple[str, list[bytes]], complaints: list[str]
):
    page = open_page(recorded, "/media?run=run&kind=html")
    popups: list[object] = []
    page.context.on("page", lambda popup: popups.append(popup))
    page.on("dialog", lambda dialog: popups.append(dialog.message))
    address, title = page.url, page.title()
    hostile = page.locator("[data-testid=card][data-tag='page/hostile']")
    inside = hostile.frame_locator("iframe")
    expect(inside.locator("#seen")).to_have_text("loaded")
    for press in ("#submit", "#top", "#blank"):
        inside.locator(press).click()
        page.wait_for_timeout(300)
    huge = page.locator("[data-testid=card][data-tag='page/huge']").frame_locator("iframe")
    expect(huge.locator("p").first).to_have_text("line", timeout=30_000)
    assert (page.url, page.title(), popups, listener[1]) == (address, title, [], [])
    hostile.get_by_test_id("html-scripts").click()
    expect(hostile.locator("iframe")).to_have_attribute("sandbox", "allow-scripts")
    expect(huge.locator("p").first).to_have_text("ran", timeout=30_000)
    page.wait_for_timeout(500)  # in which the hostile page, whose refresh the viewer blocks now, could ask for more
    assert (page.url, page.title(), popups, listener[1]) == (address, title, [], [])
    page.reload()
    expect(hostile.get_by_test_id("html-scripts")).to_have_attribute("aria-pressed", "true")
    hostile.get_by_test_id("html-scripts").click()
    expect(inside.locator("#seen")).to_have_text("loaded")
    expect(hostile.locator("iframe")).to_have_attribute("sandbox", "")
    assert any("Content Security Policy" in complaint for complaint in complaints)
    complaints.clear()  # the browser says what it refused
