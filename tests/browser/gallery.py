# SPDX-License-Identifier: Apache-2.0
"""Pictures of every page: ``python tests/browser/gallery.py [FOLDER]``, by default into ``build/gallery``.

For people who look at them: each page of the real logs in both themes, both languages, and at a wide, a usual and a
half screen; and the pages with one, twelve and three hundred cards, one and two hundred runs, nothing, damage, and
while the server does not answer. Those that no longer look like their golden picture are named, and put beside it in
``FOLDER/changed``; ``--accept`` takes the new ones for golden, once somebody looked at them. ``--docs`` takes those of
the documents instead, of what ``make demo`` trains.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.chromium import FLAGS, WHOLE, program
from tests.browser.pictures import documents, golden
from tests.browser.pictures.camera import Camera
from tests.browser.pictures.cases import PAGES, TOOL_PAGES, Case, all_cases
from tests.browser.pictures.logs import run_count, write_logs
from tests.server.live_viewer import LiveViewer, eventually, running_viewer


@contextmanager
def running_viewers(names: set[str]) -> Iterator[dict[str, str]]:
    """The addresses of a viewer over each of the logs; pages show where those are: always at the same place."""
    room = Path(tempfile.gettempdir()) / "mindscope-gallery"
    rmtree(room, ignore_errors=True)
    bases = write_logs(room)
    with ExitStack() as stack:
        viewers = {name: stack.enter_context(running_viewer(bases[name], room / f"{name}-viewer")) for name in names}
        for name, viewer in viewers.items():
            eventually(partial(has_read, viewer, run_count(name, bases[name])))
        yield {name: f"http://127.0.0.1:{viewer.port}" for name, viewer in viewers.items()}
    rmtree(room)


def has_read(viewer: LiveViewer, runs: int) -> bool:
    return len(viewer.runs()) == runs and all(run["tags"] or run["contents"] for run in viewer.runs().values())


def take(cases: list[Case], origins: dict[str, str], folder: Path) -> list[str]:
    """Take pictures, those of one look after the other; gives the names of pages that never rested."""
    restless: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(WHOLE), args=FLAGS)
        for look, alike in groupby(cases, key=lambda case: case.look):
            camera = Camera(browser, look)
            for case in alike:
                shoot = camera.take_loading if case.is_loading else camera.take
                if not shoot(origins[case.logs] + case.address, folder / f"{case.name}.png"):
                    restless.append(case.name)
            camera.close()
        browser.close()
    return restless


def take_side_by_side(cases: list[Case], origins: dict[str, str], folder: Path) -> list[str]:
    """Take pictures in as many browsers as there are cores."""
    cores = os.cpu_count() or 1
    ordered = sorted(cases, key=lambda case: case.look)
    shares = [ordered[len(ordered) * core // cores : len(ordered) * (core + 1) // cores] for core in range(cores)]
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        taken = pool.map(partial(take, origins=origins, folder=folder), shares)
        return [name for restless in taken for name in restless]


def main() -> None:
    """Parse the command line and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/gallery"), help="where the pictures go")
    parser.add_argument(
        "--page", action="append", choices=list(PAGES | TOOL_PAGES), help="only this page; may be repeated"
    )
    parser.add_argument("--golden", action="store_true", help="only the pictures that have golden ones")
    parser.add_argument("--accept", action="store_true", help="take the pictures for golden")
    parser.add_argument("--docs", action="store_true", help="only the pictures of docs/images")
    options = parser.parse_args()
    if options.docs:
        room = Path(tempfile.gettempdir()) / "mindscope-docs"
        rmtree(room, ignore_errors=True)
        documents.take(room)
        rmtree(room)
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    cases = [case for case in all_cases() if case.is_golden or not options.golden]
    if options.page:
        cases = [case for case in cases if case.address in {(PAGES | TOOL_PAGES)[page] for page in options.page}]
    with running_viewers({case.logs for case in cases}) as origins:
        restless = take_side_by_side(cases, origins, options.folder)
    print(f"{len(cases)} pictures in {options.folder}")
    for name in restless:
        print(f"never at rest: {name}")
    kept = [case.name for case in cases if case.is_golden]
    for change in golden.changes(options.folder, kept):
        print(f"changed: {change}")
    if options.accept:
        golden.accept(options.folder, kept, {case.name for case in all_cases() if case.is_golden})


if __name__ == "__main__":
    main()
