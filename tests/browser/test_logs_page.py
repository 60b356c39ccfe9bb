# SPDX-License-Identifier: Apache-2.0
"""The page Logs over real files: filters, addresses, whole messages, steps, a log that grows, no log."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from mindscope import SummaryRecord
from mindscope.formats import wire
from mindscope.formats.print_schemas import PRINT
from tests.debug.formats.test_flight_recorder import entry, write
from tests.debug.formats.test_print_file import VALUES
from tests.reading.test_failures import write_failure
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

COUNT = 20_000
MODULES = ("ME", "DEVICE")
LEVELS = ("INFO", "INFO", "INFO", "WARNING", "ERROR")


def line(second: float, level: str, text: str, module: str = "ME") -> str:
    """As MindSpore writes it, in the zone of this machine."""
    clock = datetime.fromtimestamp(second).strftime("%Y-%m-%d-%H:%M:%S.%f")
    return f"[{level}] {module}(7:8,MainProcess):{clock[:-3]}.{clock[-3:]} [mindspore/a.py:1] {text}\n"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logged")


@pytest.fixture(scope="module")
def viewer(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    start = datetime.now().timestamp()
    for run in ("first", "without"):
        with SummaryRecord(base / run) as record:
            for step in range(50):
                record.add_value("scalar", "loss", 1.0 / (step + 1))
                record.record(step)
    for rank in (0, 1):
        file = base / "first" / f"rank_{rank}" / "logs" / f"mindspore.log.{rank}"
        file.parent.mkdir(parents=True)
        file.write_text("".join(
            line(start + each / 1000, LEVELS[each % 5], f"message {each} of {rank}\n  detail {each}", MODULES[each % 2])
            for each in range(COUNT)
        ))  # fmt: skip
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) >= 2)
        yield live


def messages(text: str) -> re.Pattern[str]:
    """The text of a count, whatever groups its digits."""
    return re.compile("^" + text.replace(" 000", r"\W000").replace(" 001", r"\W001") + " messages$")


def opened(context: BrowserContext, viewer: LiveViewer, more: str = "") -> Page:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{viewer.port}/logs?runs=all{more}")
    return page


def test_filters_narrow_the_messages_and_the_address_keeps_them(context: BrowserContext, viewer: LiveViewer) -> None:
    page = opened(context, viewer)
    count = page.get_by_test_id("logs-count")
    expect(count).to_have_text(messages("40 000"))
    expect(page.get_by_test_id("log-line").last).to_contain_text(f"message {COUNT - 1} of ")
    page.get_by_test_id("logs-level").select_option("error")
    expect(count).to_have_text(messages("8 000 of 40 000"))
    page.get_by_test_id("logs-filter").fill("message 4 of")
    expect(count).to_have_text(messages("2 of 40 000"))
    expect(page.get_by_test_id("log-line")).to_have_count(2)
    copied = context.new_page()
    copied.goto(page.url)
    expect(copied.get_by_test_id("logs-count")).to_have_text(messages("2 of 40 000"))
    expect(copied.get_by_test_id("log-line").first).to_contain_text("message 4 of 0")


def test_a_slow_expression_ends_and_a_wrong_one_is_named(context: BrowserContext, viewer: LiveViewer) -> None:
    page = opened(context, viewer, "&log_regex=message%2019%5Cd%7B3%7D%20of%201")
    expect(page.get_by_test_id("logs-count")).to_have_text(messages("1 000 of 40 000"))
    page.goto(f"http://127.0.0.1:{viewer.port}/logs?runs=all&log_regex=(?i:(MESSAGE 0%2B)%2B) of 1")
    expect(page.get_by_test_id("logs-count")).to_have_text(messages("1 of 40 000"))
    expect(page.get_by_test_id("filter-error")).to_have_count(0)
    page.goto(f"http://127.0.0.1:{viewer.port}/logs?runs=all&log_regex=(unclosed")
    expect(page.get_by_test_id("logs-problem").first).to_be_visible()


def test_a_message_opens_with_all_its_lines_and_leads_to_its_step(context: BrowserContext, viewer: LiveViewer) -> None:
    page = opened(context, viewer, f"&log_filter=message%20{COUNT - 1}%20of%200")
    page.get_by_test_id("log-line").click()
    details = page.get_by_test_id("log-details")
    expect(details).to_contain_text(f"detail {COUNT - 1}")
    details.get_by_test_id("log-step").click()
    expect(page).to_have_url(re.compile("/scalars.*49"))


def test_new_messages_are_followed(context: BrowserContext, viewer: LiveViewer, base: Path) -> None:
    page = opened(context, viewer)
    count = page.get_by_test_id("logs-count")
    expect(count).to_have_text(messages("40 000"))
    with (base / "first" / "rank_0" / "logs" / "mindspore.log.0").open("a") as log:
        log.write(line(datetime.now().timestamp() + 1000, "CRITICAL", "the newest of all"))
    expect(count).to_have_text(messages("40 001"))
    expect(page.get_by_test_id("log-line").last).to_contain_text("the newest of all")


def test_runs_without_logs_say_how_to_record_them(context: BrowserContext, viewer: LiveViewer) -> None:
    page = opened(context, viewer)
    page.get_by_role("checkbox", name="Show first").uncheck()
    expect(page.get_by_text("No logs in the selected runs")).to_be_visible()
    expect(page.get_by_text("GLOG_log_dir=")).to_be_visible()


def test_printed_values_captured_output_and_a_failure(
    context: BrowserContext, viewer: LiveViewer, base: Path, tmp_path: Path
) -> None:
    run = base / "z_failed"
    with SummaryRecord(run) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(7)
    program = (
        f"import mindscope\nwith mindscope.capture_output({str(run)!r}):\n    print('from the training')\n    1 / 0"
    )
    subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    (run / "print.pb").write_bytes(wire.encode(PRINT, {"value": VALUES[:2]}))
    write_failure(run)
    write(run, 0, entry(1), entry(2))
    write(run, 1, entry(1))
    eventually(lambda: len(viewer.runs()) >= 3)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{viewer.port}/logs?runs=none&run=z_failed")
    lines = page.get_by_test_id("log-line")
    expect(lines.filter(has_text="from the training")).to_contain_text("stdout")
    lines.filter(has_text="Traceback").click()
    expect(page.get_by_test_id("log-details")).to_contain_text("ZeroDivisionError")
    expect(page.get_by_test_id("log-step")).to_contain_text("7")
    lines.filter(has_text="shape=[2, 3]").click()
    tensor = page.get_by_test_id("printed-tensor")
    expect(tensor.locator("summary")).to_contain_text("Float32 [2, 3]")
    expect(tensor.locator("tr").nth(1)).to_have_text(re.compile(r"1\s*3\s*4\s*5"))
    page.get_by_test_id("logs-filter").fill("training")
    expect(lines).to_have_count(1)
    with page.expect_download() as saved:
        page.get_by_test_id("logs-save").click()
        page.get_by_test_id("logs-save-text").click()
    saved.value.save_as(tmp_path / "saved.txt")
    assert (tmp_path / "saved.txt").read_text() == "from the training\n"
    page.get_by_role("link", name="Debugger").click()
    expect(page.get_by_test_id("crash-head")).to_have_text("The training failed: ZeroDivisionError: division by zero")
    expect(page.get_by_test_id("crash-before")).to_have_text("from the training")
    expect(page.get_by_test_id("mismatch-head")).to_have_text("Rank 0 called collective 2 of group 0; Rank 1 did not")
    expect(page.get_by_test_id("failure-error")).to_have_text("ValueError: loss is nan")
    expect(page.get_by_test_id("failure-tensors")).to_contain_text("fc1")
    expect(page.get_by_test_id("failure-mismatches")).to_contain_text("missing")


def test_a_run_of_logs_leads_to_its_log(context: BrowserContext, tmp_path: Path) -> None:
    with SummaryRecord(tmp_path / "logs" / "recorded") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    with running_viewer(tmp_path / "logs", tmp_path / "viewer") as live:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{live.port}/")
        expect(page.get_by_role("button", name="recorded", exact=True).first).to_be_visible()
        log = tmp_path / "logs" / "job" / "slurm-42.out"
        log.parent.mkdir()
        log.write_text("epoch 1 loss 0.5\n")
        name = page.get_by_role("rowheader").get_by_role("button", name="job", exact=True)
        expect(name).to_be_visible()
        expect(page.get_by_role("cell", name="1 log file")).to_be_visible()
        row = page.get_by_test_id("runs-table").locator('[data-run="job"]')
        for fact in ("Running", "17 B"):
            expect(row).to_contain_text(fact)
        os.utime(log, (1e9, 1e9))
        with log.open("a") as file:
            file.write("epoch 2\n")
        os.utime(log, (1e9, 1e9))
        for fact in ("Idle", "25 B"):
            expect(row).to_contain_text(fact)
        name.click()
        expect(page).to_have_url(re.compile(r"/logs\b"))
        expect(page.get_by_text("epoch 1 loss 0.5")).to_be_visible()
        page.goto(f"http://127.0.0.1:{live.port}/dashboard?runs=none&run=job")
        page.get_by_role("button", name="Open Logs").click()
        expect(page.get_by_text("epoch 1 loss 0.5")).to_be_visible()
        page.goto(f"http://127.0.0.1:{live.port}/")
        row.get_by_test_id("run-actions").click()
        page.get_by_test_id("run-actions-details").click()
        expect(page.get_by_test_id("run-details")).to_contain_text("1 log file")
        page.goto(f"http://127.0.0.1:{live.port}/scalars?run=job")
        page.get_by_test_id("show-holders").click()
        expect(page.get_by_test_id("card")).to_contain_text("loss")


def test_a_failed_training_begins_with_its_traceback_and_keys_go_from_error_to_error(
    context: BrowserContext, tmp_path: Path
) -> None:
    base = tmp_path / "failed"
    with SummaryRecord(base / "run") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(0)
    lines = [f"step {each}" for each in range(500)]
    lines[100] = "2026-11-23 20:41:32,000 ERROR first error"
    lines += ["Traceback (most recent call last):", '  File "train.py", line 7', "ValueError: loss is nan"]
    (base / "run" / "stdout.log").write_text("\n".join(lines))
    shutil.copytree(base / "run", base / "went_on")
    (base / "went_on" / "stdout.log").write_text("\n".join([*lines, "the loss is skipped", "step 501"]))
    with running_viewer(base, tmp_path) as live:
        eventually(lambda: len(live.runs()) == 2)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{live.port}/logs?run=went_on")  # it was caught: the log begins at its end
        expect(page.get_by_test_id("log-line").filter(has_text="step 501")).to_be_visible()
        expect(page.get_by_test_id("log-details")).to_have_count(0)
        page.goto(f"http://127.0.0.1:{live.port}/logs?run=run")
        expect(page.get_by_test_id("log-details")).to_contain_text("ValueError: loss is nan")
        chosen = page.get_by_test_id("log-line").filter(has_text="Traceback")
        expect(chosen).to_be_visible()
        page.get_by_test_id("log-list").focus()
        page.keyboard.press("Shift+E")
        expect(page.get_by_test_id("log-line").filter(has_text="first error")).to_be_visible()
        page.keyboard.press("e")
        expect(chosen).to_be_visible()
        page.get_by_test_id("logs-filter").fill("loss is NaN")
        expect(page.locator("[data-testid=log-line] mark")).to_have_text("loss is nan")
