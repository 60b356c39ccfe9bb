# SPDX-License-Identifier: Apache-2.0
"""Sweeps on the page Runs: how far they are, and starting and stopping them if the viewer may."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from mindscope.sweep.directory import SweepDirectory, SweepStatus
from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer
from tests.sweep.scripts import QUADRATIC, RANDOM

OpenPage = Callable[[LiveViewer, str], Page]
LONG_MS = 60_000
"""A trial begins an interpreter, on a machine that may be busy."""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A directory with a run, and the script and the file of a sweep of five trials."""
    folder = tmp_path / "logs"
    GrowingLog(folder / "other").scalar(1, 0.5)
    (folder / "train.py").write_text(QUADRATIC + "\nimport time\ntime.sleep(1.5)\n")
    (folder / "search.yaml").write_text(RANDOM.replace("run_cap: 6", "run_cap: 5"))
    return folder


def test_a_sweep_is_started_stopped_and_resumed_on_the_page(
    open_page: OpenPage, logs: Path, tmp_path: Path, complaints: list[str]
) -> None:
    with running_viewer(logs, tmp_path, "--allow-sweeps") as live:
        eventually(lambda: len(live.runs()) == 1)
        page = open_page(live, "/")
        bar, button = page.get_by_role("group", name="Sweep search"), page.get_by_test_id("sweep-change")
        expect(bar).to_contain_text("Not running: 0 of 5 trials")
        expect(button).to_have_text("Start")
        button.click()
        expect(button).to_have_text("Stop", timeout=LONG_MS)
        expect(bar).to_contain_text(re.compile("Running: [1-4] of 5 trials"), timeout=LONG_MS)
        button.click()
        expect(button).to_have_text("Resume", timeout=LONG_MS)
        expect(bar).to_contain_text(re.compile("Not running: [1-4] of 5 trials"))
        journal = logs / "search" / "sweep.journal"
        kept = journal.read_bytes()
        journal.write_bytes(b"no journal\n" + kept)
        button.click()
        problem = page.get_by_test_id("sweep-problem")
        expect(problem).to_contain_text("sweep.journal is damaged", timeout=LONG_MS)
        expect(problem).to_contain_text("move the directory aside")
        complaints.clear()  # the browser names the refusal in its console
        journal.write_bytes(kept)
        button.click()
        expect(bar).to_contain_text("Complete: 5 of 5 trials", timeout=LONG_MS)
        expect(problem).to_have_count(0)
        expect(button).to_have_count(0)
        bar.get_by_role("button", name=re.compile("Best loss: ")).click()
        page.wait_for_url("**details=search%2Ftrial-000**")


def test_a_sweep_is_only_shown_unless_the_viewer_may_start_it(open_page: OpenPage, logs: Path, tmp_path: Path) -> None:
    directory = SweepDirectory(logs / "old")
    directory.create()
    GrowingLog(directory.trial(0)).scalar(1, 0.5)
    directory.write_status(
        SweepStatus("old", str(logs / "search.yaml"), "grid", "loss", False, 1200, 1001, 4, 2, 0, 0.5, "trial-0000", "")
    )
    with running_viewer(logs, tmp_path) as live:
        eventually(lambda: len(live.runs()) == 2)
        page = open_page(live, "/")
        bar = page.get_by_role("group", name="Sweep old")
        for text in (r"Not running: 1\s007 of 1\s200 trials", "4 pruned", "2 failed", "Best loss: 0.5"):
            expect(bar).to_contain_text(re.compile(text))
        expect(page.get_by_test_id("sweeps").get_by_role("group")).to_have_count(1)
        expect(page.get_by_test_id("sweep-change")).to_have_count(0)
