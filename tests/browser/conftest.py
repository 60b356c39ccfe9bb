# SPDX-License-Identifier: Apache-2.0
"""A real browser on a real viewer. Every test also proves that its page asks nobody else and breaks no rule."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .chromium import Chromium, new_context
from .images_page import greys as greys
from .images_page import many as many
from .page_watch import PageWatch

HERE = Path(__file__).parent
CHROMIUM = pytest.StashKey[Chromium]()
WEB = HERE.parents[1] / "src" / "mindscope" / "server" / "web"
OpenPage = Callable[[str], Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """The browser stays from file to file, and ends before a test of another folder."""
    try:
        return (yield)
    finally:
        if CHROMIUM in item.session.stash and (nextitem is None or HERE not in nextitem.path.parents):
            item.session.stash[CHROMIUM].close()
            del item.session.stash[CHROMIUM]


@pytest.fixture(scope="module")
def chromium(request: pytest.FixtureRequest) -> Chromium:
    return request.session.stash.setdefault(CHROMIUM, Chromium())


@pytest.fixture(scope="module")
def playwright(chromium: Chromium) -> Playwright:
    return chromium.playwright


@pytest.fixture(scope="module")
def browser(chromium: Chromium) -> Browser:
    return chromium.browser


@pytest.fixture(scope="session")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A viewer over the real logs."""
    assert (WEB / "index.html").is_file(), "the client is not built: cd ui && npm ci && npm run build"
    with running_viewer(DATA, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) > 20 and all(run["tags"] for run in live.runs().values()))
        yield live


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """For tests that change it, or watch what a first visit loads. Their pages open in it too."""
    with new_context(browser) as context:
        yield context


@pytest.fixture
def complaints() -> list[str]:
    """What pages said in the console or asked of others. A test that provokes some clears them."""
    return []


@pytest.fixture
def open_page(request: pytest.FixtureRequest, complaints: list[str]) -> Iterator[OpenPage]:
    """Opens an address of a viewer in a page of its own, and watches the page until the test ends."""
    if "context" in request.fixturenames:
        context, profile = request.getfixturevalue("context"), None
    else:
        profile = request.getfixturevalue("chromium").profile
        context = profile.context
    watched: dict[Page, PageWatch] = {}

    def open_(live: LiveViewer, address: str) -> Page:
        page = context.new_page() if profile is None or watched else profile.page
        watched[page] = PageWatch(page, f"http://127.0.0.1:{live.port}", complaints)
        page.goto(watched[page].origin + address)
        return page

    yield open_
    for watch in watched.values():  # the test may have ended its viewer, which the pages miss from now on
        watch.end()
    if profile:
        profile.forget({watch.origin for watch in watched.values()})
    assert complaints == []
