# SPDX-License-Identifier: Apache-2.0
"""Views that people save under a name: opened, shared, used as the start page; pinned charts composed by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .scalars_page import card

OpenPage = Callable[[LiveViewer, str], Page]
COMPOSED = "/scalars?tag=acc&chart=%5B%22acc%22,%22loss%22%5D"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveViewer]:
    """A viewer with annotations of its own."""
    log = GrowingLog(tmp_path / "logs" / "run")
    for tag in ("acc", "loss"):
        log.scalar(1, 0.5, tag)
    with running_viewer(tmp_path / "logs", tmp_path) as viewer:
        eventually(lambda: viewer.runs().get("run", {}).get("tags"))
        yield viewer


def save(page: Page, name: str) -> None:
    page.get_by_test_id("views").click()
    page.get_by_test_id("view-name").fill(name)
    page.get_by_test_id("view-save").click()
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()


def views(live: LiveViewer) -> dict[str, str]:
    """Addresses of the saved views by title."""
    return {one["title"]: one["address"] for one in live.http.get("/api/annotations").json()["views"].values()}


def test_a_view_is_saved_listed_opened_replaced_and_deleted(live: LiveViewer, open_page: OpenPage):
    page = open_page(live, COMPOSED)
    expect(page.get_by_test_id("card")).to_have_count(2)
    save(page, "accuracy")
    other = open_page(live, "/scalars")
    expect(other.get_by_test_id("tag-filter")).to_have_value("")
    other.get_by_test_id("views").click()
    other.get_by_role("link", name="accuracy", exact=True).click()
    expect(other.get_by_test_id("tag-filter")).to_have_value("acc")
    expect(card(other, "acc · loss")).to_be_visible()
    other.go_back()
    expect(other.get_by_test_id("tag-filter")).to_have_value("")
    save(other, "accuracy")
    eventually(lambda: views(live) == {"accuracy": "/scalars"})
    other.get_by_role("button", name="Delete accuracy").click()
    expect(other.get_by_test_id("views-list").get_by_role("listitem")).to_have_count(0)
    eventually(lambda: views(live) == {})


def test_a_start_page_is_opened_where_nothing_else_is_asked_for(live: LiveViewer, open_page: OpenPage):
    page = open_page(live, "/scalars?tag=loss")
    save(page, "losses")
    page.get_by_role("button", name="Set losses as start page").click()
    expect(page.get_by_test_id("view-start")).to_have_attribute("aria-pressed", "true")
    started = open_page(live, "/")
    expect(started.get_by_test_id("tag-filter")).to_have_value("loss")
    expect(card(started, "loss")).to_be_visible()
    started.get_by_role("link", name="Runs", exact=True).click()
    expect(started.get_by_test_id("runs-table")).to_be_visible()
    asked = open_page(live, "/scalars?tag=acc")
    expect(card(asked, "acc")).to_be_visible()


def test_a_composed_chart_is_pinned_for_everybody(live: LiveViewer, open_page: OpenPage):
    page = open_page(live, COMPOSED)
    card(page, "acc · loss").get_by_test_id("pin").click()
    eventually(lambda: len(live.http.get("/api/annotations").json()["pins"]) == 1)
    other = open_page(live, "/scalars")
    expect(card(other, "acc · loss")).to_be_visible()
    card(other, "acc · loss").get_by_test_id("pin").click()
    expect(other.get_by_test_id("card")).to_have_count(2)
