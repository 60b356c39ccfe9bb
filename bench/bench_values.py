# SPDX-License-Identifier: Apache-2.0
"""How soon a log of images and histograms can be looked at, from the command on: mindscope and TensorBoard in turns.

Ready is who lists every run, its image and histogram tags up to their last step, and has handed out the last image of
the last tag and the last histogram of the last tag of each run. The page cache holds the log. Every value is kept.

    python bench/bench_values.py [--logs DIR] [--rounds 5] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from bench_loading import LOGS, warm_page_cache
from measuring import machine
from rich.console import Console
from rich.table import Table
from value_logs import write_value_log
from values_mindscope import measure_starts
from values_tensorboard import measure_application, measure_data_server

DATA_SERVER = "data server, by gRPC"
WANTED = {"mindscope, cold": 3.0}
"""How many times sooner than the data server."""

Figures = dict[str, Any]


def measure(base: Path, rounds: int, say: Callable[[str], None]) -> dict[str, Figures]:
    found: dict[str, list[Figures]] = {}
    for turn in range(rounds):
        for name, figures in _measure_round(base, lambda what, turn=turn: say(f"round {turn + 1}: {what}")).items():
            found.setdefault(name, []).append(figures)
    return {name: {key: median(row[key] for row in rows) for key in rows[0]} for name, rows in found.items()}


def _measure_round(base: Path, say: Callable[[str], None]) -> dict[str, Figures]:
    say("mindscope")
    found: dict[str, Figures] = measure_starts(base)
    peers: dict[str, Callable[[], Figures]] = {
        DATA_SERVER: lambda: measure_data_server(base),
        "data server, checksums verified": lambda: measure_data_server(base, "--checksum"),
        "TensorBoard, over HTTP": lambda: measure_application(base),
    }
    for name, peer in peers.items():
        say(name)
        try:
            found[name] = peer()
        except ModuleNotFoundError as error:
            say(f"left out: {error}")
    return found


def table_of(found: dict[str, Figures]) -> Table:
    table = Table(title="Images and histograms: seconds from the command until the last ones are read")
    for heading in (
        "reader",
        "answers after",
        "then readable after",
        "together",
        "data server / it",
        "processor s",
        "peak MB",
    ):
        table.add_column(heading, justify="left" if heading == "reader" else "right")
    for name, figures in found.items():
        times = [f"{figures[key]:.2f}" for key in ("started", "loaded", "ready")]
        table.add_row(name, *times, _ratio(found, name), f"{figures['processor']:.2f}", f"{figures['peak_mb']:.0f}")
    return table


def _ratio(found: dict[str, Figures], name: str) -> str:
    if DATA_SERVER not in found or name == DATA_SERVER:
        return ""
    ratio = found[DATA_SERVER]["ready"] / found[name]["ready"]
    wanted = WANTED.get(name)
    verdict = "" if wanted is None else f" (want >= {wanted:g} x: {'kept' if ratio >= wanted else 'missed'})"
    return f"{ratio:.1f} x{verdict}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, default=LOGS, help="where the log is, or is built")
    parser.add_argument("--rounds", type=int, default=5, help="how often each reader is measured")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    arguments = parser.parse_args()
    say, console = Console(stderr=True).print, Console(width=None if sys.stdout.isatty() else 160)
    where = machine()
    base = write_value_log(arguments.logs)
    warm_page_cache(base)
    found = measure(base, arguments.rounds, say)
    console.print(where, soft_wrap=True)
    console.print(table_of(found))
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": where, "readers": found}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
