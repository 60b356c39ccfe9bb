# SPDX-License-Identifier: Apache-2.0
"""Many loads in one tab and many tabs of one browser: a browser opens only six connections to a server."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .chromium import FLAGS, WHOLE, new_context, program
from .held_requests import HeldRequests
from .scalars_page import card

MANY = 8
"""Loads or tabs: if each kept a connection, the last would get none."""
HOST = socket.gethostname().lower()
RESOLVE = f"--host-resolver-rules=MAP {HOST} 127.0.0.1"


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One that finds this machine by its name."""
    with playwright.chromium.launch(executable_path=program(), args=[*FLAGS, RESOLVE]) as browser:
        yield browser


@pytest.fixture
def caching_context(playwright: Playwright) -> Iterator[BrowserContext]:
    """Of a whole browser with its back/forward cache: Playwright turns that off, and the headless shell has none."""
    without = ["--disable-back-forward-cache"]
    with playwright.chromium.launch(
        executable_path=program(WHOLE), args=FLAGS, ignore_default_args=without
    ) as browser, new_context(browser) as context:  # fmt: skip
        yield context


@dataclass
class Training:
    """A viewer over one run that grows."""

    viewer: LiveViewer
    log: GrowingLog
    steps: Iterator[int] = field(default_factory=lambda: count(2))

    def streams(self) -> int:
        """Event streams that were opened so far."""
        return self.viewer.requests().count("GET /api/live")

    def address(self, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.viewer.port}/scalars"

    def open(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.goto(self.address())
        expect(card(page, "loss")).to_be_visible()
        return page

    def expect_live(self, *pages: Page) -> None:
        """Record a point and find it on each page, without a reload."""
        value = next(self.steps) + 0.5
        self.log.scalar(int(value), value)
        for page in pages:
            expect(card(page, "loss")).to_contain_text(str(value))


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Training]:
    room = tmp_path_factory.mktemp("tabs")
    log = GrowingLog(room / "logs" / "run")
    log.scalar(1, 1.0)
    with running_viewer(room / "logs", room, "--host", "0.0.0.0", "--no-token") as viewer:
        eventually(lambda: viewer.runs().get("run", {}).get("tags"))
        yield Training(viewer, log)


def without_shared_workers(context: BrowserContext) -> None:
    context.add_init_script("delete window.SharedWorker")


def load_many_times(page: Page, address: str) -> None:
    for number in range(MANY):
        page.goto(f"{address}?load={number}")
        expect(card(page, "loss")).to_be_visible()


@pytest.mark.parametrize("is_shared", [True, False])
def test_many_loads_in_one_tab_are_all_live(training: Training, context: BrowserContext, is_shared: bool):
    if not is_shared:
        without_shared_workers(context)
    page = context.new_page()
    load_many_times(page, training.address())
    training.expect_live(page)


@pytest.mark.parametrize("is_shared", [True, False])
def test_a_page_out_of_the_back_forward_cache_is_up_to_date(
    training: Training, caching_context: BrowserContext, is_shared: bool
):
    if not is_shared:
        without_shared_workers(caching_context)
    page = training.open(caching_context)
    page.evaluate("addEventListener('pageshow', event => (window.isOutOfCache = event.persisted))")
    page.goto(training.address() + "?linked=off")
    expect(card(page, "loss")).to_be_visible()
    training.expect_live(page)
    page.go_back(wait_until="commit")
    training.expect_live(page)
    assert page.evaluate("window.isOutOfCache")


def test_what_grows_before_the_stream_opens_is_shown(training: Training, context: BrowserContext):
    without_shared_workers(context)
    stream = HeldRequests(context, "**/api/live")
    page = training.open(context)
    expect(card(page, "loss")).to_contain_text(re.compile(r"\d"))
    value = next(training.steps) + 0.5
    training.log.scalar(int(value), value)
    eventually(lambda: training.viewer.runs()["run"]["last_step"] == int(value))
    stream.release()
    expect(card(page, "loss")).to_contain_text(str(value))


def test_many_tabs_are_live_over_one_stream(training: Training, context: BrowserContext):
    before = training.streams()
    pages = [training.open(context) for _ in range(MANY)]
    training.expect_live(*pages)
    assert training.streams() == before + 1


def test_a_tab_that_is_closed_takes_no_stream_with_it(training: Training, context: BrowserContext):
    first, second, third = (training.open(context) for _ in range(3))
    first.close()
    training.expect_live(second, third)
    second.close(run_before_unload=True)
    training.expect_live(third)


def test_a_frozen_tab_is_up_to_date_when_it_is_active_again(training: Training, context: BrowserContext):
    frozen, other = training.open(context), training.open(context)
    session = context.new_cdp_session(frozen)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    training.expect_live(other)
    session.send("Page.setWebLifecycleState", {"state": "active"})
    training.expect_live(frozen, other)


def test_a_worker_that_the_browser_ended_is_replaced(training: Training, browser: Browser, context: BrowserContext):
    context.clock.install()
    page = training.open(context)
    training.expect_live(page)
    before = training.streams()
    session = browser.new_browser_cdp_session()
    for worker in session.send("Target.getTargets", {"filter": [{"type": "shared_worker"}]})["targetInfos"]:
        session.send("Target.closeTarget", {"targetId": worker["targetId"]})
    page.clock.fast_forward(31_000)
    training.expect_live(page)
    assert training.streams() == before + 1


def test_many_tabs_of_an_insecure_address_share_a_stream_too(training: Training, context: BrowserContext):
    before = training.streams()
    pages = [context.new_page() for _ in range(MANY)]
    for page in pages:
        page.goto(training.address(HOST))
        expect(card(page, "loss")).to_be_visible()
    assert not pages[0].evaluate("isSecureContext")
    training.expect_live(*pages)
    assert training.streams() == before + 1
