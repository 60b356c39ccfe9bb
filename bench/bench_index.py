# SPDX-License-Identifier: Apache-2.0
"""What an index costs, by the number of runs: processor seconds, memory and bytes, as a table and a picture.

python bench/bench_index.py 100 1000 10000 --picture docs/images/scaling
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from measuring import machine, memory_mb
from pictures import write_pictures
from scalar_logs import scalar_records

TAGS, POINTS = ["loss", "rate", "norm"], 100
NAME = "events.out.tfevents.1700000000.host"
MEASURES = {
    "index_s": "first index, s of processor",
    "again_s": "index again without changes, s",
    "cold_s": "viewer's load from logs, s",
    "warm_s": "viewer's load from the index, s",
    "warm_mb": "memory of the viewer, MB",
    "cache_mb": "cache, MB",
    "parquet_mb": "Parquet, MB",
}


def write_runs(base: Path, count: int) -> None:
    """Runs of 3 tags and 100 points each, 1,000 in a directory."""
    step = np.repeat(np.arange(POINTS), len(TAGS))
    for number in range(count):
        run = base / f"{number // 1000}" / f"run_{number}"
        run.mkdir(parents=True)
        values = np.random.default_rng(number).normal(size=step.size)
        (run / NAME).write_bytes(b"".join(scalar_records(TAGS, step, 1.7e9 + step, values)))


@contextmanager
def this_process() -> Generator[None]:
    """The executor of this process."""
    yield None


def step_of(name: str, base: str, index: str) -> None:
    """In a process: do one step and print what it took."""
    from mindscope.indexing import build_index
    from mindscope.ingest import Catalog

    before = _processor_s()
    if name in ("index", "again"):
        build_index(base, Path(index), this_process)
    else:
        catalog = Catalog(base, index=Path(index) if name == "warm" else None)
        catalog.refresh()
    print(json.dumps({f"{name}_s": _processor_s() - before, f"{name}_mb": memory_mb("VmRSS")}))


def _processor_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(count: int, directory: Path) -> dict[str, Any]:
    """Return the figures of so many runs."""
    base, index = directory / "runs", directory / "index"
    write_runs(base, count)
    figures: dict[str, Any] = {"runs": count}
    for name in ("index", "again", "cold", "warm"):
        command = [sys.executable, __file__, "--step", name, str(base), str(index)]
        figures |= json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    chunks = [path.stat().st_size for path in index.glob("cache/*/*") if path.is_file()]
    parquet = [path.stat().st_size for path in index.glob("cache/*/index/scalars/*/*")]
    return figures | {"cache_mb": sum(chunks) / 1e6, "parquet_mb": sum(parquet) / 1e6}


def draw(rows: list[dict[str, Any]], name: Path) -> None:
    """Draw the seconds and the memory over the number of runs."""
    runs = [row["runs"] for row in rows]

    def draw_panels(panels: Any) -> None:
        seconds, sizes = panels
        for measure, label in MEASURES.items():
            axes = seconds if measure.endswith("_s") else sizes
            axes.loglog(runs, [row[measure] for row in rows], marker="o", label=label.split(",")[0])
        for axes, title in ((seconds, "seconds of processor"), (sizes, "MB")):
            axes.set(title=title, xlabel="runs")
            axes.grid(alpha=0.3)
            axes.legend(fontsize=8)

    write_pictures(name, 9, 3.6, 2, draw_panels)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", nargs="*", default=["100", "1000"])
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--step")
    options = parser.parse_args()
    if options.step:
        step_of(options.step, *options.counts)
        return
    rows: list[dict[str, Any]] = []
    for count in map(int, options.counts):
        directory = Path(tempfile.mkdtemp(prefix="bench_index_"))
        try:
            rows.append(measure(count, directory))
        finally:
            shutil.rmtree(directory)
        print(json.dumps(rows[-1]), flush=True)
    print(machine(), os.linesep)
    print(f"| runs | {' | '.join(MEASURES.values())} |")
    print("|---:" * (1 + len(MEASURES)) + "|")
    for row in rows:
        print(f"| {row['runs']:,} | {' | '.join(f'{row[name]:.3g}' for name in MEASURES)} |")
    if options.picture:
        draw(rows, options.picture)


if __name__ == "__main__":
    main()
