# SPDX-License-Identifier: Apache-2.0
"""The files of a run on Dashboard and Logs: listed, read, saved, and never run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

import mindscope
from tests.server.live_viewer import LiveViewer, running_viewer

from .lineage_page import OpenPage

HTML = "<script>document.title = 'run'</script><b>bold</b>"
DIFF = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-lr = 1\n+lr = 2\n+api_key = 'MASKED'\n"


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[LiveViewer]:
    (tmp_path / "page.html").write_text(HTML)
    (tmp_path / "model.pt").write_bytes(bytes(3_000_000))
    with mindscope.SummaryRecord(tmp_path / "logs" / "first") as record:
        for step in range(12):
            record.log_file(tmp_path / "model.pt", step=step)
        record.log_file(tmp_path / "page.html")
        record.files.run_later(lambda: record.files.add_text("git_diff.patch", DIFF, "git_diff", masked=1))
        record.files.run_later(lambda: record.files.leave_out("config/big.json", "config", "too_large"))
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    (tmp_path / "logs" / "first" / "train.log").write_text("epoch 1\n")
    with mindscope.SummaryRecord(tmp_path / "logs" / "second") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    with running_viewer(tmp_path / "logs", tmp_path / "room") as viewer:
        yield viewer


@pytest.mark.parametrize("width", [390, 1440])
def test_files_are_listed_read_and_saved(viewer: LiveViewer, open_page: OpenPage, width: int) -> None:
    page = open_page(viewer, "/dashboard?dashboard=first")
    page.set_viewport_size({"width": width, "height": 900})
    box = page.get_by_test_id("dashboard-files")
    expect(box).to_contain_text("15 files")
    expect(box.locator("[data-file='files/config/big.json']")).to_contain_text("not kept: too large")
    expect(box.locator("[data-file='files/config/big.json'] :is(a, button)")).to_have_count(0)
    diff = box.locator("[data-file='files/git_diff.patch']")
    expect(diff).to_contain_text("1 secret masked")
    diff.get_by_role("button").click()
    text = page.get_by_test_id("file-text")
    expect(text).to_have_text(DIFF, use_inner_text=True)
    expect(text.locator(".added").first).to_have_text("+lr = 2", use_inner_text=True)
    expect(text.locator(".masked")).to_have_text("MASKED")
    page.keyboard.press("Escape")
    expect(text).to_have_count(0)
    box.locator("[data-file='files/page.html']").get_by_role("button").click()
    expect(text).to_have_text(HTML)
    expect(text.locator("b")).to_have_count(0)
    page.keyboard.press("Escape")
    box.get_by_test_id("files-all").click()
    expect(box.locator("tbody tr")).to_have_count(15)
    with page.expect_download() as download:
        box.locator("[data-file='files/step_11/model.pt'] a").click()
    assert download.value.suggested_filename == "model.pt"
    assert Path(download.value.path()).stat().st_size == 3_000_000
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_run_without_files_has_no_box(viewer: LiveViewer, open_page: OpenPage) -> None:
    page = open_page(viewer, "/dashboard?dashboard=second")
    expect(page.get_by_test_id("not-recorded")).to_be_visible()
    expect(page.get_by_test_id("dashboard-files")).to_have_count(0)


def test_logs_lead_to_the_files(viewer: LiveViewer, open_page: OpenPage) -> None:
    page = open_page(viewer, "/logs?run=first")
    page.get_by_test_id("logs-run-files").click()
    panel = page.get_by_test_id("logs-files-panel")
    expect(panel.locator("tbody tr")).to_have_count(15)
    panel.locator("[data-file='files/page.html']").get_by_role("button").click()
    expect(page.get_by_test_id("file-text")).to_have_text(HTML)
    page.keyboard.press("Escape")
    expect(panel).to_be_visible()


def test_a_run_without_parameters_has_no_empty_card(tmp_path: Path, open_page: OpenPage) -> None:
    with mindscope.init(name="plain", dir=tmp_path / "logs") as run:
        run.log({"loss": 1.0})
    with mindscope.init(name="configured", dir=tmp_path / "logs", config={"lr": 0.1}) as run:
        run.log({"loss": 1.0})
    with running_viewer(tmp_path / "logs", tmp_path / "room") as viewer:
        page = open_page(viewer, "/dashboard?dashboard=plain")
        expect(page.get_by_test_id("not-recorded").locator("summary")).to_contain_text("Model lineage")
        expect(page.get_by_test_id("card-lineage")).to_be_hidden()  # an instruction in the folded line
        page = open_page(viewer, "/dashboard?dashboard=configured")
        expect(page.get_by_test_id("card-lineage")).to_contain_text("lr")
        expect(page.get_by_test_id("not-recorded").locator("summary")).not_to_contain_text("Model lineage")


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[LiveViewer]:
    """Two runs with equal, changed, binary and missing files."""
    (tmp_path / "same.yaml").write_text("batch: 8\n")
    lines = [f"line {number}" for number in range(40)]
    for name, rate in (("one", "0.1"), ("other", "0.2")):
        (tmp_path / "train.py").write_text("\n".join([*lines[:20], f"lr = {rate}", *lines[20:]]) + "\n")
        (tmp_path / "model.pt").write_bytes(bytes(1000) + rate.encode())
        with mindscope.SummaryRecord(tmp_path / "logs" / name) as record:
            record.log_file(tmp_path / "same.yaml")
            record.log_file(tmp_path / "train.py")
            record.log_file(tmp_path / "model.pt", step=3)
            if name == "one":
                record.log_file(tmp_path / "same.yaml", name="only.yaml")
            record.add_value("scalar", "loss", 1.0)
            record.record(1)
    with running_viewer(tmp_path / "logs", tmp_path / "room") as viewer:
        yield viewer


@pytest.mark.parametrize("width", [390, 1440])
def test_files_of_two_runs_are_compared_line_by_line(pair: LiveViewer, open_page: OpenPage, width: int) -> None:
    page = open_page(pair, "/?pair=one&pair=other")
    page.set_viewport_size({"width": width, "height": 900})
    section = page.get_by_test_id("pair-files")
    expect(section).to_contain_text("3 of 4 differ")
    expect(section.locator("tr.differs")).to_have_count(3)
    expect(section.locator("[data-field='files/same.yaml']")).not_to_be_visible()
    expect(section.locator("[data-field='files/only.yaml'] button")).to_have_count(0)
    expect(page.get_by_test_id("pair-files-missing")).to_have_count(0)
    section.locator("[data-field='files/train.py'] button").click()
    text = page.get_by_test_id("file-difference-text")
    expect(text.locator(".removed")).to_have_text("-lr = 0.1\n", use_inner_text=True)
    expect(text.locator(".added")).to_have_text("+lr = 0.2\n", use_inner_text=True)
    expect(text).to_contain_text("line 17")
    expect(text).not_to_contain_text("line 16")
    page.get_by_test_id("pair-swap").click()
    expect(text).to_have_count(0)
    section.locator("[data-field='files/train.py'] button").click()
    expect(text.locator(".added")).to_have_text("+lr = 0.1\n", use_inner_text=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    section.locator("[data-field='files/step_3/model.pt'] button").click()
    expect(page.get_by_test_id("file-difference")).to_contain_text("This file is not text")
    page.get_by_test_id("file-difference-close").click()
    expect(page.get_by_test_id("file-difference")).to_have_count(0)


def test_a_run_without_files_is_named_in_the_comparison(viewer: LiveViewer, open_page: OpenPage) -> None:
    page = open_page(viewer, "/?pair=first&pair=second")
    expect(page.get_by_test_id("pair-files-missing")).to_contain_text("No files kept: second.")
