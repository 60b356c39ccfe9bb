# SPDX-License-Identifier: Apache-2.0
"""How fast logs open and how small the viewer stays, side by side with the peers, in one run.

The logs are built here with fixed seeds, and read once before anything is measured, so that they are in the page cache.
Each reader is measured in fresh processes, in turns; the table holds the median of the rounds. Peers that are not
installed are left out. The figures say nothing about a machine but this one; the ratios mean something.

    python bench/bench_loading.py [--logs DIR] [--rounds 3] [--big] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from loading_server import measure_viewer
from measuring import machine, run_alone
from rich.console import Console
from rich.table import Table
from scalar_logs import write_long_log, write_mindspore_log, write_torch_log

LOGS = Path(__file__).parent / "logs"
POINTS = 100 * 20 * 5000
MINDSPORE_RECORDS = 140_000
MINDSPORE_POINTS = MINDSPORE_RECORDS * 5
LONG_POINTS = 50_000_000
ACCUMULATOR_RUNS = 2
MINDINSIGHT_EVENTS_PER_S = 1100
"""As it was measured once; it can't be installed beside today's MindSpore."""

Figures = dict[str, Any]


class Reader(NamedTuple):
    """A line of the table of readers: what is read, by whom, by which script, and what ours should be faster by."""

    log: str
    name: str
    script: str
    measure: str
    arguments: tuple[str, ...] = ()
    points: int = POINTS
    want: float | None = None


READERS = [
    Reader("torch", "mindscope", "loading_mindscope.py", "cold"),
    Reader("torch", "mindscope without a cache", "loading_mindscope.py", "uncached"),
    Reader("torch", "data server", "loading_peers.py", "data_server", want=20),
    Reader("torch", "data server, checksums verified", "loading_peers.py", "data_server", ("--checksum",), want=20),
    Reader(
        "torch",
        f"TensorBoard in Python, {ACCUMULATOR_RUNS} of 100 runs",
        "loading_peers.py",
        "accumulator",
        (str(ACCUMULATOR_RUNS),),
        POINTS * ACCUMULATOR_RUNS // 100,
        want=1000,
    ),
    Reader("mindspore", "mindscope", "loading_mindscope.py", "cold", points=MINDSPORE_POINTS),
    Reader("mindspore", "MindSpore's classes", "loading_peers.py", "protobuf", points=MINDSPORE_POINTS, want=50),
]


class Promise(NamedTuple):
    """A line of the table of promises."""

    what: str
    got: float
    limit: float | None
    unit: str


def measure_readers(logs: dict[str, Path], rounds: int, say: Callable[[str], None]) -> list[tuple[Reader, Figures]]:
    found: dict[Reader, list[Figures]] = {}
    for turn in range(rounds):
        for reader in READERS:
            say(f"round {turn + 1} of {rounds}: {reader.log} log, {reader.name}")
            figures = run_alone(reader.script, reader.measure, str(logs[reader.log]), *reader.arguments)
            if figures is not None:
                found.setdefault(reader, []).append(figures)
    return [(reader, _median(rows)) for reader, rows in found.items()]


def _median(rows: list[Figures]) -> Figures:
    for row in rows:
        row["peak_mb"] = row.pop("server_peak_mb", row["peak_mb"])
    return {name: median(row[name] for row in rows) for name in rows[0]}


def readers_table(lines: list[tuple[Reader, Figures]]) -> Table:
    table = Table(title="Cold: from the start of loading until every curve can be read, every point kept")
    times = ("starts in s", "loads in s", "saved after s")
    for heading in ("log", "reader", "points", *times, "M points/s", "ours / its", "peak MB"):
        table.add_column(heading, justify="left" if heading in ("log", "reader") else "right")
    ours = {reader.log: _speed(reader, figures) for reader, figures in lines if reader.name == "mindscope"}
    for reader, figures in lines:
        ratio = ours[reader.log] / _speed(reader, figures)
        wanted = f"{ratio:.1f} x{_verdict(ratio >= reader.want, f'>= {reader.want:g} x') if reader.want else ''}"
        table.add_row(
            reader.log,
            reader.name,
            f"{reader.points:,}",
            f"{figures['started']:.2f}",
            f"{figures['seconds']:.3f}",
            f"{figures['saved']:.2f}" if reader.measure == "cold" else "",
            f"{_speed(reader, figures) / 1e6:.3f}",
            "" if reader.name.startswith("mindscope") else wanted,
            f"{figures['peak_mb']:.0f}",
        )
    return table


def _speed(reader: Reader, figures: Figures) -> float:
    return reader.points / figures["seconds"]


def _verdict(is_kept: bool, want: str) -> str:
    return f" (want {want}: {'kept' if is_kept else 'missed'})"


def promises_of(
    lines: list[tuple[Reader, Figures]], cold: Figures, warm: Figures, second: Figures, chart: Figures
) -> list[Promise]:
    ours = {reader.log: figures["seconds"] for reader, figures in lines if reader.name == "mindscope"}
    events_ratio = MINDSPORE_RECORDS / ours["mindspore"] / MINDINSIGHT_EVENTS_PER_S
    return [
        Promise("viewer, first start: answers after", cold["started"], None, "s"),
        Promise("viewer, first start: then all curves readable after", cold["seconds"], None, "s"),
        Promise("viewer, second start: answers after", warm["started"], None, "s"),
        Promise("viewer, second start: then all curves readable after", warm["seconds"], 0.3, "s"),
        Promise("in Python, second start: all curves readable after", second["seconds"], 0.3, "s"),
        Promise("in Python, second start: memory at the most", second["peak_mb"], 200, "MB"),
        Promise("viewer, memory when all curves are readable, at the most", cold["loaded_peak_mb"], None, "MB"),
        Promise("viewer, memory after loading all, when the cache is written too", cold["resident_mb"], 200, "MB"),
        Promise("viewer, memory after 100 charts", cold["resident_after_charts_mb"], None, "MB"),
        Promise("viewer, memory after the second start and 100 charts", warm["resident_after_charts_mb"], 200, "MB"),
        Promise("chart of 100 runs, 1,500 pixels, in the server, first", chart["first_ms"], None, "ms"),
        Promise("chart of 100 runs, 1,500 pixels, in the server, p50", chart["p50_ms"], None, "ms"),
        Promise("chart of 100 runs, 1,500 pixels, in the server, p99", chart["p99_ms"], 50, "ms"),
        Promise(f"the same over HTTP, {chart['answer_mb']:.1f} MB an answer, p50", warm["p50_ms"], None, "ms"),
        Promise("the same over HTTP, p99", warm["p99_ms"], None, "ms"),
        Promise("MindSpore's events per second / MindInsight's 1,100", -events_ratio, -1000, "x"),
    ]  # fmt: skip


def long_promises(long: Figures) -> list[Promise]:
    return [
        Promise("curve of 50 M points: loads in", long["seconds"], None, "s"),
        Promise("curve of 50 M points: memory at the most", long["peak_mb"], None, "MB"),
        Promise("curve of 50 M points: first draw, 1,500 pixels", long["first_ms"], 200, "ms"),
        Promise("curve of 50 M points: drawn again", long["again_ms"], None, "ms"),
        Promise("curve of 50 M points: zoom step, median", long["zoom_p50_ms"], None, "ms"),
        Promise("curve of 50 M points: zoom step, slowest of 20", long["zoom_worst_ms"], 100, "ms"),
    ]


def promises_table(promises: list[Promise]) -> Table:
    """A figure and its limit are both negative where more is better."""
    table = Table(title="The 10 M points in the viewer")
    for heading in ("what", "figure", "want"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for what, got, limit, unit in promises:
        want = ""
        if limit is not None:
            want = f"{'<' if limit > 0 else '>='} {abs(limit):g} {unit}: {'kept' if got <= limit else 'missed'}"
        table.add_row(what, f"{abs(got):.{0 if abs(got) >= 100 else 2}f} {unit}", want)
    return table


def measure_viewers(base: Path, say: Callable[[str], None]) -> tuple[Figures, Figures]:
    with tempfile.TemporaryDirectory() as room:
        say("the viewer, first start")
        cold = measure_viewer(base, Path(room), POINTS)
        say("the viewer, second start")
        return cold, measure_viewer(base, Path(room), POINTS)


def measure_second_start(base: Path, rounds: int, say: Callable[[str], None]) -> Figures:
    """Loading in a fresh process from the cache that another one left."""
    say("second starts in Python")
    with tempfile.TemporaryDirectory() as workspace:
        starts = [run_alone("loading_mindscope.py", "loading", str(base), workspace) or {} for _ in range(1 + rounds)]
    return _median(starts[1:])


def measure_long(logs: Path, say: Callable[[str], None]) -> Figures:
    """The long log is large: it is deleted afterwards."""
    say("one curve of 50 M points")
    base = write_long_log(logs, LONG_POINTS)
    try:
        return run_alone("loading_mindscope.py", "long", str(base)) or {}
    finally:
        shutil.rmtree(base)


def warm_page_cache(directory: Path) -> None:
    for path in directory.rglob("events.*"):
        with path.open("rb") as file:
            while file.read(1 << 20):
                pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, default=LOGS, help="where the logs are, or are built")
    parser.add_argument("--rounds", type=int, default=3, help="how often each reader is measured")
    parser.add_argument("--big", action="store_true", help="also a curve of 50 M points, which takes 3 GB for a while")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    arguments = parser.parse_args()
    say, console = Console(stderr=True).print, Console(width=None if sys.stdout.isatty() else 160)
    where = machine()
    say("building the logs that are not there yet")
    logs = {"torch": write_torch_log(arguments.logs), "mindspore": write_mindspore_log(arguments.logs)}
    for directory in logs.values():
        warm_page_cache(directory)
    lines = measure_readers(logs, arguments.rounds, say)
    cold, warm = measure_viewers(logs["torch"], say)
    second = measure_second_start(logs["torch"], arguments.rounds, say)
    say("charts in the server")
    chart = run_alone("loading_mindscope.py", "chart", str(logs["torch"])) or {}
    promises = promises_of(lines, cold, warm, second, chart)
    if arguments.big:
        promises += long_promises(measure_long(arguments.logs, say))
    console.print(where, soft_wrap=True)
    console.print(readers_table(lines))
    console.print(promises_table(promises))
    if arguments.json:
        readers = [reader._asdict() | figures for reader, figures in lines]
        figures = {"machine": where, "readers": readers, "promises": [promise._asdict() for promise in promises]}
        arguments.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
