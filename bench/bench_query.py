# SPDX-License-Identifier: Apache-2.0
"""How long SQL over many points takes: 100 M by default, of 100 runs with 20 tags each, in a viewer's cache.

    python bench/bench_query.py [--logs DIR] [--steps 50000] [--rounds 3] [--parquet] [--json FILE]

``--parquet`` compares with DuckDB over the dataset of ``mindscope export``, which takes minutes to write. The first
statement is checked against the arrays of the Python API.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import numpy as np
from bench_loading import LOGS
from measuring import machine, memory_mb, timed
from rich.console import Console
from rich.table import Table
from scalar_logs import write_torch_log

from mindscope.ingest import Catalog
from mindscope.reading import export_dataset
from mindscope.reading.runs import Runs
from mindscope.types import Kind

RUNS, TAGS = 100, 20
QUERIES = {
    "GROUP BY run, tag": "SELECT run, tag, count(*) n, max(value) high, max(step) last FROM scalars GROUP BY run, tag",
    "GROUP BY tag": "SELECT tag, count(*), max(value) FROM scalars GROUP BY tag",
    "count(*)": "SELECT count(*) FROM scalars",
    "one tag": "SELECT run, max(value) FROM scalars WHERE tag = 'group_0/metric_00' GROUP BY run",
    "one curve": "SELECT avg(value) FROM scalars WHERE run = 'run_007' AND tag = 'group_0/metric_00' AND step > 100",
    "metrics": "SELECT tag, max(best) FROM metrics GROUP BY tag",
}


def measure(base: Path, rounds: int, with_parquet: bool, say: Callable[[str], None]) -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory() as workspace:
        say("filling the cache")
        catalog = Catalog(base, Path(workspace))
        catalog.refresh()
        catalog.close()
        catalog = Catalog(base, Path(workspace))
        with timed() as opened:
            catalog.refresh()
        runs = Runs(catalog)
        say(f"opened in {opened.seconds:.2f} s")
        check(runs)
        found = {
            name: {"mindscope": seconds(lambda text=text: runs.sql(text), rounds)} for name, text in QUERIES.items()
        }
        say(f"peak {memory_mb('VmHWM'):.0f} MB")
        if with_parquet:
            say("exporting")
            dataset = Path(workspace) / "dataset"
            export_dataset(base, dataset)
            duckdb.sql(f"CREATE VIEW scalars AS FROM read_parquet('{dataset}/scalars/*/*.parquet')")
            for name, text in QUERIES.items():
                if "metrics" not in text:
                    found[name]["Parquet"] = seconds(lambda text=text: duckdb.sql(text).fetchall(), rounds)
        catalog.close()
    return found


def seconds(query: Callable[[], Any], rounds: int) -> float:
    times: list[float] = []
    for _ in range(rounds):
        with timed() as watch:
            query()
        times.append(watch.seconds)
    return median(times)


def check(runs: Runs) -> None:
    """Compare the first statement with the stored arrays."""
    rows = {(run, tag): figures for run, tag, *figures in runs.sql(QUERIES["GROUP BY run, tag"]).rows()}
    for id, run in runs.items():
        for tag in run.tags(Kind.SCALAR):
            points = run.scalars(tag)
            expected = [len(points), float(np.max(points.value)), int(points.step.max())]
            if rows[id, tag] != expected:
                sys.exit(f"{id} {tag}: {rows[id, tag]} is not {expected}")


def table_of(found: dict[str, dict[str, float]], points: int) -> Table:
    table = Table(title=f"SQL over {points:,} points: seconds")
    peers = dict.fromkeys(peer for figures in found.values() for peer in figures)
    for heading in ("query", *peers):
        table.add_column(heading, justify="left" if heading == "query" else "right")
    for name, figures in found.items():
        table.add_row(name, *(f"{figures[peer]:.2f}" if peer in figures else "" for peer in peers))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, default=LOGS, help="where the log is, or is built")
    parser.add_argument("--steps", type=int, default=50_000, help="points of each of the 2,000 curves")
    parser.add_argument("--rounds", type=int, default=3, help="how often each query is measured")
    parser.add_argument("--parquet", action="store_true", help="also measure DuckDB over an exported dataset")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    arguments = parser.parse_args()
    say, console = Console(stderr=True).print, Console(width=None if sys.stdout.isatty() else 160)
    where = machine()
    base = write_torch_log(arguments.logs, RUNS, TAGS, arguments.steps)
    found = measure(base, arguments.rounds, arguments.parquet, say)
    console.print(where, soft_wrap=True)
    console.print(table_of(found, RUNS * TAGS * arguments.steps))
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": where, "queries": found}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
