# SPDX-License-Identifier: Apache-2.0
"""How the page feels: first paint, filter and scroll with 1,000 and 10,000 runs, and with 300 charts of 20 runs; frames
while a brush is dragged over 10,000 runs on 12 parallel axes; the first view of a graph of 100,000 nodes, and a
scope that opens in it.

Chromium's own trace is the clock: first contentful paint, the frames that were shown while scrolling, and what the
page's thread had to do for them. The browser itself makes the scroll gesture, so that no driver holds it up. Beside
each figure of scrolling stands that of a page of plain text as long and without a script: no page can do better on
this machine. The bundle is what the first page fetches, compressed as on the disk of a server.

    python bench/bench_ui.py [--runs 1000] [--many-runs 10000] [--charts 300] [--json FILE]
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from statistics import median
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import numpy as np
from bench_lineage import write_runs as write_lineage
from graph_logs import write_graph
from measuring import machine
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright
from rich.console import Console
from rich.table import Table

import mindscope
from mindscope.server.http.static_files import WEB

Figures = dict[str, tuple[float, float | None]]
"""Figures of a page by name, each with that of plain text where there is one."""
QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
CATEGORIES = (
    "toplevel,devtools.timeline,disabled-by-default-devtools.timeline,disabled-by-default-devtools.timeline.frame"
)
TASK = "ThreadControllerImpl::RunTask"
MAIN_THREAD = "CrRendererMain"
ROUNDS = 5
SCROLLED_PIXELS = 4800
PIXELS_A_SECOND = 2400
SETTLED_MS = 1500
COLD_MS = 180_000
"""Until a table of 10,000 runs that nobody asked for yet is shown."""
LINE_PIXELS = 20
AXES = ["learning_rate", "optimizer", "batch_size", "epoch", *(f"custom/parameter_{place}" for place in range(7))]
AXES.append("metric/Accuracy")
BRUSHED = ("custom/parameter_3", "learning_rate", "optimizer")
PLAIN = """<!doctype html><style>html, body {{ margin: 0; height: 100% }} div {{ height: 100%; overflow-y: scroll }}
p {{ height: {line}px; margin: 0 }}</style><div data-testid="plain">{text}</div>"""


def main() -> None:
    """Build the logs, look at them, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--many-runs", type=int, default=10_000)
    parser.add_argument("--charts", type=int, default=300)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures: dict[str, Figures] = {"first page, kB compressed": {"bundle": (bundle_kb(), None)}}
    with tempfile.TemporaryDirectory() as room, chromium() as browser:
        for count in (options.runs, options.many_runs):
            logs = Path(room) / f"runs_{count}"
            write_runs(logs, count, tags=3, points=100 if count <= 1000 else 20)
            with viewer(logs, Path(room)) as address:
                page = (f"{address}/", "runs-table", "runs-filter", "run_1")
                figures[f"list of {count:,} runs"] = look_at(browser, *page)
        wide = Path(room) / "charts"
        write_runs(wide, 20, tags=options.charts, points=300)
        with viewer(wide, Path(room)) as address:
            page = (f"{address}/scalars?runs=all", "scalars", "tag-filter", "tag_1")
            figures[f"{options.charts} charts x 20 runs"] = look_at(browser, *page)
        lineage = Path(room) / "lineage"
        write_lineage(lineage)
        with viewer(lineage, Path(room)) as address:
            query = urlencode({"target": AXES[-1], "dimension": [f":{axis}" for axis in AXES]}, doseq=True)
            figures["10,000 runs on 12 parallel axes"] = brush(browser, f"{address}/?lineage_chart=coordinates&{query}")
        graphs = Path(room) / "graphs"
        write_graph(graphs / "run", options.nodes)
        with viewer(graphs, Path(room)) as address:
            figures[f"graph of {options.nodes:,} nodes"] = open_graph(browser, f"{address}/graph?runs=all")
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


def open_graph(browser: Browser, address: str) -> Figures:
    """From the request of the page to the laid out graph, and from a key to an opened scope."""
    rounds: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
        page.goto(address, wait_until="commit")
        picture = page.locator("[data-testid=graph][data-state=shown]")
        picture.wait_for()
        first = float(
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done(performance.now())))")
        )
        page.get_by_test_id("graph-search").fill("block12")
        page.get_by_test_id("graph-search").press("Enter")
        page.get_by_test_id("graph-panel").wait_for()
        picture.focus()
        rounds.append((first, float(page.evaluate(OPEN))))
        page.close()
    return {
        "first view, first time, ms": (rounds[0][0], None),
        "first view, median, ms": (median(first for first, _ in rounds), None),
        "a scope opens, median, ms": (median(opened for _, opened in rounds), None),
    }


