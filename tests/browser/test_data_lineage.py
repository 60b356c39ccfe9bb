# SPDX-License-Identifier: Apache-2.0
"""The page Data lineage against the alignment that Python has."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

import mindscope
from tests.server.live_viewer import DATA, LiveViewer

from .scalars_page import expect_view

OpenPage = Callable[[LiveViewer, str], Page]


def test_pipelines_are_aligned_and_equal_ones_are_one_row(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/lineage/data")
    pipelines = mindscope.open_runs(DATA).lineage().pipelines()
    rows = page.get_by_test_id("pipelines-rows").locator("[data-key]")
    expect(rows).to_have_count(len(set(pipelines.marks.values())))
    heads = page.get_by_test_id("pipelines").locator("[role=columnheader][data-column]")
    expect(heads).to_have_count(len(pipelines.alignment.columns))
    expect(rows.first).to_contain_text("A")
    for row in range(rows.count()):
        number = int((rows.nth(row).get_attribute("data-key") or "").removeprefix("pipeline "))
        stages = [column.stages[number] for column in pipelines.alignment.columns]
        texts = rows.nth(row).locator("[role=cell][data-column]").all_inner_texts()
        for stage, text in zip(stages, texts, strict=True):
            assert text.startswith("–" if stage is None else getattr(stage, "name", ""))
    page.get_by_test_id("fold").click()
    table = page.get_by_test_id("pipelines").get_by_role("table")
    expect(table).to_have_attribute("aria-rowcount", str(len(pipelines.marks) + 1))
    expect_view(page, "pipelines", "unfolded")


def test_an_operation_shows_all_of_its_parameters(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/lineage/data?find=lineage_sweep")
    rows = page.get_by_test_id("pipelines-rows").locator("[data-key]")
    rows.first.get_by_role("button", name="Batch").click()
    panel = page.get_by_test_id("stage")
    expect(panel.locator("[data-parameter=batch_size]")).to_have_class(re.compile(r"\bdiffers\b"))
    expect(panel.locator("[data-parameter=drop_remainder] td").first).to_have_text("true")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)


def test_a_condition_filters_pipelines_and_the_table_is_saved(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/lineage/data?where=batch_size+==+16")
    table = mindscope.open_runs(DATA).lineage().filter("batch_size == 16")
    want = set(table.pipelines().marks)
    rows = page.get_by_test_id("pipelines-rows").locator("[data-key]")
    page.get_by_test_id("fold").click()
    expect(rows).to_have_count(len(want))
    page.get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id("download-csv").click()
    lines = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))
    assert {line["run"] for line in lines} == want
    assert all("batch_size=16" in line["4 Batch"] for line in lines)
