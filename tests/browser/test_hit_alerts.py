# SPDX-License-Identifier: Apache-2.0
"""Hits of watchpoints while a training records: the bell, a mark on the axis of its curves, the hit, the log line."""

from __future__ import annotations

import logging
import re
import threading
from datetime import datetime
from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.server.live_viewer import eventually, running_viewer

from .debugged_trainings import kill_units, train
from .scalars_page import full, wait_until_drawn


class ExactTimes(logging.Formatter):
    """Microseconds: several steps of so small a network share a millisecond."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return datetime.fromtimestamp(record.created).isoformat(" ", "microseconds")


def test_a_fault_of_a_live_training_leads_from_the_bell_and_the_axis_to_its_log(
    context: BrowserContext, tmp_path: Path
) -> None:
    run, reached, going_on = tmp_path / "logs" / "run", threading.Event(), threading.Event()
    run.mkdir(parents=True)
    log = logging.FileHandler(run / "train.log")
    log.setFormatter(ExactTimes("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def each_step(step: int) -> None:
        log.handle(logging.makeLogRecord({"name": "training", "levelname": "INFO", "msg": f"end of step {step}"}))
        if step == 5:
            reached.set()
            assert going_on.wait(60)

    training = threading.Thread(target=train, args=(run, kill_units, range(1, 13), each_step))
    training.start()
    assert reached.wait(60)
    with running_viewer(tmp_path / "logs", tmp_path / "viewer") as viewer:
        eventually(lambda: len(viewer.runs()) == 1)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{viewer.port}/scalars?runs=all&full=loss")
        wait_until_drawn(full(page))
        mark = full(page).get_by_test_id("hit-mark")
        expect(mark).to_have_count(0)
        going_on.set()
        training.join()
        log.close()

        expect(mark).to_have_count(1)
        name = re.compile("run: ReLU is dead in steps 8 to 12, first 1/ReLU output 0: 100 > 99.9")
        expect(mark).to_have_accessible_name(name, timeout=15_000)
        page.get_by_test_id("alerts").click()
        dead = page.locator("[data-testid=alert][data-rule=dead_relu]")
        expect(dead).to_contain_text("1/ReLU output 0")
        expect(dead).to_contain_text("step 8")
        dead.get_by_role("button").first.click()
        hit = page.locator("[data-testid=watch-hit][aria-current=true]")
        expect(hit).to_have_attribute("data-step", "8")
        expect(hit).to_contain_text("ReLU is dead")
        hit.get_by_test_id("watch-ways").click()
        page.get_by_test_id("watch-ways-log").click()
        line = page.locator("[data-testid=log-line].target")
        expect(line).to_contain_text("end of step 8")

        page.go_back()
        hit.get_by_role("button").first.click()
        page.get_by_test_id("debug-tensor").get_by_test_id("debug-link-curves").click()
        expect(page.get_by_test_id("marked-step")).to_contain_text("Step 8")
        page.get_by_test_id("hit-mark").click()
        expect(page.get_by_test_id("watch-table").locator("tr.step[aria-current=true]")).to_have_text("Step 8")
