# SPDX-License-Identifier: Apache-2.0
"""Measures how fast tables of numbers are read, beside pandas: ``python bench_table_logs.py [MEGABYTES]``."""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

COLUMNS = 10


def write_csv(path: Path, size: int) -> None:
    """Write rows of random numbers until the file has this size."""
    random = np.random.default_rng(0)
    names = ",".join(f"metric_{number}" for number in range(COLUMNS))
    rows = [",".join(repr(value) for value in row) for row in random.normal(size=(1000, COLUMNS)).tolist()]
    with path.open("w") as file:
        file.write(f"step,{names}\n")
        step = 0
        while file.tell() < size:
            file.writelines(f"{step + number},{row}\n" for number, row in enumerate(rows))
            step += len(rows)


def write_json_lines(path: Path, size: int) -> None:
    """Write objects of random numbers until the file has this size."""
    random = np.random.default_rng(0)
    rows = [
        {f"metric_{number}": value for number, value in enumerate(row)} for row in random.normal(size=(1000, COLUMNS))
    ]
    with path.open("w") as file:
        step = 0
        while file.tell() < size:
            file.writelines(json.dumps({"step": step + number, **row}) + "\n" for number, row in enumerate(rows))
            step += len(rows)


def read_here(path: str) -> None:
    from mindscope.trackers.log import LogPath
    from mindscope.trackers.tables import TABLE

    progress, has_more = None, True
    while has_more:
        new = TABLE.read(LogPath(path), progress, 64 << 20, None)
        progress, has_more = new.progress, new.has_more


def read_csv_with_pandas(path: str) -> None:
    import pandas as pd

    pd.read_csv(path, float_precision="round_trip")


def read_csv_with_pandas_fast(path: str) -> None:
    import pandas as pd

    pd.read_csv(path)


def read_json_with_pandas(path: str) -> None:
    import pandas as pd

    pd.read_json(path, lines=True, precise_float=True)


def _measured(read: Callable[[str], None], path: str) -> tuple[float, float]:
    began = time.process_time()
    read(path)
    return time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(title: str, read: Callable[[str], None], path: Path) -> None:
    """Print the speed of a reader in a process of its own, by the time of its processors, and its memory."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seconds, megabytes = pool.apply(_measured, (read, str(path)))
    speed = path.stat().st_size / 1e6 / seconds
    print(f"{title:<34} {speed:8.0f} MB/s {megabytes:8.0f} MiB at most", flush=True)


def main() -> None:
    size = int(sys.argv[1] if len(sys.argv) > 1 else 1000) * 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        table, lines = Path(folder) / "metrics.csv", Path(folder) / "metrics.jsonl"
        write_csv(table, size)
        measure("CSV, mindscope", read_here, table)
        measure("CSV, pandas", read_csv_with_pandas_fast, table)
        measure("CSV, pandas, rounded as Python", read_csv_with_pandas, table)
        table.unlink()
        write_json_lines(lines, size)
        measure("JSON lines, mindscope", read_here, lines)
        measure("JSON lines, pandas", read_json_with_pandas, lines)


if __name__ == "__main__":
    main()
