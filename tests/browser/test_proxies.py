# SPDX-License-Identifier: Apache-2.0
"""The page behind proxies: at another path, and under another name."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, free_port, running_viewer

from .chromium import FLAGS, Chromium, new_context, program
from .nginx import nginx
from .page_watch import PageWatch
from .scalars_page import card, wait_until_drawn

STRIPS = "proxy_pass http://127.0.0.1:{port}/; proxy_set_header Host $http_host;"
"""Leaves out the prefix, as do jupyter-server-proxy, VS Code and Colab."""
REWRITES = "proxy_pass http://127.0.0.1:{port};"
"""Keeps the prefix and puts the address of the viewer in place of the name, as nginx does unless told otherwise."""
NAME = "viewer.example.org"


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


@contextmanager
def visit(chromium: Chromium, base: str, complaints: list[str]) -> Generator[Page]:
    """A page that may ask nobody else than the viewer at this address. Its browser knows the public name."""
    flags = [*FLAGS, f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
    with (
        chromium.playwright.chromium.launch(executable_path=program(), args=flags) as browser,
        new_context(browser) as context,
    ):
        page = context.new_page()
        PageWatch(page, base, complaints)
        yield page


@pytest.fixture
def log(tmp_path: Path) -> GrowingLog:
    log = GrowingLog(tmp_path / "logs" / "run")
    log.scalar(1, 0.125)
    return log


def test_the_page_works_where_a_proxy_leaves_its_path_out(
    tmp_path: Path, log: GrowingLog, chromium: Chromium, complaints: list[str]
):
    path = "/user/ann/proxy/8080/"
    with (
        running_viewer(tmp_path / "logs", tmp_path) as live,
        nginx(tmp_path / "nginx", path, STRIPS.format(port=live.port)) as port,
        visit(chromium, base := f"http://127.0.0.1:{port}{path}", complaints) as page,
    ):
        use(page, base, live, log)
    assert complaints == []


def test_the_page_works_below_a_path_and_under_a_public_name(
    tmp_path: Path, log: GrowingLog, chromium: Chromium, complaints: list[str]
):
    """A browser tells only a secure page where a request comes from; this one sends its origin alone."""
    base = f"http://{NAME}:{(port := free_port())}/team/"
    flags = ("--path-prefix", "/team/", "--allow-host", f"{NAME}:{port}")
    with (
        running_viewer(tmp_path / "logs", tmp_path, *flags) as live,
        nginx(tmp_path / "nginx", "/team/", REWRITES.format(port=live.port), port),
        visit(chromium, base, complaints) as page,
    ):
        live.http.base_url = httpx.URL(f"http://127.0.0.1:{live.port}/team/")
        use(page, base, live, log)
    assert complaints == []


def test_without_the_public_name_the_page_says_how_to_allow_it(
    tmp_path: Path, log: GrowingLog, chromium: Chromium, complaints: list[str]
):
    with (
        running_viewer(tmp_path / "logs", tmp_path) as live,
        nginx(tmp_path / "nginx", "/", REWRITES.format(port=live.port)) as port,
        visit(chromium, base := f"http://{NAME}:{port}/", complaints) as page,
    ):
        page.goto(f"{base}scalars")
        expect(page.get_by_role("alert").first).to_contain_text(f"not started with --allow-host {NAME}:{port}.")
    complaints.clear()  # the console tells of the refusal
