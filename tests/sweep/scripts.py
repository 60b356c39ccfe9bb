# SPDX-License-Identifier: Apache-2.0
"""Sweeps over real scripts, run by the command in a directory of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import optuna
from optuna.storages.journal import JournalFileBackend

QUADRATIC = """
import argparse, mindscope
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
parser.add_argument("--y", type=float, default=0.0)
given = parser.parse_args()
with mindscope.init() as run:
    for step in range(3):
        run.log({"loss": (given.x - 1) ** 2 + given.y ** 2 + 2 - step})
"""
GRID = """
program: train.py
method: grid
metric: {name: loss, goal: minimize}
parameters:
  x: {values: [0.0, 1.0, 2.0]}
  y: {values: [0, 1]}
"""
RANDOM = """
program: train.py
method: random
metric: {name: loss}
run_cap: 6
parameters:
  x: {min: -4.0, max: 4.0}
"""
LIMIT_S = 120


def start(folder: Path, script: str, sweep: str, *options: str, **variables: str) -> subprocess.Popen[str]:
    """Start ``mindscope sweep`` over the text of a script and of a file."""
    (folder / "train.py").write_text(script)
    (folder / "sweep.yaml").write_text(sweep)
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "MINDSCOPE_SYSTEM_METRICS": "0", **variables}
    return subprocess.Popen(
        [sys.executable, "-m", "mindscope", "sweep", "sweep.yaml", *options],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> str:
    """Return what a sweep printed until its end."""
    return process.communicate(timeout=LIMIT_S)[0]


def run(folder: Path, script: str, sweep: str, *options: str, code: int = 0, **variables: str) -> str:
    """Run a sweep to its end, which has an exit code; returns what it printed."""
    process = start(folder, script, sweep, *options, **variables)
    said = finish(process)
    assert process.returncode == code, said
    return said


def trials(folder: Path, name: str = "sweep") -> list[Any]:
    """Return the trials of the journal, as Optuna itself reads them."""
    backend = JournalFileBackend(str(folder / "runs" / name / "sweep.journal"))
    return optuna.load_study(study_name=name, storage=optuna.storages.JournalStorage(backend)).trials


def states(folder: Path) -> list[str]:
    """Return the states of trials that no other replaces, sorted."""
    kept = trials(folder)
    replaced = {trial.user_attrs.get("replaces") for trial in kept}
    return sorted(trial.state.name for trial in kept if trial.number not in replaced)


def status(folder: Path) -> dict[str, Any]:
    """Return what the sweep tells the viewer."""
    return json.loads((folder / "runs" / "sweep" / "sweep.json").read_text())
