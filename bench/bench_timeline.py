# SPDX-License-Identifier: Apache-2.0
"""The timeline of a profile of 10 million slices: opening it cold and warm, windows of it from all to a thousandth as a
page requests them over HTTP, with counters and marks, a slice with its arrows, and frames while it is zoomed and moved.

    python bench/bench_timeline.py [--slices 10000000] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import numpy as np
from bench_ui import chromium, viewer
from measuring import machine
from playwright.sync_api import Browser
from rich.console import Console
from rich.table import Table

import mindscope
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.timeline_file import open_timeline, save_timeline
from mindscope.profile.trace.json_trace import read_json_trace

WIDTH = 1200
CALL_SLICES = 5
CALL_US = 40
CALLS_A_STEP = 1000
CALLS_AN_ARROW, CALLS_A_VALUE = 10, 4
THREADS = 4
NAMES = ("aten::linear", "aten::addmm", "aten::mul", "aten::add_", "aten::conv2d", "aten::softmax", "aten::copy_")
ROUNDS = 9
WINDOW = "/api/profiles/window"
FRAMES = """async () => {
  const timeline = document.querySelector("[data-testid=timeline]");
  const frames = [];
  let last = performance.now();
  for (let turn = 0; turn < 180; turn++) {
    const key = turn < 60 ? "w" : turn < 120 ? "d" : "s";
    timeline.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - last);
    last = performance.now();
  }
  return frames;
}"""


def main() -> None:
    """Write the trace, open it, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slices", type=int, default=10_000_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as room:
        file = Path(room) / "logs" / "run" / "host_1.1.pt.trace.json"
        file.parent.mkdir(parents=True)
        with file.open("w") as out:
            out.writelines(trace_text(options.slices))
        with mindscope.SummaryRecord(file.parent) as record:
            record.add_value("scalar", "loss", 1.0)
            record.record(1)
        figures = {"file, MB": file.stat().st_size / 1e6, **index(file, Path(room))}
        with chromium() as browser:
            for name in ("first time", "next time"):  # a viewer of its own: the second one finds the index in the cache
                with viewer(file.parents[1], Path(room)) as address:
                    figures |= page(browser, address, name)
                    if name == "next time":
                        figures |= requests(address, file)
    table = Table(title=f"timeline of {options.slices:,} slices on {machine()}")
    table.add_column("what")
    table.add_column("figure", justify="right")
    for name, value in figures.items():
        table.add_row(name, f"{value:,.1f}")
    Console(width=110).print(table)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1))


