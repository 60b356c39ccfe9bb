# SPDX-License-Identifier: Apache-2.0
"""What a page must not do in any test."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Request

from tests.server.live_viewer import LiveViewer

from .patience import until

SHIFTS = """
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) window.shift += value;
  }).observe({ type: "layout-shift", buffered: true });
"""


def loading(
    context: BrowserContext, open_page: Callable[[LiveViewer, str], Page], viewer: LiveViewer, width: int, address: str
) -> Page:
    """A page that begins to load an address, at a width; it counts how far its parts move after they were painted."""
    context.add_init_script(SHIFTS)
    page = open_page(viewer, "/")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"http://127.0.0.1:{viewer.port}{address}")
    return page


def expect_no_shift(page: Page) -> None:
    """Expect that the page, which shows all its data, did not move."""
    until(page, lambda: page.evaluate("document.getAnimations().every((one) => one.playState === 'finished')"))
    assert page.evaluate("window.shift") < 0.05


class PageWatch:
    """Adds to ``complaints`` what a page writes into the console, and whom it asks beside its viewer."""

    def __init__(self, page: Page, origin: str, complaints: list[str]) -> None:
        self.origin = origin
        self._page, self._complaints = page, complaints
        page.on("console", self._read_message)
        page.on("pageerror", self._read_error)
        page.on("request", self._read_request)

    def end(self) -> None:
        self._page.remove_listener("console", self._read_message)
        self._page.remove_listener("pageerror", self._read_error)
        self._page.remove_listener("request", self._read_request)

    def _read_message(self, message: ConsoleMessage) -> None:
        # what a driver of the processor says about its speed is not about the page
        if message.type in ("error", "warning") and "GL Driver Message" not in message.text:
            self._complaints.append(message.text)

    def _read_error(self, error: Error) -> None:
        self._complaints.append(str(error))

    def _read_request(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "blob:", "data:")):
            self._complaints.append(request.url)
