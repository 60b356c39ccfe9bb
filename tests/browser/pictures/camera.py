# SPDX-License-Identifier: Apache-2.0
"""Takes pictures of pages at rest: the clock stands, nothing moves, and every answer is there and drawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Request, Route

from tests.browser.pictures.cases import HEIGHTS, Look
from tests.browser.pictures.logs import NOW_S

KNOWN_AT_ONCE = ("/api/runs", "/api/server", "/api/annotations", "/api/alerts", "/api/live", "/api/tags")
"""What the server still answers while a page is pictured as loading."""
REST_MS = 200
"""A page that looks the same for so long, and waits for nothing, is at rest."""
PATIENCE = 100
"""How often a page is looked at before it is taken for one that never rests."""


class Camera:
    """One page of a browser, kept for all pictures in one look."""

    def __init__(self, browser: Browser, look: Look, now_s: float = NOW_S) -> None:
        self._page = new_page(browser, look, now_s)
        self._asked: set[Request] = set()
        """Requests of the shown page that were not answered yet; the one that stays open for news is none."""
        self._page.on("request", lambda request: is_answered_once(request.url) and self._asked.add(request))
        self._page.on("requestfinished", lambda request: self._asked.discard(request))
        self._page.on("requestfailed", lambda request: self._asked.discard(request))

    def take(self, address: str, path: Path, click: str | None = None) -> bool:
        """Picture ``address``, after a click on an element with a test id; whether it came to rest."""
        self._open(address)
        if click:
            self._page.get_by_test_id(click).click()
        return self._wait_for_rest(path, self._has_all)

    def take_loading(self, address: str, path: Path) -> bool:
        """Picture ``address`` while the server seems to keep its answers to itself."""
        held: list[Route] = []
        self._page.route(is_held, lambda route: held.append(route))
        self._open(address)
        rested = self._wait_for_rest(path, lambda: self._page.get_by_role("progressbar").count() > 0)
        for route in held:
            route.abort()
        self._page.unroute_all()
        return rested

    def close(self) -> None:
        self._page.context.close()

    def _open(self, address: str) -> None:
        self._asked.clear()
        self._page.goto(address)
        self._page.wait_for_selector("[data-testid=live][data-state=live], [data-testid=live][data-state=once]")
        self._page.evaluate("document.fonts.ready")

    def _has_all(self) -> bool:
        """Whether no request is open, and nothing is shown as loading or as being read."""
        waiting = self._page.get_by_test_id("waiting").or_(self._page.get_by_role("progressbar"))
        return not self._asked and waiting.count() == 0

    def _wait_for_rest(self, path: Path, is_there: Callable[[], bool]) -> bool:
        before = b""
        for _ in range(PATIENCE):
            was_there = is_there()
            after = self._page.screenshot(path=path, animations="disabled")
            if was_there and is_there() and after == before:
                return True
            before = after
            self._page.wait_for_timeout(REST_MS)
        return False


def new_page(browser: Browser, look: Look, now_s: float = NOW_S) -> Page:
    """A page of a person who chose theme and language before, and whose clock stands."""
    context = browser.new_context(
        viewport={"width": look.width, "height": HEIGHTS[look.width]},
        locale="en-GB",
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    chosen = json.dumps(json.dumps({"theme": look.theme, "language": look.language}))
    context.add_init_script(f"localStorage.clear(); localStorage.setItem('mindscope.settings', {chosen})")
    context.add_init_script(f"Date.now = () => {now_s * 1000}")
    return context.new_page()


def is_answered_once(address: str) -> bool:
    path = urlsplit(address).path
    return path.startswith("/api/") and path != "/api/live"


def is_held(address: str) -> bool:
    path = urlsplit(address).path
    return path.startswith("/api/") and path not in KNOWN_AT_ONCE
