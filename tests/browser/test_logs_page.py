# SPDX-License-Identifier: Apache-2.0
"""The page Logs over real files: filters, addresses, whole messages, steps, a log that grows, no log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from mindscope import SummaryRecord
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
