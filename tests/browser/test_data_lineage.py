# SPDX-License-Identifier: Apache-2.0
"""The page Data lineage against the alignment that Python has."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
from playwright.sync_api import Page, expect

import mindscope
from mindscope.collector.pipeline import dataset_message
from mindscope.graph.data.dataset import DatasetNode, DatasetOperation
from mindscope.lineage.pipeline_rows import stage_rows
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .patience import until
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


def counts(page: Page) -> list[list[str]]:
    """The samples or batches of each cell, row by row; empty where the page has none."""
    found = page.get_by_test_id("pipelines-rows").locator("[data-key]")
    return found.evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('[role=cell][data-column]')]"
        ".map(cell => cell.querySelector('.rows')?.textContent.replace('\u2009', '') ?? ''))"
    )


def test_samples_of_each_stage_are_shown_where_they_are_known(viewer: LiveViewer, open_page: OpenPage):
    pipelines = mindscope.open_runs(DATA).lineage().pipelines()
    want: list[list[str]] = []
    for number in range(pipelines.alignment.height):
        rows = iter(stage_rows(pipelines.alignment.row(number), pipelines.epoch_sizes[number]))
        cells = [None if column.stages[number] is None else next(rows) for column in pipelines.alignment.columns]
        want.append(["" if each is None else str(each) for each in cells])
    assert {each for row in want for each in row} >= {"", "320", "10", "40"}  # of 640 samples, and of 320
    page = open_page(viewer, "/lineage/data")
    until(page, lambda: counts(page) == want)


IMAGES = DatasetNode("MnistDataset", sampler=DatasetOperation("RandomSampler", {"num_samples": 4000}))
LABELS = DatasetNode("TextFileDataset", {"num_samples": 3000})


def in_pairs(*sources: DatasetNode) -> DatasetNode:
    return DatasetNode(
        "Batch", {"batch_size": 32, "drop_remainder": False}, children=(DatasetNode("Zip", children=sources),)
    )


def test_branches_are_columns_of_their_own(tmp_path: Path, open_page: OpenPage):
    written = {
        "a": in_pairs(DatasetNode("Map", children=(IMAGES,)), LABELS),
        "b": in_pairs(DatasetNode("Map", children=(DatasetNode("Shuffle", children=(IMAGES,)),)), LABELS),
        "c": in_pairs(DatasetNode("Map", children=(IMAGES,)), LABELS),
    }
    for run, node in written.items():
        with mindscope.SummaryRecord(str(tmp_path / "logs" / run)) as record:
            record.add_value("dataset_graph", "dataset_graph", dataset_message(node))
            record.record(1)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == len(written))
        page = open_page(live, "/lineage/data")
        inserted = ["4000", "4000", "4000", "3000", "3000", "94"]
        until(page, lambda: counts(page) == [["4000", "", *inserted[2:]], inserted])
        heads = page.get_by_test_id("pipelines").locator("[role=columnheader][data-column]")
        assert [text.split("\n") for text in heads.all_inner_texts()] == [
            ["MnistDataset", "Branch 1"],
            ["Shuffle", "Branch 1"],
            ["Map", "Branch 1"],
            ["TextFileDataset", "Branch 2"],
            ["Zip", "equal"],
            ["Batch", "equal"],
        ]
        differing = page.get_by_test_id("pipelines-rows").locator(".cell .differs")
        expect(differing).to_have_count(1)
        expect(differing).to_contain_text("Shuffle")


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

    def saved(kind: str) -> bytes:
        page.get_by_test_id("download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"download-{kind}").click()
        return Path(download.value.path()).read_bytes()

    lines = list(csv.DictReader(io.StringIO(saved("csv").decode())))
    assert {line["run"] for line in lines} == want
    assert all("batch_size=16" in line["dataset/4 Batch"] for line in lines)
    objects = pyarrow.parquet.read_table(io.BytesIO(saved("parquet"))).to_pylist()
    assert [{key: "" if cell is None else str(cell) for key, cell in each.items()} for each in objects] == lines
    assert json.loads(saved("json")) == [{k: cell for k, cell in each.items() if cell is not None} for each in objects]
