# SPDX-License-Identifier: Apache-2.0
"""The tabs Statistics and First bad over runs and a dump: table, heat map, curve, ranks, whole tensors, saved files."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.debug.whole_tensor_dumps import write_dumped_run
from tests.server.debug_runs import arrays_of, write_run
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

RELU = "Functional.relu.0.forward"
X = np.arange(-60, 60, dtype=np.float32).reshape(2, 10, 6)


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("debugged")
    for rank in (0, 1):
        write_run(base / "many" / f"rank_{rank}", rank=rank, table=rank + 20)
    write_dumped_run(base / "dumped", {step: {RELU: ([X], [np.maximum(X, 0)])} for step in (0, 1)})
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) == 3)
        yield live


def opened(
    context: BrowserContext, viewer: LiveViewer, run: str, source: str = ".", more: str = "&debug_tab=statistics"
) -> Page:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{viewer.port}/debugger?runs=all&debug={quote(json.dumps([run, source]))}{more}")
    return page


def saved(page: Page, menu: str, kind: str) -> bytes:
    page.get_by_test_id(menu).click()
    with page.expect_download() as download:
        page.get_by_test_id(f"{menu}-{kind}").click()
    return Path(download.value.path()).read_bytes()


def rows_of(table: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(table.decode().splitlines()))


def test_statistics_of_all_ranks_are_sorted_filtered_drawn_and_saved(
    context: BrowserContext, viewer: LiveViewer
) -> None:
    page = opened(context, viewer, "many/rank_0")
    table = page.get_by_test_id("debug-table")
    rows = table.locator("[data-key]")
    expect(rows).to_have_count(5)
    expect(page.get_by_test_id("debug-summary")).to_have_text("2 tensors have NaN or Inf")
    table.get_by_role("columnheader", name="Max").get_by_role("button").first.click()
    largest = max(float(each[np.isfinite(each)].max()) for each in arrays_of(4))
    exported = rows_of(saved(page, "debug-download", "csv"))
    assert len(exported) == 5
    assert float(exported[0]["max"]) == pytest.approx(largest)
    assert [each["nan"] for each in exported if each["role"] == "gradient"] == ["3"]
    page.get_by_test_id("debug-filter").fill("log")
    expect(rows).to_have_count(1)
    page.get_by_test_id("debug-filter").fill("")
    page.get_by_label("Only NaN and Inf").check()
    expect(rows).to_have_count(2)
    page.get_by_test_id("debug-rank").select_option("1")
    expect(rows).to_have_count(2)
    rows.get_by_role("button", name="loss/aten::log").click()
    pane = page.get_by_test_id("debug-tensor")
    expect(pane).to_contain_text("loss/aten::log")
    curve = pane.get_by_test_id("debug-curve")
    curve.press("Home")
    expect(page.get_by_test_id("debug-at-step")).to_have_text("Step 1")
    steps = rows_of(saved(page, "debug-curve-download", "csv"))
    assert [(each["step"], each["non_finite"]) for each in steps] == [("1", "0"), ("2", "0"), ("3", "1"), ("4", "1")]
    assert b"<svg" in saved(page, "debug-curve-download", "svg")
    page.get_by_test_id("debug-show").get_by_text("Heat map").click()
    heat = page.get_by_test_id("tensor-heat")
    heat.press("ArrowLeft")
    expect(page.get_by_test_id("heat-tip")).to_be_visible()
    assert saved(page, "heat-download", "png").startswith(b"\x89PNG")
    assert list(rows_of(saved(page, "heat-download", "csv"))[0]) == ["tensor", "1", "2", "3", "4"]
    page.get_by_test_id("debug-show").get_by_text("Elements").click()
    expect(page.get_by_test_id("debug-no-elements")).to_contain_text("from mindscope.torch import Dump")


def test_slices_of_a_whole_tensor_of_a_dump_are_shown(context: BrowserContext, viewer: LiveViewer) -> None:
    page = opened(context, viewer, "many/rank_0")
    page.get_by_test_id("debug-source").select_option(label="dumped · dump")
    page.get_by_test_id("debug-table").get_by_role("button", name="relu").nth(1).click()
    page.get_by_test_id("debug-open-elements").click()
    elements = page.get_by_test_id("debug-elements")
    expect(elements.get_by_test_id("facts")).to_contain_text("float32")
    expect(elements.get_by_test_id("facts")).to_contain_text("2 × 10 × 6")
    expect(elements.locator("[data-cell='9,5']")).to_have_text("0.0")
    elements.get_by_label("Dimension 0").fill("1")
    elements.get_by_label("Dimension 0").press("Enter")
    expect(elements.locator("[data-cell='9,5']")).to_have_text("59.0")
    expect(elements.get_by_test_id("statistics")).to_contain_text("10 × 6")
    array = saved(page, "download", "whole")
    assert array.startswith(b"\x93NUMPY")
    elements.get_by_test_id("tensor-mode").get_by_text("Heat map").click()
    expect(elements.get_by_test_id("heat-map")).to_be_visible()
    expect(page).to_have_url(re.compile("as=heat"))
    page.reload()
    expect(elements.get_by_test_id("heat-map")).to_be_visible()
    elements.get_by_test_id("tensor-mode").get_by_text("Histogram").click()
    expect(elements.get_by_test_id("bucket-chart")).to_be_visible()
    page.get_by_test_id("debug-tensor").get_by_role("button", name="input 0").click()
    elements.get_by_test_id("tensor-mode").get_by_text("Table").click()
    expect(elements.locator("[data-cell='0,0']")).to_have_text("0.0")


def test_the_first_bad_number_in_chinese_and_dark(context: BrowserContext, viewer: LiveViewer) -> None:
    page = opened(context, viewer, "many/rank_0", more="&debug_tab=first_bad")
    head = page.get_by_test_id("first-bad-head")
    expect(head).to_contain_text("loss/aten::log")
    expect(head).to_contain_text("step 3")
    page.emulate_media(color_scheme="dark")
    page.get_by_test_id("language").click()
    page.get_by_test_id("language-zh").click()
    expect(head).to_contain_text("第 3 步")
    expect(page.get_by_test_id("debug-tabs")).to_contain_text("问题定位")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    bad = rows_of(saved(page, "first-bad-tensors-download", "csv"))
    assert bad[-1]["negative_inf"] == "1"
    page.get_by_test_id("first-bad-open").click()
    expect(page.get_by_test_id("debug-tensor")).to_contain_text("前向 · 输出 0")
    expect(page.get_by_test_id("debug-at-step")).to_have_text("第 3 步")
    expect(page.get_by_test_id("debug-tensor")).to_contain_text("如何记录元素")
