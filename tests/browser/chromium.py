# SPDX-License-Identifier: Apache-2.0
"""The browser of the tests, and its flags."""

from __future__ import annotations

from shutil import which

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
