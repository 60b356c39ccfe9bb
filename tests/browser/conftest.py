# SPDX-License-Identifier: Apache-2.0
"""A real browser on a real viewer. Every test also proves that its page asks nobody else and breaks no rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .chromium import FLAGS, new_context, program
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
def playwright() -> Iterator[Playwright]:
    """One a module: as long as it lives, an event loop runs in this thread, and others want to run their own."""
    expect.set_options(timeout=1000 * PATIENCE_S)
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with playwright.chromium.launch(executable_path=program(), args=FLAGS) as browser:
        yield browser


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


class Profile:
    """A context whose cache keeps the files of the client from test to test, and nothing else."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self._own = context.new_page()
        self._session = context.new_cdp_session(self._own)

    def forget(self, origins: set[str]) -> None:
        """Close the pages of a test, and delete what they stored."""
        for page in self.context.pages:
            if page != self._own:
                page.close()
        for origin in origins:
            self._session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})


@pytest.fixture(scope="module")
def profile(browser: Browser) -> Iterator[Profile]:
    with new_context(browser) as context:
        yield Profile(context)


@pytest.fixture
def complaints() -> list[str]:
    """What pages said in the console or asked of others. A test that provokes some clears them."""
    return []


@pytest.fixture
def open_page(request: pytest.FixtureRequest, complaints: list[str]) -> Iterator[Callable[[LiveViewer, str], Page]]:
    """Opens an address of a viewer in a page of its own, and watches the page until the test ends."""
    profile = None if "context" in request.fixturenames else request.getfixturevalue("profile")
    context = profile.context if profile else request.getfixturevalue("context")
    origins: set[str] = set()

    def open_(live: LiveViewer, address: str) -> Page:
        origin = f"http://127.0.0.1:{live.port}"
        origins.add(origin)
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
    found = [*complaints]  # the test may have ended its viewer, which the pages miss from now on
    if profile:
        profile.forget(origins)
    assert found == []
