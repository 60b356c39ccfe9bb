# SPDX-License-Identifier: Apache-2.0
"""A training that logs to a database of MLflow at full speed; each number is a transaction, as in ``log_metric``.

``python mlflow_writing.py DATABASE RUN COUNT`` fails where a transaction waits longer than SQLite's five seconds. It
prints the time of the slowest one.
"""

from __future__ import annotations

import sqlite3
import sys
import time

INSERT = "INSERT INTO metrics (key, value, timestamp, run_uuid, step, is_nan) VALUES ('live', ?, ?, ?, ?, 0)"


def write(path: str, run: str, count: int) -> float:
    database, slowest = sqlite3.connect(path), 0.0
    for step in range(count):
        begun = time.perf_counter()
        with database:
            database.execute(INSERT, (step / 2, int(time.time() * 1000), run, step))
        slowest = max(slowest, time.perf_counter() - begun)
    database.close()
    return slowest


if __name__ == "__main__":
    print(write(sys.argv[1], sys.argv[2], int(sys.argv[3])))
