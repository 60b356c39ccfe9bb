# SPDX-License-Identifier: Apache-2.0
"""Ray Tune with a callback, and ``mindscope.init`` in a worker of Ray Train."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mindscope
from tests.lineage_row import status_of

pytestmark = pytest.mark.framework


def test_trials_are_runs_and_a_worker_tracks_its_own(tmp_path: Path) -> None:
    script = Path(__file__).parent / "trainings" / "ray_training.py"
    environment = {**os.environ, "RAY_TMPDIR": "/tmp"}  # the path of a socket has at most 107 bytes
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode == 77:
        pytest.skip("Ray starts no cluster within the 30 s that it gives itself")
    assert done.returncode == 0, done.stderr
    facts = json.loads(next(line for line in done.stdout.splitlines() if line.startswith('{"ours"')))
    assert set(facts["ours"]) == {"1.0", "2.0", "3.0"}
    for start, trial in facts["ours"].items():
        assert trial["losses"] == facts["plain"][start]["losses"]
        assert trial["failed"] == facts["plain"][start]["failed"] == (start == "3.0")
        for directory in (tmp_path / "runs" / trial["path"], tmp_path / "ours" / "mine" / trial["path"]):
            run = mindscope.open_run(directory)
            assert run.scalars("loss").value.tolist() == trial["losses"]
            assert run.scalars("loss").step.tolist() == [*range(1, len(trial["losses"]) + 1)]
            assert run.scalars("of/step").value.tolist() == [*range(len(trial["losses"]))]
            assert run.hparams == {"start": float(start), "of.factor": 0.5}
            assert status_of(directory) == ("failure" if start == "3.0" else "success")
    worker = mindscope.open_run(tmp_path / "workers" / "rank_0")
    assert worker.scalars("loss").value.tolist() == [0.0, 0.5, 1.0]
    assert worker.hparams["lr"] == 0.5
