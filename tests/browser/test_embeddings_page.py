# SPDX-License-Identifier: Apache-2.0
"""Embeddings: points, neighbors, search, box, isolation, projections and files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness

import mindscope
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

OpenPage = Callable[[LiveViewer, str], Page]
DIGITS: Any = load_digits()
COUNT = 400
VECTORS = DIGITS.data[:COUNT].astype(np.float32)

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    logs = tmp_path_factory.mktemp("logs")
    labels = [[str(digit), f"digit {digit} of row {row}"] for row, digit in enumerate(DIGITS.target[:COUNT])]
    columns = {"metadata": labels, "metadata_header": ["digit", "name"], "images": DIGITS.images[:COUNT, None] / 16}
    with mindscope.SummaryRecord(logs / "run") as record:
        for step in (1, 2):
            record.add_value("embedding", "digits", {"vectors": VECTORS * step, **columns})
            record.add_value("scalar", "loss", 1.0)
            record.record(step)
    with mindscope.SummaryRecord(logs / "plain") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    with running_viewer(logs, tmp_path_factory.mktemp("viewer"), "--reload-interval", "0") as live:
        eventually(lambda: len(live.runs()) == 2)
        yield live


def opened(open_page: OpenPage, viewer: LiveViewer, query: str = "") -> Page:
    page = open_page(viewer, f"/embeddings?run=run&embedding_label=name{query}")
    expect(page.get_by_test_id("embedding-points")).to_be_visible()
    expect(page.get_by_test_id("embedding-legend")).to_be_visible()
    return page


def saved_rows(page: Page) -> list[dict[str, str]]:
    page.get_by_test_id("embedding-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("embedding-download-csv").click()
    return list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))


def test_points_are_found_selected_and_compared(open_page: OpenPage, digits: LiveViewer) -> None:
    page = opened(open_page, digits)
    expect(page.get_by_test_id("embedding-facts")).to_contain_text("400 points of 64 dimensions")
    expect(page.get_by_test_id("embedding-step-text")).to_have_text("Step 2")
    page.get_by_test_id("embedding-search").fill("row 399")
    rows = page.get_by_test_id("embedding-list").get_by_role("button")
    expect(rows).to_have_count(1)
    rows.first.click()
    page.get_by_test_id("embedding-search").fill("")
    expect(page.get_by_test_id("embedding-selection")).to_contain_text(f"digit {DIGITS.target[399]} of row 399")
    page.get_by_text("Euclidean", exact=True).click()
    apart = np.sqrt(np.square(2 * (VECTORS - VECTORS[399])).sum(axis=1))
    nearest = int(np.argsort(apart)[1])
    expect(rows.first).to_contain_text(f"of row {nearest}")
    expect(rows.first).to_contain_text(f"{np.sort(apart)[1]:.2f}")
    page.get_by_test_id("embedding-isolate").click()
    assert "embedding_point=399" in page.url
    assert "embedding_only=selected" in page.url
    page.get_by_test_id("embedding-clear").click()
    expect(page.get_by_test_id("embedding-selection")).to_have_count(0)


def test_box_and_legend_select_points(open_page: OpenPage, digits: LiveViewer) -> None:
    page = opened(open_page, digits, "&embedding_dimensions=2")
    page.get_by_test_id("embedding-legend").get_by_role("button").nth(3).click()
    expect(page.get_by_test_id("embedding-selection")).to_contain_text(f"{(DIGITS.target[:COUNT] == 3).sum()} points")
    page.get_by_test_id("embedding-box").click()
    box = page.get_by_test_id("embedding-points").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 12, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 12, box["y"] + box["height"] - 12, steps=4)
    page.mouse.up()
    expect(page.get_by_test_id("embedding-selection")).to_contain_text("400 points selected")


@pytest.mark.parametrize(("projection", "least"), [("pca", 0.8), ("tsne", 0.96), ("umap", 0.93)])
def test_saved_coordinates_keep_neighbors(
    open_page: OpenPage, digits: LiveViewer, projection: str, least: float
) -> None:
    page = opened(open_page, digits, f"&embedding_dimensions=2&embedding_projection={projection}")
    if projection != "pca":
        expect(page.get_by_test_id("embedding-rerun")).to_be_visible(timeout=240_000)
    rows = saved_rows(page)
    assert [row["name"].split(" of row ")[1] for row in rows] == [str(row) for row in range(COUNT)]
    places = np.array([[float(row["x"]), float(row["y"])] for row in rows])
    assert trustworthiness(VECTORS, places, n_neighbors=10) > least


def test_layout_stops_and_a_step_before_is_shown(open_page: OpenPage, digits: LiveViewer) -> None:
    page = opened(open_page, digits, "&embedding_projection=tsne")
    page.get_by_test_id("embedding-stop").click()
    expect(page.get_by_test_id("embedding-status")).to_contain_text("Stopped at iteration")
    page.get_by_test_id("embedding-step").fill("0")
    expect(page.get_by_test_id("embedding-step-text")).to_have_text("Step 1")


def test_a_run_without_embeddings_says_how_to_record_them(open_page: OpenPage, digits: LiveViewer) -> None:
    page = open_page(digits, "/embeddings?run=plain")
    expect(page.get_by_text("No embeddings in the selected runs")).to_be_visible()
    expect(page.get_by_text('record.add_value("embedding"')).to_be_visible()


def test_the_navigation_lists_the_page_when_the_first_embedding_comes(open_page: OpenPage, tmp_path: Path) -> None:
    with mindscope.SummaryRecord(tmp_path / "logs/run") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
        with running_viewer(tmp_path / "logs", tmp_path / "viewer", "--reload-interval", "1") as live:
            eventually(lambda: len(live.runs()) == 1)
            page = open_page(live, "/scalars?run=run")
            projector = page.get_by_role("navigation").get_by_role("link", name="Projector")
            expect(page.get_by_test_id("chart")).to_be_visible()
            expect(projector).to_have_count(0)
            record.add_value("embedding", "digits", {"vectors": VECTORS})
            record.record(2)
            expect(projector).to_be_visible()
            projector.click()
            expect(page.get_by_test_id("embedding-points")).to_be_visible()


def test_keys_turn_the_picture(open_page: OpenPage, digits: LiveViewer) -> None:
    page = opened(open_page, digits)
    chart = page.get_by_role("application")
    chart.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**embedding_camera=**")
    page.keyboard.press("0")
    page.wait_for_url(lambda address: "embedding_camera" not in address)
