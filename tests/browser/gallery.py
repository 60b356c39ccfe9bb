# SPDX-License-Identifier: Apache-2.0
"""Pictures of every page of a running viewer: ``python tests/browser/gallery.py http://127.0.0.1:8080 FOLDER``.

For people who look at them: each page in both themes, both languages, and at a wide, a usual and a half screen.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
WIDTHS = (700, 1280, 1920)
HEIGHTS = {700: 900, 1280: 800, 1920: 1080}
PAGES = {
    "runs": "/",
    "scalars": "/scalars?smoothing=0.8",
    "log": "/scalars?y=log&axis=relative",
    "images": "/images",
    "brightness": "/images?step=20&brightness=1.5&size=original",
    "difference": "/images?full=input&difference=1",
    "distributions": "/distributions",
    "front": "/distributions?shape=front&axis=relative",
    "heat": "/distributions?shape=heat",
    "percentiles": "/distributions?shape=bands",
    "both": "/distributions?shape=both",
    "nothing": "/scalars?tag=no-such-tag",
    "none": "/scalars?runs=none",
}


@dataclass(frozen=True)
class Look:
    """How a page is looked at."""

    width: int
    theme: str = "light"
    language: str = "en"
    name: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.width}-{self.theme}-{self.language}"


def looks() -> Iterator[Look]:
    """Every width in English and light, and every theme and language at the usual width."""
    yield from (Look(width) for width in WIDTHS if width != 1280)
    yield from (Look(1280, theme, language) for theme, language in product(("light", "dark"), ("en", "zh")))


def settle(page: Page) -> None:
    """Wait until the fonts are there and no card is still reading."""
    page.wait_for_selector("[data-testid=live][data-state=live], [data-testid=live][data-state=once]")
    page.wait_for_load_state("load")
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(400)


def open_page(page: Page, address: str, look: Look) -> None:
    """Open ``address`` in a look, which the page takes from the browser's storage."""
    page.set_viewport_size({"width": look.width, "height": HEIGHTS[look.width]})
    settings = f'{{"theme": "{look.theme}", "language": "{look.language}"}}'
    page.add_init_script(f"localStorage.setItem('mindscope.settings', JSON.stringify({settings}))")
    page.goto(address)
    settle(page)


def take(server: str, folder: Path, names: list[str]) -> None:
    """Write one PNG per page and look into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(CHROMIUM_FLAGS))
        for look, name in product(looks(), names):
            page = browser.new_page()
            open_page(page, server + PAGES[name], look)
            page.screenshot(path=folder / f"{name}-{look}.png")
            page.close()
        browser.close()


def main() -> None:
    """Parse the command line and take the pictures."""
    parser = argparse.ArgumentParser(description="take a picture of every page of a running viewer")
    parser.add_argument("server", help="address of the viewer, as http://127.0.0.1:8080")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--page", action="append", choices=list(PAGES), help="only this page; may be repeated")
    options = parser.parse_args()
    take(options.server.rstrip("/"), options.folder, options.page or list(PAGES))


if __name__ == "__main__":
    main()
