# SPDX-License-Identifier: Apache-2.0
"""The page in JupyterLab: below a cell, and behind the tile of the launcher."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.server.live_viewer import GrowingLog, eventually

from .chromium import Chromium, new_context
from .jupyter import BASE, jupyter

CELL = "%load_ext mindscope\n%mindscope runs"


@pytest.fixture
def log(tmp_path: Path) -> GrowingLog:
    log = GrowingLog(tmp_path / "runs" / "first")
    log.scalar(1, 0.125)
    return log


@pytest.fixture
def lab(tmp_path: Path, log: GrowingLog) -> Iterator[str]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, tmp_path / "cells.ipynb")
    with jupyter(tmp_path) as address:
        yield address


@pytest.fixture
def page(chromium: Chromium) -> Iterator[Page]:
    with new_context(chromium.browser) as context:
        yield context.new_page()


def use(frame: FrameLocator | Page, log: GrowingLog, run: str) -> None:
    """See a chart and a live point, and write a note."""
    frame.get_by_role("link", name="Scalars").click()
    card = frame.locator('[data-testid="card"][data-tag="loss"]')
    expect(card).to_contain_text("0.125")
    log.scalar(2, 0.25)
    expect(card).to_contain_text("0.25")
    frame.get_by_role("link", name="Runs").click()
    frame.get_by_test_id("runs-table").locator(f'[data-run="{run}"]').get_by_test_id("run-actions").click()
    frame.get_by_test_id("run-actions-details").click()
    frame.get_by_test_id("run-note").fill("from a notebook")
    frame.get_by_test_id("run-note").blur()


def test_a_cell_shows_the_viewer_through_the_proxy(lab: str, page: Page, log: GrowingLog, tmp_path: Path):
    page.goto(f"{lab}lab/tree/cells.ipynb")
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    page.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Shift+Enter")
    frame = page.locator('iframe[title="mindscope"]')
    expect(frame).to_be_visible()
    assert (frame.get_attribute("src") or "").startswith(f"{BASE}proxy/")
    use(page.frame_locator('iframe[title="mindscope"]'), log, "first")
    eventually(
        lambda: b"from a notebook" in b"".join(path.read_bytes() for path in tmp_path.glob("workspace/annotations*"))
    )


def test_the_tile_of_the_launcher_opens_the_viewer(lab: str, page: Page, log: GrowingLog, tmp_path: Path):
    page.goto(f"{lab}lab")
    with page.context.expect_page() as opened:
        page.locator('.jp-LauncherCard[title="mindscope"], .jp-LauncherCard:has-text("mindscope")').first.click()
    viewer = opened.value
    expect(viewer.get_by_test_id("runs-table")).to_contain_text("first")
    assert viewer.url.partition("?")[0] == f"{lab}mindscope/"
    viewer.goto(f"{lab}mindscope/scalars?run=runs%2Ffirst")
    viewer.reload()
    expect(viewer.locator('[data-testid="card"][data-tag="loss"]')).to_contain_text("0.125")
    use(viewer, log, "runs/first")
