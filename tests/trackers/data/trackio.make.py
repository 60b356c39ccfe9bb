# SPDX-License-Identifier: Apache-2.0
"""Writes a log of Trackio, and what its own storage reads in it. Needs trackio 0.43.

``trackio`` is its directory with the database ``digits.db`` and the media; ``older.db`` in it has the tables of
versions before 0.24, without ids of runs.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import tarfile
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
WORK = tempfile.mkdtemp()
os.environ["TRACKIO_DIR"] = WORK

import numpy as np  # noqa: E402
import trackio  # noqa: E402
from trackio.sqlite_storage import SQLiteStorage  # noqa: E402

OLDER = """
CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT NOT NULL, run_name TEXT NOT NULL,
    step INTEGER NOT NULL, metrics TEXT NOT NULL);
CREATE TABLE configs (id INTEGER PRIMARY KEY AUTOINCREMENT, run_name TEXT NOT NULL, config TEXT NOT NULL,
    created_at TEXT NOT NULL, UNIQUE(run_name));
"""


def write() -> None:
    run = trackio.init(
        project="digits", name="first", group="wide", config={"lr": 0.1, "layers": [1, 2], "net": {"depth": 2}}
    )
    for step in range(30):
        trackio.log({"loss": 1 / (step + 3), "val": {"acc": step / 40}})
    for value in (math.nan, math.inf, -math.inf, 5e-324):
        trackio.log({"odd": value, "is_good": True})
    trackio.log(
        {
            "image": trackio.Image(np.full((6, 8, 3), 80, np.uint8), caption="gray"),
            "table": trackio.Table(columns=["word", "score"], data=[["a", 1], ["b", 2.5]]),
            "weights": trackio.Histogram(np_histogram=([1, 2, 3], [0.0, 1.0, 2.0, 3.0])),
            "report": trackio.Markdown("# Good"),
            "note": "a text",
            "list": [1, 2],
        },
        step=50,
    )
    run.log_system({"gpu/0/utilization": 50.0})
    run.log_system({"gpu/0/utilization": 75.0})
    trackio.alert(title="Loss is high", text="It is 3", level=trackio.AlertLevel.WARN)
    trackio.finish()
    trackio.init(project="digits", name="second", config={"lr": 0.2})
    trackio.log({"loss": 4.0})
    trackio.finish()


def write_older() -> None:
    database = sqlite3.connect(f"{WORK}/older.db")
    database.executescript(OLDER)
    for step in range(3):
        row = ("2025-09-01T10:00:00+00:00", "quiet-sun-0", step, json.dumps({"loss": step + 0.5}))
        database.execute("INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?)", row)
    row = ("quiet-sun-0", json.dumps({"lr": 0.5, "_Group": None}), "2025-09-01T10:00:00+00:00")
    database.execute("INSERT INTO configs (run_name, config, created_at) VALUES (?, ?, ?)", row)
    database.commit()
    database.close()


def expected() -> dict[str, object]:
    runs = {}
    for record in SQLiteStorage.get_run_records("digits"):
        name, id = record["name"], record["id"]
        runs[id] = {
            "name": name,
            "logs": json.loads(json.dumps(SQLiteStorage.get_logs("digits", name, run_id=id), default=repr)),
            "system": SQLiteStorage.get_system_logs("digits", name, run_id=id),
            "config": SQLiteStorage.get_run_config("digits", name, run_id=id),
            "alerts": SQLiteStorage.get_alerts("digits", run_name=name, run_id=id),
        }
    return runs


if __name__ == "__main__":
    write()
    write_older()
    (FOLDER / "trackio.expected.json").write_text(json.dumps(expected(), indent=1, sort_keys=True) + "\n")
    with tarfile.open(FOLDER / "trackio.tar.xz", "w:xz", preset=9) as archive:
        for name in ("digits.db", "older.db", "media"):
            archive.add(f"{WORK}/{name}", name)
