# SPDX-License-Identifier: Apache-2.0
"""Pictures of every page: ``python tests/browser/gallery.py [FOLDER]``, by default into ``build/gallery``.

For people who look at them: each page of the real logs in both themes, both languages, and at a wide, a usual and a
half screen; and the pages with one, twelve and three hundred cards, one and two hundred runs, nothing, damage, and
while the server does not answer. Those that no longer look like their golden picture are named; ``--accept`` takes
the new ones for golden, once somebody looked at them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from shutil import copytree, rmtree, which
from urllib.parse import urlsplit

import numpy as np
from playwright.sync_api import Browser, Page, Route, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2]))

import mindscope
from tests.browser import golden
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
WIDTHS = (900, 1280, 1920)
HEIGHTS = {900: 900, 1280: 800, 1920: 1080}
TB_ALL = "run=tensorboard%2Ftb_all%2Frun_a"
PAGES = {
    "runs": "/",
    "dashboard": "/dashboard?run=mindspore%2Fops",
    "dashboard-landscape": "/dashboard?run=mindspore%2Flandscape%2Funit_step",
    "dashboard-empty": f"/dashboard?{TB_ALL}%2Fmulti_a",
    "scalars": "/scalars?smoothing=0.8",
    "log": "/scalars?y=log&axis=relative",
    "compare": "/compare",
    "images": "/images",
    "brightness": "/images?step=20&brightness=1.5&size=original",
    "difference": "/images?full=input&difference=1",
    "distributions": "/distributions",
    "front": "/distributions?shape=front&axis=relative",
    "heat": "/distributions?shape=heat",
    "percentiles": "/distributions?shape=bands",
    "tensors": "/tensors",
    "tensor-table": "/tensors?run=mindspore%2Fops&full=logits",
    "tensor-heat": "/tensors?run=mindspore%2Fops&full=logits&as=heat",
    "tensor-histogram": "/tensors?run=mindspore%2Fops&full=logits&as=histogram",
    "tensor-problem": "/tensors?run=mindspore%2Fops&full=logits&slice=soup,:",
    "hparams": "/hparams",
    "texts": f"/texts?{TB_ALL}",
    "audio": f"/audio?{TB_ALL}",
    "pr-curves": f"/pr-curves?{TB_ALL}",
    "nothing": "/scalars?tag=no-such-tag",
    "none": "/scalars?runs=none",
}
GOLDEN_LOOKS = ("1280-light-en", "1280-dark-zh")
KNOWN_AT_ONCE = ("/api/runs", "/api/server", "/api/notebook", "/api/alerts", "/api/live", "/api/tags")
"""What the server still answers while a page is pictured as loading."""
LOADING_PAGES = ("dashboard", "scalars", "compare", "images", "distributions", "tensors", "hparams", "texts", "audio")
SIZED_PAGES = ("", "scalars", "compare", "images", "distributions", "tensors", "dashboard")


@dataclass(frozen=True)
class Look:
    """How a page is looked at."""

    width: int
    theme: str = "light"
    language: str = "en"

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
    page.wait_for_timeout(900)


def is_held(address: str) -> bool:
    path = urlsplit(address).path
    return path.startswith("/api/") and path not in KNOWN_AT_ONCE


def take(browser: Browser, address: str, look: Look, path: Path, is_loading: bool = False) -> None:
    """One picture of ``address``; theme and language are what a person chose before."""
    page = browser.new_page(viewport={"width": look.width, "height": HEIGHTS[look.width]})
    settings = f'{{"theme": "{look.theme}", "language": "{look.language}"}}'
    page.add_init_script(f"localStorage.setItem('mindscope.settings', JSON.stringify({settings}))")
    held: list[Route] = []
    if is_loading:
        page.route(is_held, lambda route: held.append(route))
    page.goto(address)
    settle(page)
    page.screenshot(path=path)
    for route in held:
        route.abort()
    page.close()


def write_cards(base: Path, runs: int, cards: int) -> None:
    """Runs with so many tags of every kind that has cards."""
    rng = np.random.default_rng(7)
    for number in range(runs):
        with mindscope.SummaryRecord(base / f"run_{number}") as record:
            for step in range(0, 30, 3):
                for card in range(cards):
                    weight = rng.normal(step / 30, 1, (8, 8)).astype(np.float32)
                    record.add_value("scalar", f"group_{card % 5}/tag_{card}", float(weight.mean()))
                    if runs == 1:
                        record.add_value("histogram", f"weight_{card}", weight)
                        record.add_value("tensor", f"tensor_{card}", weight)
                        record.add_value("image", f"image_{card}", np.abs(weight[None, None]) / 4)
                record.record(step)


def write_damaged(base: Path) -> None:
    """The real logs with a byte of every event file turned over."""
    copytree(DATA / "mindspore" / "custom_loop", base / "custom_loop")
    for path in (base / "custom_loop").glob("events*"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(bytes(content))


def wait_until_read(live: LiveViewer, count: int) -> None:
    eventually(lambda: len(live.runs()) >= count and all(run["tags"] for run in live.runs().values()))


def take_real_logs(browser: Browser, folder: Path, room: Path, names: list[str]) -> None:
    copytree(DATA, room / "logs")
    with running_viewer(room / "logs", room / "viewer") as live:
        wait_until_read(live, 20)
        for look, name in product(looks(), names):
            take(browser, f"http://127.0.0.1:{live.port}{PAGES[name]}", look, folder / f"{name}-{look}.png")
        for name in {*names} & {*LOADING_PAGES}:
            address = f"http://127.0.0.1:{live.port}{PAGES[name]}"
            take(browser, address, Look(1280), folder / f"loading-{name}-light.png", is_loading=True)


def take_sizes(browser: Browser, folder: Path, room: Path) -> None:
    """One, twelve and three hundred cards of a run, two hundred runs, nothing, and damage; light and dark."""
    bases = {f"{cards}-cards": (1, cards) for cards in (1, 12, 300)} | {"200-runs": (200, 12)}
    for name, (runs, cards) in bases.items():
        write_cards(room / name, runs, cards)
    (room / "empty").mkdir()
    write_damaged(room / "damaged")
    for name in (*bases, "empty", "damaged"):
        with running_viewer(room / name, room / f"{name}-viewer") as live:
            wait_until_read(live, bases.get(name, (0 if name == "empty" else 1, 0))[0])
            for page, theme in product(SIZED_PAGES, ("light", "dark")):
                address = f"http://127.0.0.1:{live.port}/{page}"
                take(browser, address, Look(1280, theme), folder / f"{name}-{page or 'runs'}-{theme}.png")


def main() -> None:
    """Parse the command line and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/gallery"), help="where the pictures go")
    parser.add_argument("--page", action="append", choices=list(PAGES), help="only this page; may be repeated")
    parser.add_argument("--accept", action="store_true", help="take the pictures for golden")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    room = Path(tempfile.gettempdir()) / "mindscope-gallery"  # pages show where their logs are: always the same place
    rmtree(room, ignore_errors=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=list(CHROMIUM_FLAGS))
        take_real_logs(browser, options.folder, room, options.page or list(PAGES))
        if not options.page:
            take_sizes(browser, options.folder, room)
        browser.close()
    rmtree(room)
    print(f"{len(list(options.folder.glob('*.png')))} pictures in {options.folder}")
    if options.accept:
        golden.accept(options.folder, worth_keeping(options.folder))
    for change in golden.changes(options.folder):
        print(f"changed: {change}")


def worth_keeping(folder: Path) -> list[str]:
    """The golden ones: every page in two looks, and every size and state in light."""
    return [
        path.name
        for path in folder.glob("*.png")
        if path.stem.endswith(GOLDEN_LOOKS) or (path.stem.endswith("-light") and not path.stem.startswith("1-"))
    ]


if __name__ == "__main__":
    main()
