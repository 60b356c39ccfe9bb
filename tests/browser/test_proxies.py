# SPDX-License-Identifier: Apache-2.0
"""The page behind proxies: at another path, and under another name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .nginx import nginx
from .page_watch import PageWatch
from .scalars_page import card, wait_until_drawn

PageAt = Callable[[str], Page]
STRIPS = "proxy_pass http://127.0.0.1:{port}/; proxy_set_header Host $http_host;"
"""Leaves out the prefix, as do jupyter-server-proxy, VS Code and Colab."""


def use(page: Page, base: str, live: LiveViewer, log: GrowingLog) -> None:
    """Use the viewer at ``base`` as a person does: a chart, a live point, links, a change, a reload of a deep link."""
    page.goto(f"{base}scalars")
    expect(card(page, "loss")).to_contain_text("0.125")
    wait_until_drawn(card(page, "loss"))
    log.scalar(2, 0.25)
    expect(card(page, "loss")).to_contain_text("0.25")
    links = page.get_by_role("navigation").first.get_by_role("link")
    assert all(href.startswith(base) for href in links.evaluate_all("all => all.map((one) => one.href)"))
    links.filter(has_text="Runs").click()
    expect(page.get_by_test_id("runs-table")).to_be_visible()
    assert page.url.partition("?")[0] == base
    page.goto(f"{base}?details=run")
    page.get_by_test_id("run-note").fill("behind a proxy")
    page.get_by_test_id("run-note").blur()
    eventually(lambda: live.http.get("/api/annotations").json()["runs"].get("run", {}).get("note") == "behind a proxy")
    page.goto(f"{base}reports/nothing/here")  # further down, where its files are further up
    expect(page.get_by_test_id("not-found")).to_contain_text("/reports/nothing/here")
    page.goto(f"{base}scalars?run=run&smoothing=0.9")
    page.reload()
    wait_until_drawn(card(page, "loss"))
    assert page.url.startswith(f"{base}scalars?")


@pytest.fixture
def page_at(context: BrowserContext, complaints: list[str]) -> PageAt:
    """Opens a page that may ask nobody else than the viewer at this address."""

    def open_(base: str) -> Page:
        page = context.new_page()
        PageWatch(page, base, complaints)
        return page

    return open_


@pytest.fixture
def log(tmp_path: Path) -> GrowingLog:
    log = GrowingLog(tmp_path / "logs" / "run")
    log.scalar(1, 0.125)
    return log


def test_the_page_works_where_a_proxy_leaves_its_path_out(
    tmp_path: Path, log: GrowingLog, page_at: PageAt, complaints: list[str]
):
    path = "/user/ann/proxy/8080/"
    with (
        running_viewer(tmp_path / "logs", tmp_path) as live,
        nginx(tmp_path / "nginx", path, STRIPS.format(port=live.port)) as port,
    ):
        base = f"http://127.0.0.1:{port}{path}"
        use(page_at(base), base, live, log)
    assert complaints == []
