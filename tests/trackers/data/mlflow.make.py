# SPDX-License-Identifier: Apache-2.0
"""Writes the logs of MLflow of this folder, and what its own client reads in them. Needs mlflow 3.17.

``mlflow`` is a database with its artifacts; ``mlflow_files`` is a file store, which MLflow itself refuses without
MLFLOW_ALLOW_FILE_STORE.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import sys
import tarfile
import tempfile
from pathlib import Path

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"

import mlflow
import numpy as np
from mlflow import MlflowClient

FOLDER = Path(__file__).parent


def picture(step: int) -> np.ndarray:
    return np.full((6, 8, 3), step * 20, np.uint8)


def write_runs() -> None:
    mlflow.set_experiment("vision/digits")
    with mlflow.start_run(run_name="first", tags={"team": "blue"}, description="A **note**"):
        mlflow.log_params({"lr": 0.1, "epochs": 3, "model/depth": 18, "amp": True, "name": "ResNet", "code": "007"})
        for step in range(40):
            mlflow.log_metric("loss", 1 / (step + 3), step=step)
        for step, value in enumerate([math.nan, math.inf, -math.inf, 0.1, -0.0, 5e-324]):
            mlflow.log_metric("odd", value, step=step)
        mlflow.log_metrics({"val/acc": 0.5, "a b": 2, "größe": 3}, step=7)
        mlflow.log_metric("val/acc", 0.75, step=3)
        mlflow.log_metric("val/acc", 0.8, step=3)
        for step in (0, 4):
            mlflow.log_image(picture(step), key="val/samples", step=step)
        mlflow.log_image(picture(9), "chart.png")
        mlflow.log_table({"question": ["a", "b"], "score": [1, 2.5]}, "eval/table.json")
        mlflow.log_text("hello\n", "note.txt")
        mlflow.log_text("x: 1\n", "model/MLmodel")
        mlflow.log_text("bytes", "weights.bin")
        with mlflow.start_run(run_name="child", nested=True):
            mlflow.log_metric("x", 1)
    try:
        with mlflow.start_run(run_name="failing"):
            mlflow.log_metric("loss", 2.5)
            raise RuntimeError
    except RuntimeError:
        pass
    mlflow.set_experiment("Default")
    client = MlflowClient()
    running = client.create_run("0", run_name="running")
    client.log_metric(running.info.run_id, "loss", 4.0, step=1)
    deleted = client.create_run("0", run_name="deleted")
    client.log_metric(deleted.info.run_id, "loss", 4.0)
    client.delete_run(deleted.info.run_id)


def points(client: MlflowClient, run: str, key: str) -> list[list[object]]:
    return [[point.step, point.timestamp, repr(point.value)] for point in client.get_metric_history(run, key)]


def expected() -> dict[str, object]:
    client = MlflowClient()
    runs = {}
    for experiment in client.search_experiments():
        for run in client.search_runs([experiment.experiment_id]):
            metrics = {key: points(client, run.info.run_id, key) for key in run.data.metrics}
            runs[run.info.run_id] = {
                "name": run.info.run_name, "experiment": experiment.name, "status": run.info.status,
                "start_time": run.info.start_time, "end_time": run.info.end_time,
                "metrics": metrics, "params": run.data.params, "tags": run.data.tags,
            }  # fmt: skip
    return runs


def make(uri: str, target: str) -> None:
    mlflow.set_tracking_uri(uri)
    write_runs()
    (FOLDER / f"{target}.expected.json").write_text(json.dumps(expected(), indent=1, sort_keys=True) + "\n")


def pack(target: str, *names: str) -> None:
    with tarfile.open(FOLDER / f"{target}.tar.xz", "w:xz", preset=9) as archive:
        for name in names:
            archive.add(name)


if __name__ == "__main__":
    sys.argv[0] = "train.py"
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        make(f"sqlite:///{name}/written.db", "mlflow")
        sqlite3.connect("written.db").execute("VACUUM INTO 'mlflow.db'")
        pack("mlflow", "mlflow.db", "mlruns")
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        make(f"file://{name}/mlruns", "mlflow_files")
        pack("mlflow_files", "mlruns")
