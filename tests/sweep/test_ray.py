# SPDX-License-Identifier: Apache-2.0
"""Trials on a real Ray cluster of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

import mindscope
from tests.sweep.scripts import GRID, finish, run, start, states, status, trials

pytestmark = pytest.mark.framework

SCRIPT = """
import argparse, os, pathlib, signal, time, mindscope
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
given = parser.parse_args()
lost = pathlib.Path("lost")
if given.x == 0 and not lost.exists():
    lost.write_text(str(os.getpid()))
    os.kill(os.getppid(), signal.SIGKILL)  # the worker of Ray
    time.sleep(100)
if given.x == 7:
    print("no such data")
    raise SystemExit(5)
with mindscope.init() as run:
    for step in range(300 if given.x == 9 else 4):
        run.log({"loss": given.x})
        run.flush()
        time.sleep(0.1)
pathlib.Path(f"ended-{given.x:g}").touch()
"""
SWEEP = GRID.replace("[0.0, 1.0, 2.0]", "[2, 0, 7, 1, 9]").replace("  y: {values: [0, 1]}\n", "")


def test_trials_of_a_ray_cluster_are_pruned_fail_and_run_again_if_their_worker_is_killed(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    pruner = "pruner: {type: median, startup_trials: 2, warmup: 2}\n"
    process = start(
        tmp_path, SCRIPT, SWEEP + pruner, "--executor", "ray", "--workers", "1", RAY_USAGE_STATS_ENABLED="0"
    )
    said = finish(process)
    if "Ray can't start a cluster on this machine" in said:  # it gives itself 30 s, which a busy machine exceeds
        pytest.skip(said)
    assert process.returncode == 0, said
    assert "trial 1 lost: its worker of Ray ended: WorkerCrashedError (x=0)" in said
    assert "trial 2 failed: its process ended with exit code 5 (x=7)" in said
    assert "trial 4 pruned: loss 9 was not good enough (x=9)" in said
    assert states(tmp_path) == ["COMPLETE"] * 3 + ["FAIL", "PRUNED"]
    assert sorted(path.name for path in tmp_path.glob("ended-*")) == ["ended-0", "ended-1", "ended-2"]
    assert [trial.params["x"] for trial in trials(tmp_path)] == [2, 0, 7, 1, 9, 0]
    told = status(tmp_path)
    assert (told["best"], told["failed"], told["executor"], told["workers"]) == (0.0, 1, "ray", 1)
    kept = mindscope.open_runs(tmp_path / "runs")
    assert kept["sweep/trial-0003"].scalars("loss").value.tolist() == [1.0] * 4
    assert kept["sweep/trial-0001"].hparams["env/trial_state"] == "lost"
    assert "no such data" in (tmp_path / "runs/sweep/output/trial-0002.txt").read_text()
    assert not Path(f"/proc/{(tmp_path / 'lost').read_text()}").exists()  # the process ended with its worker


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (("--executor", "ray", "--devices", "0"), "--devices are those of this machine: give --gpus to trials on Ray"),
        (("--gpus", "1"), "--address and --gpus are for trials on Ray: add --executor ray"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path: Path, options: tuple[str, ...], refusal: str) -> None:
    assert refusal in " ".join(run(tmp_path, SCRIPT, SWEEP, *options, code=2).split())
