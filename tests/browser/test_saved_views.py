# SPDX-License-Identifier: Apache-2.0
"""Every page is saved as a file, and the file is looked at without a server and without a network."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.server.live_viewer import DATA, LiveViewer

OpenPage = Callable[[LiveViewer, str], Page]
RUN_A = "tensorboard%2Ftb_all%2Frun_a"


@pytest.fixture
def offline(browser: Browser, complaints: list[str]) -> Iterator[BrowserContext]:
    """A browser of its own for files, which reaches nobody."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light", offline=True)
    yield context
    context.close()


@pytest.fixture
def save(
    viewer: LiveViewer, open_page: OpenPage, offline: BrowserContext, complaints: list[str], tmp_path: Path
) -> Callable[[str], Page]:
    """Saves the view at an address of the real logs, and opens the file."""

    def save_(address: str) -> Page:
        page = open_page(viewer, address)
        with page.expect_download() as download:
            page.get_by_test_id("save-view").click()
        expect(page.get_by_test_id("save-state")).to_have_attribute("data-state", "saved")
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        page.close()
        return opened(offline, file, complaints)

    return save_


def opened(offline: BrowserContext, file: Path, complaints: list[str]) -> Page:
    alone = offline.new_page()
    alone.on("console", lambda message: complaints.append(message.text))
    alone.on("pageerror", lambda error: complaints.append(str(error)))
    alone.on(
        "request",
        lambda request: (
            request.url == file.as_uri() or request.url.startswith("data:") or complaints.append(request.url)
        ),
    )
    alone.goto(file.as_uri())
    return alone


def values(page: Page) -> dict[str, Any]:
    """The numbers of a file, as a program reads them."""
    return json.loads(page.locator("#values").text_content() or "")


def oracle(log: str, *path: str | int) -> Any:
    found = json.loads((DATA / f"{log}.expected.json").read_text())
    for key in path:
        found = found[key]
    return found


def test_charts_are_drawn_and_tell_their_values(save: Callable[[str], Page]):
    page = save(f"/scalars?run={RUN_A}&smoothing=0.5")
    expect(page.get_by_role("heading", level=1)).to_have_text("Scalars")
    expect(page.get_by_role("figure")).to_have_count(3)
    expect(page.locator(".settings")).to_contain_text("Smoothing")
    learning = page.get_by_role("figure").filter(has_text="lr")
    losses = oracle("tensorboard/tb_all", "run_a", "lr", "values")
    expect(learning.get_by_role("row").filter(has_text="run_a")).to_contain_text(f"{losses[-1]:.3g}")
    learning.get_by_role("img").press("ArrowLeft")
    expect(page.locator(".tip")).to_contain_text("299")
    expect(page.locator(".tip")).to_contain_text(f"{losses[-1]:.3g}")
    (line,) = next(card for card in values(page)["cards"] if card["title"] == "lr")["parts"][0]["lines"]
    assert line["value"] == pytest.approx(losses, rel=1e-6)
