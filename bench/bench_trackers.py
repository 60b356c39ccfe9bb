# SPDX-License-Identifier: Apache-2.0
"""Logs of other trackers: how long it takes to read every number of a run, with ours and with the tracker's own reader.

Each reader is a fresh process. ``--rows`` is the number of values. ``--peers PYTHON`` is the
Python that has mlflow and trackio, if it is another one.
"""

from __future__ import annotations

import argparse
import json
import math
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

KEYS = ("train/loss", "train/acc", "val/loss", "val/acc", "lr", "grad_norm", "time/step", "time/data", "memory", "peak")
RUN = "0123456789abcdef0123456789abcdef"
MLFLOW = """
CREATE TABLE experiments (
    experiment_id INTEGER PRIMARY KEY, name VARCHAR(256), artifact_location VARCHAR(256), lifecycle_stage VARCHAR(32));
CREATE TABLE runs (
    run_uuid VARCHAR(32) PRIMARY KEY, name VARCHAR(250), status VARCHAR(9), start_time BIGINT, end_time BIGINT,
    lifecycle_stage VARCHAR(20), artifact_uri VARCHAR(200), experiment_id INTEGER);
CREATE TABLE metrics (
    "key" VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL, run_uuid VARCHAR(32) NOT NULL,
    step BIGINT DEFAULT '0' NOT NULL, is_nan BOOLEAN DEFAULT '0' NOT NULL,
    CONSTRAINT metric_pk PRIMARY KEY ("key", timestamp, step, run_uuid, value, is_nan));
CREATE TABLE params ("key" VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32));
CREATE TABLE tags ("key" VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32));
"""
INDEXES = """
CREATE INDEX index_metrics_run_uuid ON metrics (run_uuid);
CREATE INDEX index_metrics_run_uuid_key_step ON metrics (run_uuid, "key", step);
"""
TRACKIO = """
CREATE TABLE metrics (
    id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, timestamp TEXT NOT NULL, run_name TEXT NOT NULL,
    step INTEGER NOT NULL, metrics TEXT NOT NULL, log_id TEXT, space_id TEXT);
CREATE INDEX idx_metrics_run_step ON metrics(run_id, step);
CREATE INDEX idx_metrics_run_timestamp ON metrics(run_id, timestamp);
PRAGMA user_version = 2;
"""
OURS = """
import json, sys, time
from mindscope.reading import open_runs
begun, cpu = time.perf_counter(), time.process_time()
runs = open_runs(sys.argv[1])
rows = sum(len(run.scalars(tag, overwritten=True).value) for run in runs.values() for tag in run.tags("scalar"))
print(json.dumps({"rows": rows, "seconds": time.perf_counter() - begun, "cpu": time.process_time() - cpu}))
"""
MLFLOW_TABLES = """
import sys
from mlflow import MlflowClient
print(MlflowClient(f"sqlite:///{sys.argv[1]}/mlflow.db").create_run("0", run_name="run").info.run_id)
"""
MLFLOW_CLIENT = """
import json, sys, time
from mlflow import MlflowClient
client = MlflowClient(f"sqlite:///{sys.argv[1]}/mlflow.db")
client.search_experiments()
begun, cpu = time.perf_counter(), time.process_time()
rows = sum(len(client.get_metric_history(sys.argv[2], key)) for key in sys.argv[3:])
print(json.dumps({"rows": rows, "seconds": time.perf_counter() - begun, "cpu": time.process_time() - cpu}))
"""
TRACKIO_STORAGE = """
import json, os, sys, time
os.environ["TRACKIO_DIR"] = sys.argv[1]
from trackio.sqlite_storage import SQLiteStorage
begun, cpu = time.perf_counter(), time.process_time()
logs = SQLiteStorage.get_logs("project", "run", max_points=None, run_id=sys.argv[2])
rows = sum(len(row) - 2 for row in logs)
print(json.dumps({"rows": rows, "seconds": time.perf_counter() - begun, "cpu": time.process_time() - cpu}))
"""


def value(step: int, number: int) -> float:
    return math.sin(step * 0.001 * (number + 1))


def write_mlflow(directory: Path, rows: int, peers: str) -> str:
    """Write a database; returns the id of its run. MLflow makes the tables if it is there: it wants all of them."""
    made = subprocess.run([peers, "-c", MLFLOW_TABLES, directory], capture_output=True, text=True, check=False)
    database = sqlite3.connect(directory / "mlflow.db")
    if made.returncode == 0:
        run = made.stdout.splitlines()[-1]
        database.executescript(
            "DROP INDEX index_metrics_run_uuid; DROP INDEX IF EXISTS index_metrics_run_uuid_key_step"
        )
    else:
        run = RUN
        database.executescript(MLFLOW)
        database.execute("INSERT INTO experiments VALUES (0, 'Default', '', 'active')")
        row = (run, "run", "RUNNING", 1_796_000_000_000, None, "active", "", 0)
        database.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    insert = "INSERT INTO metrics (key, value, timestamp, run_uuid, step, is_nan) VALUES (?, ?, ?, ?, ?, 0)"
    database.executemany(insert, mlflow_rows(run, rows))
    database.commit()
    database.executescript(INDEXES)
    database.close()
    return run


def mlflow_rows(run: str, rows: int) -> Iterator[tuple[object, ...]]:
    for step in range(rows // len(KEYS)):
        for number, key in enumerate(KEYS):
            yield key, value(step, number), 1_796_000_000_000 + 10 * step, run, step


def row_of(step: int) -> dict[str, float]:
    return {key: value(step, number) for number, key in enumerate(KEYS)}


def write_trackio(directory: Path, rows: int) -> None:
    database = sqlite3.connect(directory / "project.db")
    database.executescript(TRACKIO)
    steps = (
        (RUN, "2026-11-30T10:00:00.125000+00:00", "run", step, json.dumps(row_of(step)).encode())
        for step in range(rows // len(KEYS))
    )
    database.executemany(
        "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?, ?)", steps
    )
    database.commit()
    database.close()


def measure(name: str, python: str, program: str, *arguments: str) -> None:
    """Print how long a reader takes, and its peak of memory."""
    begun = time.perf_counter()
    measured = ["/usr/bin/time", "-f", "%M", python, "-c", program, *arguments]
    done = subprocess.run(measured, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name:36} failed after {time.perf_counter() - begun:.0f} s: {done.stderr.splitlines()[-2][:120]}")
        return
    result = json.loads(done.stdout.splitlines()[-1])
    peak = int(done.stderr.splitlines()[-1]) / 1024
    times = f"{result['seconds']:8.2f} s, of the processor {result['cpu']:8.2f} s"
    print(f"{name:36} {result['rows']:>12,} rows {times}  {peak:7.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--peers", default=sys.executable)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        databases = [directory / name for name in ("mlflow", "trackio")]
        for database in databases:
            database.mkdir()
        run = write_mlflow(databases[0], options.rows, options.peers)
        measure("MLflow database, mindscope", sys.executable, OURS, str(databases[0]))
        measure("MLflow database, MlflowClient", options.peers, MLFLOW_CLIENT, str(databases[0]), run, *KEYS)
        write_trackio(databases[1], options.rows)
        measure("Trackio database, mindscope", sys.executable, OURS, str(databases[1]))
        measure("Trackio database, SQLiteStorage", options.peers, TRACKIO_STORAGE, str(databases[1]), RUN)


if __name__ == "__main__":
    main()