def trace_text(slices: int) -> Iterator[str]:
    """Threads with operators that call others, some with kernels; five slices a call."""
    yield '{"schemaVersion": 1, "traceEvents": [\n'
    yield '{"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "ts": 0, "args": {"name": "GPU 0"}},\n'
    lengths = np.random.default_rng(1).integers(CALL_US // 4, CALL_US, 4096)
    for call in range(slices // CALL_SLICES):
        thread, place = call % THREADS, call // THREADS
        start, length = place * CALL_US, int(lengths[call % len(lengths)])
        if thread == 0 and place % CALLS_A_STEP == 0:
            name = f"ProfilerStep#{place // CALLS_A_STEP}"
            yield slice_text(name, start, CALLS_A_STEP * CALL_US, 1, 0, call)
        yield slice_text(NAMES[call % len(NAMES)], start, length, 1, thread, call)
        for part in range(3):
            name = NAMES[(call + part + 1) % len(NAMES)]
            yield slice_text(name, start + part * length / 3, length / 4, 1, thread, call)
        yield slice_text(f"kernel_{call % 40}", start + 2, length, 0, thread, call)
        if place % CALLS_AN_ARROW == 0:
            yield from (other_text("s", start, 1, thread, call), other_text("f", start + 2, 0, thread, call))
        if place % CALLS_A_VALUE == 0:
            yield other_text("C", start, 1, thread, call)
    yield '{"ph": "i", "name": "end", "pid": 1, "tid": 0, "ts": 1, "s": "g"}]}'


def slice_text(name: str, start: float, length: float, process: int, thread: int, number: int) -> str:
    """An event as PyTorch writes it."""
    return (
        f'{{"ph":"X","cat":"cpu_op","name":"{name}","pid":{process},"tid":{thread},"ts":{start:.3f},"dur":{length:.3f},'
        f'"args":{{"External id":{number},"Input Dims":[[32,768],[768]]}}}},\n'
    )


def other_text(phase: str, start: float, process: int, thread: int, number: int) -> str:
    """An end of an arrow from a call to its kernel, or a value of the counter of a thread."""
    more = f'"name":"queue {thread}","args":{{"length":{number % 97}}}' if phase == "C" else '"name":"ac2g","bp":"e"'
    return f'{{"ph":"{phase}","cat":"ac2g","id":{number},"pid":{process},"tid":{thread},"ts":{start:.3f},{more}}},\n'


def index(file: Path, room: Path) -> dict[str, float]:
    """Seconds until a timeline is there, and milliseconds until it is open again."""
    begun = time.process_time()
    timeline = build_timeline(read_json_trace(file), file)
    figures = {"read and index, s of processor time": time.process_time() - begun}
    saved = room / "bench.timeline"
    save_timeline(timeline, saved, "bench")
    begun = time.perf_counter()
    assert open_timeline(saved, "bench") is not None
    figures["open again, ms"] = (time.perf_counter() - begun) * 1e3
    return figures


def requests(address: str, file: Path) -> dict[str, float]:
    """Milliseconds and kilobytes of the answers that a page needs: windows, and a slice with its arrows."""
    with httpx.Client(base_url=address, timeout=300) as http:
        of = {"run": file.parent.name, "profile": file.name}
        while (facts := http.get("/api/profiles/timeline", params=of).json())["progress"]:
            time.sleep(0.2)
        facts = facts["timeline"]
        of["version"] = facts["version"]
        figures: dict[str, float] = {}
        for share in (1.0, 0.1, 0.01, 0.001):
            query = {**of, **window(facts, share)}
            figures |= answers(f"window of {100 * share:g} %", lambda query=query: http.post(WINDOW, json=query))
        query = {**of, **window(facts, 0.1, rows=40, beside=WIDTH // 4)}
        figures |= answers("window of 10 %, as the page requests it", lambda: http.post(WINDOW, json=query))
        slice_ = {**of, "slice": facts["slices"] // 2}
        return figures | answers("slice with its arrows", lambda: http.get("/api/profiles/slice", params=slice_))


def window(facts: dict[str, Any], share: float, rows: int = 1 << 16, beside: int = 0) -> dict[str, Any]:
    """What a page requests of the middle of a timeline: so many rows, and pixels beside those that it shows."""
    duration = facts["duration_ns"]
    pixel = max(1, int(duration * share) // WIDTH)
    tracks: list[dict[str, int]] = []
    for track in facts["tracks"]:
        shown = min(track["rows"], rows - sum(each["rows"] for each in tracks))
        tracks += [{"track": track["track"], "rows": shown}] if shown > 0 else []
    return {
        "tracks": tracks,
        "counters": [each["counter"] for each in facts["counters"]],
        "begin_ns": int(duration * (1 - share) / 2) - beside * pixel,
        "pixel_ns": pixel,
        "width": WIDTH + 2 * beside,
    }


def answers(name: str, ask: Callable[[], httpx.Response]) -> dict[str, float]:
    """The median time of an answer, from the request to its last byte, and its size."""
    taken: list[float] = []
    size = 0
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        answer = ask().raise_for_status()
        taken.append((time.perf_counter() - begun) * 1e3)
        size = len(answer.content)
    return {f"{name}, ms": median(taken), f"{name}, kB": size / 1e3}


def page(browser: Browser, address: str, name: str) -> dict[str, float]:
    """Seconds until the page shows a timeline, and the whole one; its frames. Waits for the tables."""
    opened = browser.new_page(viewport={"width": 1440, "height": 900})
    figures: dict[str, Any] = {}
    begun = time.monotonic()
    opened.goto(f"{address}/profile?profile_tab=timeline")
    opened.get_by_test_id("timeline-tracks").wait_for(timeout=300_000)
    figures[f"page, {name}: first slices, s"] = time.monotonic() - begun
    opened.get_by_test_id("profile-partial").wait_for(state="detached", timeout=300_000)
    opened.locator(".tracks .waiting").wait_for(state="detached", timeout=300_000)
    figures[f"page, {name}: all slices, s"] = time.monotonic() - begun
    opened.goto(f"{address}/profile")
    opened.get_by_test_id("profile-overview").wait_for(timeout=300_000)
    figures[f"page, {name}: tables, s"] = time.monotonic() - begun
    opened.goto(f"{address}/profile?profile_tab=timeline")
    opened.get_by_test_id("timeline-tracks").wait_for()
    opened.wait_for_timeout(3000)
    frames = sorted(opened.evaluate(FRAMES))
    figures[f"page, {name}: frame while zooming and moving, ms"] = median(frames)
    figures[f"page, {name}: frame, 95 of 100 are faster, ms"] = frames[int(0.95 * len(frames))]
    opened.close()
    return figures


if __name__ == "__main__":
    main()