OPEN = """() => new Promise((done) => {
  const graph = document.querySelector("[data-testid=graph]");
  const status = document.querySelector("[data-testid=graph-status]");
  const [start, before] = [performance.now(), status.textContent];
  const look = () => (status.textContent === before ? requestAnimationFrame(look) : done(performance.now() - start));
  graph.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  look();
})"""


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
    command = [sys.executable, "-m", "mindscope", "start", "--foreground", "--port", str(port)]
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
    """Open a page several times, scroll it, filter it; and scroll plain text as long."""
    paints, filters, scrolls, plains = [], [], [], []
    for _ in range(ROUNDS):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        page.get_by_test_id(scroller).wait_for()
        page.wait_for_timeout(SETTLED_MS)
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        height = page.get_by_test_id(scroller).evaluate("element => element.scrollHeight")
        scrolls.append(scrolled(page, scroller))
        filters.append(filter_ms(page, filter_box, text))
        page.set_content(PLAIN.format(line=LINE_PIXELS, text="<p>plain text</p>" * (height // LINE_PIXELS)))
        plains.append(scrolled(page, "plain"))
        page.close()
    return {
        "first paint, ms": (median(paints), None),
        "filter, ms": (median(filters), None),
        **{name: (middle(scrolls, name), middle(plains, name)) for name in scrolls[0]},
    }


def middle(rounds: list[dict[str, float]], name: str) -> float:
    return median(figures[name] for figures in rounds)


def scrolled(page: Page, scroller: str) -> dict[str, float]:
    """What Chromium says of the frames and tasks while it scrolls down."""
    box = page.get_by_test_id(scroller).bounding_box()
    assert box is not None
    gesture = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    done: list[bool] = []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda _: done.append(True))
    session.send("Tracing.start", {"transferMode": "ReportEvents", "categories": CATEGORIES})
    session.send(
        "Input.synthesizeScrollGesture",
        {**gesture, "yDistance": -SCROLLED_PIXELS, "speed": PIXELS_A_SECOND, "gestureSourceType": "mouse"},
    )
    session.send("Tracing.end")
    while not done:
        page.wait_for_timeout(50)
    session.detach()
    return frames_of(events)


def frames_of(events: list[dict[str, Any]]) -> dict[str, float]:
    """Figures of a trace: frames that were shown, and tasks of the page's thread."""
    shown = sorted(event["ts"] / 1000 for event in events if event["name"] == "DrawFrame")
    if len(shown) < 2:
        raise SystemExit("no frame was shown while scrolling: is there room for a browser on this machine?")
    gaps = np.diff(shown)
    tasks = tasks_of_page(events)
    return {
        "frames a second": 1000 * len(gaps) / (shown[-1] - shown[0]),
        "95 % of frames within, ms": float(np.percentile(gaps, 95)),
        "page's thread a frame, ms": sum(task.get("tdur", 0) for task in tasks) / 1000 / len(shown),
        "longest task, ms": max(task.get("dur", 0) for task in tasks) / 1000,
        "longest task, ms of processor": max(task.get("tdur", 0) for task in tasks) / 1000,
    }


def tasks_of_page(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tasks of the thread that runs the page's code: of all such threads the one that was busiest."""
    threads = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == MAIN_THREAD
    }
    by_thread: dict[tuple[int, int], list[dict[str, Any]]] = {thread: [] for thread in threads}
    for event in events:
        if event["name"] == TASK and (event["pid"], event["tid"]) in threads:
            by_thread[event["pid"], event["tid"]].append(event)
    return max(by_thread.values(), key=lambda tasks: sum(task.get("tdur", 0) for task in tasks))


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


DRAG = """([column, shares]) => new Promise((resolve) => {
  const track = document.querySelector(`[data-testid=axis-brushes][data-column="${column}"] [data-testid=axis-track]`);
  track.setPointerCapture = () => {};  // this pointer is not a real one
  const box = track.getBoundingClientRect();
  const send = (type, share) => track.dispatchEvent(new PointerEvent(type, {
    bubbles: true, button: 0, buttons: 1, pointerId: 1,
    clientX: box.left + box.width / 2, clientY: box.bottom - share * box.height,
  }));
  const [first, ...rest] = shares;
  const frames = [];
  let last = 0;
  const step = (now) => {
    if (last > 0) frames.push(now - last);
    last = now;
    if (rest.length > 0) {
      send("pointermove", rest.shift());
      requestAnimationFrame(step);
    } else {
      send("pointerup", shares.at(-1));
      resolve(frames);
    }
  };
  send("pointerdown", first);
  requestAnimationFrame(step);
})"""


def brush(browser: Browser, address: str) -> Figures:
    """Frames while brushes are dragged up and down on three axes, one after the other."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(address)
    page.get_by_test_id("axis-track").nth(len(AXES) - 1).wait_for(timeout=COLD_MS)
    page.wait_for_timeout(SETTLED_MS)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    shares = [*np.linspace(0.3, 0.8, 100).tolist(), *np.linspace(0.8, 0.2, 60).tolist()]
    gaps: list[float] = []
    busy = 0.0
    for column in BRUSHED:
        before = busy_seconds(session)
        gaps += page.evaluate(DRAG, [column, shares])
        busy += busy_seconds(session) - before
        page.wait_for_timeout(SETTLED_MS)
    page.close()
    return {
        "frame while brushing, median, ms": (median(gaps), None),
        "95 % of frames within, ms": (float(np.percentile(gaps, 95)), None),
        "worst frame, ms": (max(gaps), None),
        "page's thread a frame, ms": (1000 * busy / len(gaps), None),
    }


def busy_seconds(session: CDPSession) -> float:
    """Time of the processor that the page's thread has taken."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")


def show(figures: dict[str, Figures]) -> None:
    """All figures as one table."""
    table = Table(title=f"the page on {machine()}")
    table.add_column("what")
    table.add_column("figure")
    table.add_column("page", justify="right")
    table.add_column("plain text", justify="right")
    for what, row in figures.items():
        for name, (value, plain) in row.items():
            table.add_row(what, name, f"{value:,.1f}", "" if plain is None else f"{plain:,.1f}")
            what = ""
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
