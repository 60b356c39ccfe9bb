# SPDX-License-Identifier: Apache-2.0
"""The page Query over real runs: completion, results, order, chart, files, problems, addresses, saved views."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pyarrow.parquet
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from mindscope.reading import open_runs
from tests.reading.sql.sql_runs import write_runs
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .scalars_page import expect_view

COUNT = "SELECT run, tag, count(*) AS points, max(step) AS last FROM scalars GROUP BY ALL ORDER BY run, tag"
WAIT_MS = 90_000
"""A busy machine takes long to start the process of a query."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def viewer(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) == 4 and all(run["tags"] for run in live.runs().values()))
        yield live


def opened(context: BrowserContext, viewer: LiveViewer, address: str) -> Page:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{viewer.port}{address}")
    return page


def run(page: Page, statement: str) -> None:
    page.get_by_test_id("query-editor").fill(statement)
    page.get_by_test_id("query-editor").press("Control+Enter")


def cells(page: Page) -> list[list[str]]:
    rows = page.get_by_test_id("query-rows").get_by_role("row")
    texts = [row.get_by_role("cell").all_inner_texts() for row in rows.all()]
    return [row for row in texts if row]


def test_ctrl_enter_runs_what_the_editor_holds(context: BrowserContext, viewer: LiveViewer, base: Path) -> None:
    page = opened(context, viewer, "/query")
    expect(page.get_by_text("Query all runs in SQL")).to_be_visible()
    run(page, COUNT)
    expected = [[str(cell) for cell in row] for row in open_runs(base).sql(COUNT).rows()]
    expect(page.get_by_test_id("query-summary")).to_contain_text(f"{len(expected)} rows", timeout=WAIT_MS)
    assert [[cell.replace("\u2009", "").replace(" ", " ") for cell in row] for row in cells(page)] == expected
    page.get_by_role("columnheader", name="points").get_by_role("button").first.click()
    assert [row[2] for row in cells(page)] == sorted((row[2] for row in expected), key=int)


def test_names_are_completed(context: BrowserContext, viewer: LiveViewer) -> None:
    page = opened(context, viewer, "/query")
    editor = page.get_by_test_id("query-editor")
    options = page.get_by_test_id("query-completions").get_by_role("option")
    editor.press_sequentially("SELECT is_o")
    expect(options).to_have_text(["is_overwritten BOOLEAN"])
    editor.press("Tab")
    editor.press_sequentially(" FROM scal")
    expect(options.first).to_contain_text("scalars")
    editor.press("Enter")
    editor.press_sequentially(" WHERE tag = 'acc")
    expect(options.first).to_contain_text("accuracy")
    editor.press("Escape")
    expect(options).to_have_count(0)
    editor.press_sequentially("u")
    options.first.click()
    expect(editor).to_have_value("SELECT is_overwritten FROM scalars WHERE tag = 'accuracy'")


def test_the_address_holds_statement_and_chart(context: BrowserContext, viewer: LiveViewer) -> None:
    statement = "SELECT step, value, run FROM scalars WHERE tag = 'loss' AND NOT is_overwritten ORDER BY run, step"
    page = opened(context, viewer, f"/query?sql={quote(statement)}")
    expect(page.get_by_test_id("query-editor")).to_have_value(statement)
    expect(page.get_by_test_id("query-summary")).to_contain_text("510 rows", timeout=WAIT_MS)
    page.get_by_test_id("query-chart-switch").click()
    page.get_by_test_id("chart-by").select_option("run")
    expect(page.get_by_test_id("chart-legend").get_by_role("listitem")).to_have_text(["first", "restarted"])
    expect_view(page, "sql_by", "run")
    page.reload()
    expect(page.get_by_test_id("chart-legend").get_by_role("listitem")).to_have_text(
        ["first", "restarted"], timeout=WAIT_MS
    )


def test_files_hold_the_result(context: BrowserContext, viewer: LiveViewer, base: Path) -> None:
    page = opened(context, viewer, f"/query?sql={quote(COUNT)}")
    expect(page.get_by_test_id("query-summary")).to_contain_text(" rows in ", timeout=WAIT_MS)
    with page.expect_download() as download:
        page.get_by_test_id("query-csv").click()
    header, *lines = csv.reader(io.StringIO(download.value.path().read_text("utf-8")))
    expected = open_runs(base).sql(COUNT)
    assert header == list(expected.columns)
    assert [line[2] for line in lines] == [str(row["points"]) for row in expected]
    with page.expect_download() as download:
        page.get_by_test_id("query-parquet").click()
    assert pyarrow.parquet.read_table(download.value.path()).to_pylist() == list(expected)


def test_a_problem_is_shown_and_corrected(context: BrowserContext, viewer: LiveViewer) -> None:
    page = opened(context, viewer, "/query")
    run(page, "SELECT nothing FROM runs")
    expect(page.get_by_test_id("query-problem")).to_contain_text('"nothing" not found', timeout=WAIT_MS)
    run(page, "COPY runs TO 'a.csv'")
    expect(page.get_by_test_id("query-problem")).to_contain_text("queries only read", timeout=WAIT_MS)
    run(page, "SELECT 41 + 1 AS answer")
    expect(page.get_by_test_id("query-rows")).to_contain_text("42", timeout=WAIT_MS)
    expect(page.get_by_test_id("query-problem")).to_have_count(0)


def test_a_query_is_cancelled(context: BrowserContext, viewer: LiveViewer) -> None:
    page = opened(context, viewer, "/query")
    run(page, "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t")
    page.get_by_test_id("query-cancel").click()
    expect(page.get_by_test_id("query-run")).to_be_visible()
    run(page, "SELECT 42 AS answer")
    expect(page.get_by_test_id("query-rows")).to_contain_text("42", timeout=WAIT_MS)


def test_a_statement_is_saved_as_a_view(context: BrowserContext, viewer: LiveViewer) -> None:
    page = opened(context, viewer, f"/query?sql={quote('SELECT 7 AS saved')}")
    expect(page.get_by_test_id("query-rows")).to_contain_text("7", timeout=WAIT_MS)
    page.get_by_test_id("views").click()
    page.get_by_test_id("view-name").fill("seven")
    page.get_by_test_id("view-save").click()
    saved = eventually(lambda: viewer.http.get("/api/annotations").json()["views"])
    assert f"sql={quote('SELECT 7 AS saved')}" in next(iter(saved.values()))["address"]
