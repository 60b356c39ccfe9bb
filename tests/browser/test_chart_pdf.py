# SPDX-License-Identifier: Apache-2.0
"""Charts as PDF: one page of the size of the chart, lines rather than pixels, and texts of any script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pypdf import PageObject, PdfReader

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .scalars_page import card

OpenPage = Callable[[LiveViewer, str], Page]
TAG = "训练/损失 loss → 0 🙂"
POINTS = 0.75
"""Points of a CSS pixel."""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    room = tmp_path_factory.mktemp("pdf")
    log = GrowingLog(room / "logs" / "基线 run")
    for step in range(1, 300):
        log.scalar(step, 1 / step, TAG)
        log.scalar(step, float("nan") if step == 100 else step**2, "plain/(tag) \\ <b>")
    with running_viewer(room / "logs", room) as viewer:
        eventually(lambda: viewer.runs().get("基线 run", {}).get("last_step") == 299)
        yield viewer


def save(page: Page, tag: str, kind: str, directory: Path) -> Path:
    card(page, tag).get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id(f"download-{kind}").click()
    path = directory / f"chart.{kind}"
    download.value.save_as(path)
    return path


def only_page(path: Path) -> PageObject:
    reader = PdfReader(path, strict=True)
    assert len(reader.pages) == 1
    return reader.pages[0]


@pytest.mark.parametrize("tag", [TAG, "plain/(tag) \\ <b>"])
def test_a_chart_is_a_page_of_its_size_with_its_texts(live: LiveViewer, open_page: OpenPage, tmp_path: Path, tag: str):
    page = open_page(live, "/scalars?smoothing=0.6")
    expect(card(page, tag).locator("[data-testid=plot-area]")).to_be_visible()
    path = save(page, tag, "pdf", tmp_path)
    svg = save(page, tag, "svg", tmp_path).read_text("utf-8")
    pdf = only_page(path)
    width, height = (float(size) for size in re.findall(r'(?:width|height)="([\d.]+)"', svg)[:2])
    assert [float(side) for side in pdf.mediabox] == [0, 0, width * POINTS, height * POINTS]
    text = pdf.extract_text()
    assert tag.replace(" ", "") in "".join(text.split()), "fonts begin new lines"
    assert "基线 run" in text
    assert {"100", "200", "Step"} <= set(text.split())
    content = pdf.get_contents().get_data()  # type: ignore[union-attr]
    assert content.count(b" l\n") > 250, "the curve is lines"
    images: Any = pdf.images
    assert all(image.image.size == (1, 1) for image in images if image.image), "only letters are pictures"
    assert PdfReader(path).metadata.title == tag  # type: ignore[union-attr]
    assert path.stat().st_size < 60_000


def test_all_fonts_are_in_the_file(live: LiveViewer, open_page: OpenPage, tmp_path: Path):
    page = open_page(live, "/scalars")
    resources: Any = only_page(save(page, TAG, "pdf", tmp_path))["/Resources"]
    fonts: dict[str, Any] = resources["/Font"]
    descriptors = [font.get_object()["/DescendantFonts"][0]["/FontDescriptor"] for font in fonts.values()]
    assert set(fonts) == {"/Regular", "/Bold", "/Unseen"}
    assert all(descriptor["/FontFile2"].get_data()[:4] == b"\0\1\0\0" for descriptor in descriptors)
