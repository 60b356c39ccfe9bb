# SPDX-License-Identifier: Apache-2.0
"""A viewer in this process, and pictures that a browser takes of its pages."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from mindscope.errors import MissingPackageError, ServerError
from mindscope.ingest import Catalog
from mindscope.reasons import Reason
from mindscope.server.alerts.worker import alerts_of
from mindscope.server.app import create_app
from mindscope.server.process.server import ViewerServer, listen, uvicorn_config
from mindscope.settings import Settings

HOST = "127.0.0.1"
_FLAGS = ("--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run")
_START_S = 30.0
_MOST_MS = 20_000
_QUIET_MS, _TICK_MS = 400, 50
"""A page is complete when no request was open for this time."""
_UNENDING = ("/api/live", "Worker-")
"""Requests that Playwright never reports as finished: the stream of events, and scripts of workers."""


class Window(NamedTuple):
    """The size of a window in pixels, and its theme."""

    width: int
    height: int
    theme: str


class PageViewer:
    """Serves the pages of runs on a free port from the first picture on; what it keeps is in a temporary directory."""

    def __init__(self, catalog: Catalog, browser: Path | None) -> None:
        self._catalog, self._browser = catalog, browser
        self._stack = ExitStack()
        self._address = ""

    def picture(self, path: str, window: Window) -> bytes:
        """Return the PNG of the page at ``path``, which begins with ``/``.

        Raises MissingPackageError without Playwright or a browser, ServerError if the page does not load.
        """
        playwright = _playwright()
        if not self._address:
            self._address = self._stack.enter_context(_served(self._catalog))
        with playwright.sync_playwright() as running:
            try:
                browser = running.chromium.launch(executable_path=self._browser, args=_FLAGS)
            except playwright.Error as error:
                raise MissingPackageError(Reason("browser_missing", detail=_first_line(error))) from error
            try:
                return _taken(browser, f"{self._address}{path}", window)
            except playwright.Error as error:
                raise ServerError(f"the page {path} did not load: {_first_line(error)}") from error
            finally:
                browser.close()

    def close(self) -> None:
        """Stop the viewer."""
        self._stack.close()
        self._address = ""


def _playwright() -> Any:
    try:
        return import_module("playwright.sync_api")
    except ImportError as error:
        raise MissingPackageError(Reason("playwright_missing")) from error


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)[:300].rstrip(".")


def _taken(browser: Any, address: str, window: Window) -> bytes:
    """Return the picture of a page when all of its requests are answered."""
    size = {"width": window.width, "height": window.height}
    context = browser.new_context(viewport=size, color_scheme=window.theme, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(_MOST_MS)
    requests = _OpenRequests()
    page.on("request", requests.add)
    page.on("requestfinished", requests.remove)
    page.on("requestfailed", requests.remove)
    page.goto(address, wait_until="load")
    quiet = waited = 0
    while quiet < _QUIET_MS and waited < _MOST_MS:
        page.wait_for_timeout(_TICK_MS)
        waited += _TICK_MS
        quiet = 0 if requests.are_open else quiet + _TICK_MS
    return page.screenshot(type="png", animations="disabled")


class _OpenRequests:
    """The requests of a page without an answer."""

    def __init__(self) -> None:
        self._requests: set[Any] = set()

    @property
    def are_open(self) -> bool:
        return bool(self._requests)

    def add(self, request: Any) -> None:
        if not any(part in request.url for part in _UNENDING):
            self._requests.add(request)

    def remove(self, request: Any) -> None:
        self._requests.discard(request)


def _settings(catalog: Catalog, workspace: Path, port: int) -> Settings:
    address = {"host": HOST, "port": port}
    return replace(Settings(), summary_base_dir=catalog.base, workspace=workspace, reload_interval=0, **address)


@contextmanager
def _served(catalog: Catalog) -> Generator[str]:
    """Serve the runs of a catalog on a thread; yields the address. Raises ServerError if it does not start."""
    ready = threading.Event()
    with tempfile.TemporaryDirectory(prefix="mindscope-mcp-") as workspace, listen(HOST, 0) as listener:
        port = listener.getsockname()[1]
        settings = _settings(catalog, Path(workspace), port)
        app = create_app(settings, catalog)
        alerts_of(app.state.viewer).start()
        server = ViewerServer(uvicorn_config(app), app.state.viewer, ready.set)
        thread = threading.Thread(target=server.run, args=([listener],), name="mcp-viewer", daemon=True)
        thread.start()
        try:
            if not ready.wait(_START_S):
                raise ServerError("the viewer of the pages did not start; call the tool again.")
            yield f"http://{HOST}:{port}"
        finally:
            server.should_exit = True
            thread.join(_START_S)
            alerts_of(app.state.viewer).close()
