# SPDX-License-Identifier: Apache-2.0
"""A dump of 20,000 tensors: to open it for the first time, again with the statistics in the cache, and to use it.

The tensors have 16,384 elements of float32, 1,000 of them in each of 20 steps: 1.3 GB. Each row comes from a fresh
process, with the dump in the page cache.

    python bench/bench_dumps.py [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from measuring import SPAWNED, machine, report, run_alone

ROUNDS = 3
STEPS, OPERATORS = 20, 500
ROWS = {
    "listed": "list all tensors",
    "first": "statistics of all steps, no cache",
    "second": "statistics of all steps, from the cache",
    "request": "find and check the open dump, as each request does",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as base:
        write_dump(Path(base) / "logs" / "dump")
        figures = {what: [_alone(what, base) for _ in range(ROUNDS)] for what in ROWS}
    print(f"{'':<52} {'ms':>9} {'ms of processor':>16}")
    for what, name in ROWS.items():
        wall, processor = (median(each[unit] for each in figures[what]) for unit in ("wall_ms", "processor_ms"))
        print(f"{name:<52} {wall:>9,.1f} {processor:>16,.1f}")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1))


def write_dump(root: Path) -> None:
    """Long ago, as the cache waits until a dump has settled."""
    chance = np.random.default_rng(0)
    for step in range(STEPS):
        directory = root / "rank_0" / "Net" / "0" / str(step)
        directory.mkdir(parents=True)
        for place in range(2 * OPERATORS):
            operator, role = place // 2, ("input", "output")[place % 2]
            file = directory / f"MatMul.MatMul-op{operator}.0.0.{1_600_000_000_000_000 + place}.{role}.0.NCHW.npy"
            np.save(file, chance.standard_normal((128, 128), np.float32))
            os.utime(file, (1_700_000_000, 1_700_000_000))


def _alone(what: str, base: str) -> dict[str, Any]:
    found = run_alone(Path(__file__).name, what, base)
    assert found is not None
    return found


def measure(what: str, base: Path) -> None:
    """``first`` leaves its cache for ``second``."""
    from mindscope.ingest import Catalog
    from mindscope.reading.debugging_data import statistics_cache
    from mindscope.server.debugger.sources import OpenSources

    if what == "first":
        shutil.rmtree(base / "workspace", ignore_errors=True)
    catalog = Catalog(base / "logs")
    catalog.refresh()
    sources = OpenSources(statistics_cache(base / "workspace"))
    opened = sources.get(catalog, "dump", "./").source
    wall, processor, times = time.perf_counter(), time.process_time(), 1
    if what == "request":
        for _ in range(times := 20):
            sources.get(catalog, "dump", "./")
    elif what == "listed":
        assert len(opened.tensors) == 2 * OPERATORS
    else:
        assert sum(len(opened.at(step, 0).values) for step in opened.steps(0)) == 2 * OPERATORS * STEPS
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    report(wall_ms=wall / times * 1e3, processor_ms=processor / times * 1e3)


if __name__ == "__main__":
    if SPAWNED in os.environ:
        measure(sys.argv[1], Path(sys.argv[2]))
    else:
        main()
