# SPDX-License-Identifier: Apache-2.0
"""How the page feels: first paint, filter and scroll with 1,000 runs, and with 300 charts of 20 runs.

Chromium's own trace is the clock: first contentful paint, the frames that were shown and dropped while scrolling, and
the longest task of the page's thread. The bundle is what the first page fetches, compressed as on the disk of a server.
The figures say nothing about a machine but this one.

    python bench/bench_ui.py [--runs 1000] [--charts 300] [--json FILE]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from statistics import median
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
from measuring import machine
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.table import Table

import mindscope
from mindscope.server.client import WEB

Figures = dict[str, float]
QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
CATEGORIES = (
    "toplevel,devtools.timeline,disabled-by-default-devtools.timeline,disabled-by-default-devtools.timeline.frame"
)
TASKS = ("RunTask", "ThreadControllerImpl::RunTask")
ROUNDS = 5
WHEEL = 40
SCROLLED_S = 2.0
SETTLED_MS = 1500


def main() -> None:
    """Build the logs, look at them, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--charts", type=int, default=300)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as room:
        many, wide = Path(room) / "runs", Path(room) / "charts"
        write_runs(many, options.runs, tags=3, points=100)
        write_runs(wide, 20, tags=options.charts, points=300)
        figures = {"first page, kB compressed": {"bundle": bundle_kb()}}
        with chromium() as browser:
            with viewer(many, Path(room)) as address:
                figures[f"list of {options.runs} runs"] = look_at(
                    browser, f"{address}/", "runs-rows", "run-filter", "run_1"
                )
            with viewer(wide, Path(room)) as address:
                name = f"{options.charts} charts x 20 runs"
                figures[name] = look_at(browser, f"{address}/scalars?runs=all", "scalars", "tag-filter", "tag_1")
    show(figures)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1))


def write_runs(base: Path, runs: int, tags: int, points: int) -> None:
    """Runs of the same tags, whose curves differ."""
    rng = np.random.default_rng(7)
    for number in range(runs):
        with mindscope.SummaryRecord(base / f"run_{number}") as record:
            values = rng.normal(size=(points, tags)).cumsum(axis=0)
            for step in range(points):
                for tag in range(tags):
                    record.add_value("scalar", f"group_{tag % 10}/tag_{tag}", values[step, tag])
                record.record(step)


def bundle_kb() -> float:
    """Page, styles, font and code that the first page needs before it can show anything."""
    index = (WEB / "index.html").read_text()
    named = [file for file in (WEB / "assets").iterdir() if file.name in index or file.name.startswith("RunsPage")]
    fonts = list((WEB / "assets").glob("*.woff2"))
    return (
        len(gzip.compress(index.encode())) + sum(len(gzip.compress(file.read_bytes())) for file in {*named, *fonts})
    ) / 1000


@contextmanager
def viewer(base: Path, room: Path) -> Iterator[str]:
    """A viewer that has read everything below ``base``."""
    port = free_port()
    command = [sys.executable, "-m", "mindscope.cli", "start", "--foreground", "--port", str(port)]
    command += ["--summary-base-dir", str(base), "--workspace", str(room / "workspace")]
    environment = {**os.environ, "XDG_STATE_HOME": str(room / "state")}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_read(address, len(list(base.iterdir())))
        yield address
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_read(address: str, runs: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            with urlopen(f"{address}/api/runs") as answer:
                listed = json.load(answer)["runs"]
            if len(listed) == runs and all(run["tags"] for run in listed):
                return
        except URLError:
            pass
        time.sleep(0.2)
    raise SystemExit(f"the viewer at {address} did not read {runs} runs within two minutes")


@contextmanager
def chromium() -> Iterator[Browser]:
    program = which("chromium") or which("google-chrome")
    if program is None:
        raise SystemExit("chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield browser
        browser.close()


def look_at(browser: Browser, address: str, scroller: str, filter_box: str, text: str) -> Figures:
    """Open a page several times, filter it, scroll it."""
    paints, filters, scrolls = [], [], []
    for _ in range(ROUNDS):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        page.get_by_test_id(scroller).wait_for()
        page.wait_for_timeout(SETTLED_MS)
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        scrolls.append(traced(page, lambda page=page: scroll(page, scroller)))
        filters.append(filter_ms(page, filter_box, text))
        page.close()
    names = scrolls[0].keys()
    return {
        "first paint, ms": median(paints),
        "filter, ms": median(filters),
        **{name: median([each[name] for each in scrolls]) for name in names},
    }


def scroll(page: Page, scroller: str) -> None:
    box = page.get_by_test_id(scroller).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    end = time.monotonic() + SCROLLED_S
    while time.monotonic() < end:
        page.mouse.wheel(0, WHEEL)


def traced(page: Page, act: Callable[[], None]) -> Figures:
    """What Chromium says of the frames and tasks while ``act`` goes on."""
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    done: list[bool] = []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda _: done.append(True))
    session.send("Tracing.start", {"transferMode": "ReportEvents", "categories": CATEGORIES})
    act()
    session.send("Tracing.end")
    while not done:
        page.wait_for_timeout(50)
    session.detach()
    shown = sorted(event["ts"] / 1000 for event in events if event["name"] == "DrawFrame")
    gaps = np.diff(shown) if len(shown) > 1 else np.array([np.inf])
    tasks = [event.get("dur", 0) / 1000 for event in events if event["name"] in TASKS]
    return {
        "frames a second": 1000 * len(gaps) / max(1.0, shown[-1] - shown[0]) if len(shown) > 1 else 0.0,
        "95 % of frames within, ms": float(np.percentile(gaps, 95)),
        "longest task, ms": max(tasks, default=0.0),
    }


FILTER = """([box, text]) => new Promise((resolve) => {
  const input = document.querySelector(`[data-testid="${box}"]`);
  const begun = performance.now();
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun), 0));
})"""


def filter_ms(page: Page, box: str, text: str) -> float:
    """From the input to the frame that shows its effect."""
    return float(page.evaluate(FILTER, [box, text]))


def show(figures: dict[str, Figures]) -> None:
    """All figures as one table."""
    table = Table(title=f"the page on {machine()}")
    for head in ("what", "figure", ""):
        table.add_column(head, justify="right" if head == "" else "left")
    for what, row in figures.items():
        for name, value in row.items():
            table.add_row(what, name, f"{value:,.1f}")
            what = ""
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
