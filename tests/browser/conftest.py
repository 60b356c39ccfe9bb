# SPDX-License-Identifier: Apache-2.0
"""A real browser on a real viewer. Every test also proves that its page asks nobody else and breaks no rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .chromium import FLAGS, program
from .images_page import greys as greys
from .images_page import many as many
from .patience import PATIENCE_S

WEB = Path(__file__).parents[2] / "src" / "mindscope" / "server" / "web"
OpenPage = Callable[[str], Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One a module: as long as it lives, an event loop runs in this thread, and others want to run their own."""
    expect.set_options(timeout=1000 * PATIENCE_S)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A viewer over the real logs."""
    assert (WEB / "index.html").is_file(), "the client is not built: cd ui && npm ci && npm run build"
    with running_viewer(DATA, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) > 20 and all(run["tags"] for run in live.runs().values()))
        yield live


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", color_scheme="light")
    context.set_default_timeout(1000 * PATIENCE_S)
    yield context
    context.close()


@pytest.fixture
def complaints() -> list[str]:
    """What pages said in the console or asked of others. A test that provokes some clears them."""
    return []


@pytest.fixture
def open_page(context: BrowserContext, complaints: list[str]) -> Iterator[Callable[[LiveViewer, str], Page]]:
    """Opens an address of a viewer in a page of its own, and watches the page until the test ends."""

    def open_(live: LiveViewer, address: str) -> Page:
        origin = f"http://127.0.0.1:{live.port}"
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: request.url.startswith((origin, "blob:", "data:")) or complaints.append(request.url),
        )
        page.goto(origin + address)
        return page

    yield open_
    assert complaints == []
