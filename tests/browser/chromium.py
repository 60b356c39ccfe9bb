# SPDX-License-Identifier: Apache-2.0
"""The browser of the tests, its flags and its contexts."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from shutil import which

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, ViewportSize, expect, sync_playwright

from .patience import PATIENCE_S

WHOLE = ("chromium", "chromium-browser", "google-chrome")
"""As people have it."""
PROGRAMS = ("chromium-headless-shell", *WHOLE)
"""The headless shell first: a page in a new context takes it 0.2 s of a processor, and the whole browser 1.05 s."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def program(programs: tuple[str, ...] = PROGRAMS) -> str:
    """The first of ``programs`` that is installed."""
    found = next(filter(None, map(which, programs)), None)
    assert found, f"no Chromium: apt-get install {programs[0]}"
    return found


WINDOW: ViewportSize = {"width": 1280, "height": 800}


def new_context(browser: Browser) -> BrowserContext:
    """A context as the tests expect it: its window, language and theme."""
    context = browser.new_context(viewport=WINDOW, locale="en-GB", color_scheme="light")
    context.set_default_timeout(1000 * PATIENCE_S)
    return context


class Profile:
    """A context whose cache keeps the files of the client from test to test, and nothing else.

    Its first page stays too: with the process of a page, the browser keeps what it compiled.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self._page = context.new_page()
        self._own = context.new_page()
        self._session = context.new_cdp_session(self._own)

    @property
    def page(self) -> Page:
        """The page that stays, which is blank at the start of a test."""
        if self._page.is_closed():
            self._page = self.context.new_page()
        return self._page

    def forget(self, origins: set[str]) -> None:
        """Close the pages of a test, empty the one that stays, and delete what they stored."""
        for page in self.context.pages:
            if page not in (self._own, self._page):
                page.close()
        if not self._page.is_closed():
            _reset(self._page)
        for origin in origins:
            self._session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})


def _reset(page: Page) -> None:
    """As a new page is: blank, with nothing under the mouse, the window and the theme of its context."""
    page.unroute_all(behavior="ignoreErrors")
    page.mouse.move(-1, -1)
    page.goto("about:blank")
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    if page.viewport_size != WINDOW:
        page.set_viewport_size(WINDOW)


class Chromium:
    """Playwright, its browser and the profile in it, each started when first asked for.

    As long as Playwright lives, an event loop runs in this thread, and other tests want to run their own.
    """

    def __init__(self) -> None:
        self._running = ExitStack()
        expect.set_options(timeout=1000 * PATIENCE_S)

    @cached_property
    def playwright(self) -> Playwright:
        return self._running.enter_context(sync_playwright())

    @cached_property
    def browser(self) -> Browser:
        return self._running.enter_context(self.playwright.chromium.launch(executable_path=program(), args=FLAGS))

    @cached_property
    def profile(self) -> Profile:
        return Profile(self._running.enter_context(new_context(self.browser)))

    def close(self) -> None:
        self._running.close()
