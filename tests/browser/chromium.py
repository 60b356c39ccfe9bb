# SPDX-License-Identifier: Apache-2.0
"""The browser of the tests, its flags and its contexts."""

from __future__ import annotations

from shutil import which

from playwright.sync_api import Browser, BrowserContext

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


def new_context(browser: Browser) -> BrowserContext:
    """A context as the tests expect it: its window, language and theme."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", color_scheme="light")
    context.set_default_timeout(1000 * PATIENCE_S)
    return context
