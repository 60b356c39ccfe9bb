# SPDX-License-Identifier: Apache-2.0
"""Logs that MLflow and Trackio write now, where they are installed, and what their own readers find in them."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mindscope.reading import Run, open_runs

from .packed_logs import rows

TRACKIO = """
import trackio
run = trackio.init(project="new", name="now", config={"lr": 0.5})
for step in range(20):
    trackio.log({"loss": step / 3, "odd": float("nan") if step % 2 else float("inf")})
trackio.finish()
from trackio.sqlite_storage import SQLiteStorage
for row in SQLiteStorage.get_logs("new", "now"):
    print(row["step"], repr(row["loss"]), repr(row["odd"]))
"""


def values(run: Run, tag: str) -> list[tuple[int, str]]:
    return [(step, value) for step, _, value in rows(run, tag)]


@pytest.mark.filterwarnings("ignore")  # of the libraries of MLflow
@pytest.mark.parametrize("store", ["sqlite:///{}/mlflow.db", "file://{}/mlruns"])
def test_mlflow(tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    mlflow: Any = pytest.importorskip("mlflow")
    client = mlflow.MlflowClient(store.format(tmp_path))
    id = client.create_run("0", run_name="now").info.run_id
    for step, value in enumerate([0.1, math.nan, math.inf, -math.inf, 1e-300]):
        client.log_metric(id, "loss", value, step=step)
    client.log_param(id, "lr", 0.5)
    client.set_terminated(id)
    (run,) = open_runs(tmp_path).values()
    largest = "1.7976931348623157e+308"
    points = [
        (point.step, repr(point.value).replace(largest, "inf")) for point in client.get_metric_history(id, "loss")
    ]
    assert sorted(values(run, "loss")) == sorted(points)
    assert run.hparams["lr"] == float(client.get_run(id).data.params["lr"])
    assert run.store.files[0].is_closed


def test_trackio(tmp_path: Path) -> None:
    pytest.importorskip("trackio")
    environment = {**os.environ, "TRACKIO_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", TRACKIO], capture_output=True, text=True, env=environment, check=True)
    lines = [line.split() for line in done.stdout.splitlines() if len(line.split()) == 3 and line[0].isdigit()]
    (run,) = open_runs(tmp_path).values()
    assert values(run, "loss") == [(int(step), loss) for step, loss, _ in lines]
    assert values(run, "odd") == [(int(step), odd) for step, _, odd in lines]
    assert run.hparams["lr"] == 0.5
    assert len(lines) == 20
