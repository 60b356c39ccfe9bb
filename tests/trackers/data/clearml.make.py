# SPDX-License-Identifier: Apache-2.0
"""Writes ``clearml/`` with clearml 2.1 offline, and its reported scalars as ``clearml.expected.json``."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CACHE = tempfile.mkdtemp(dir="/tmp")
os.environ.update(CLEARML_CACHE_DIR=CACHE, HOME=CACHE)

import numpy as np  # noqa: E402
from clearml import Task  # noqa: E402


def record() -> None:
    Task.set_offline(True)
    task = Task.init("digits", "first", tags=["a", "b"], auto_connect_frameworks=False, auto_resource_monitoring=False)
    task.connect({"lr": 0.1, "optimizer": {"name": "sgd"}, "layers": [1, 2], "is_deep": True, "width": 8})
    task.set_comment("a note")
    logger = task.get_logger()
    for step in range(6):
        logger.report_scalar("loss", "train", 1 / (step + 1), step)
        logger.report_scalar("loss", "val", 2 / (step + 1), step)
    logger.report_single_value("best", 0.5)
    logger.report_histogram("histogram", "weights", np.arange(5), 3)
    logger.report_text("a line of the script")
    task.close()


def main() -> None:
    record()
    made = next(path for path in Path(CACHE).rglob("offline-*") if path.is_dir() and (path / "task.json").exists())
    scalars: dict[str, list[list[object]]] = {}
    for line in (made / "metrics.jsonl").read_text().splitlines():
        for event in json.loads(line):
            if event["type"] == "training_stats_scalar":
                rows = scalars.setdefault(f"{event['metric']}/{event['variant']}", [])
                rows.append([event["iter"], event["timestamp"], repr(float(event["value"]))])
    shutil.rmtree(HERE / "clearml", ignore_errors=True)
    shutil.copytree(made, HERE / "clearml" / made.name, ignore=shutil.ignore_patterns("data"))
    for path in (HERE / "clearml" / made.name).iterdir():  # paths of this machine
        path.write_text(path.read_text().replace(CACHE, "/cache").replace(str(HERE), "/train"))
    task = HERE / "clearml" / made.name / "task.json"
    content = json.loads(task.read_text())
    task.write_text(json.dumps({name: value for name, value in content.items() if name != "script"}))
    (HERE / "clearml.expected.json").write_text(json.dumps(scalars, indent=1))


if __name__ == "__main__":
    main()
