# SPDX-License-Identifier: Apache-2.0
"""Trials that fail, are pruned, or are killed with their sweep."""

from __future__ import annotations

import os
import signal
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

import mindscope
from mindscope.sweep.trial_process import TrialProcess, last_lines
from tests.sweep.scripts import GRID, QUADRATIC, RANDOM, finish, run, start, states, status, trials

FAILING = """
import os, sys, mindscope
x = float(sys.argv[1].split("=")[1])
if x == 1:
    print("loading \\x1b[31mdata")
    raise RuntimeError("boom")
if x == 4:
    os.kill(os.getpid(), 9)
with mindscope.init() as run:
    run.log({"los" if x == 2 else "loss": float("nan") if x == 3 else x})
"""
FAILING_SWEEP = GRID.replace("[0.0, 1.0, 2.0]", "[0, 1, 2, 3, 4, 5]").replace("  y: {values: [0, 1]}\n", "")


def test_failed_trials_are_told_and_the_sweep_goes_on(tmp_path: Path) -> None:
    said = run(tmp_path, FAILING, FAILING_SWEEP)
    assert states(tmp_path) == ["COMPLETE"] * 2 + ["FAIL"] * 4
    assert "trial 1 failed: its process ended with exit code 1 (x=1)" in said
    assert "trial 2 failed: it never recorded 'loss'; it recorded 'los' (x=2)" in said
    assert "trial 3 failed: the last value of 'loss' is no number (x=3)" in said
    assert "trial 4 failed: its process ended with signal SIGKILL (x=4)" in said
    assert "2 complete, 0 pruned, 4 failed; best loss 0 " in said
    assert status(tmp_path)["problem"].startswith("trial 4 failed")


def test_failures_in_a_row_end_the_sweep_with_the_last_output(tmp_path: Path) -> None:
    said = run(
        tmp_path, FAILING, FAILING_SWEEP.replace("[0, 1, 2, 3, 4, 5]", "[2, 1, 5]"), "--max-failures", "2", code=3
    )
    assert "2 trials failed in a row, the last because its process ended with exit code 1" in said
    assert "RuntimeError: boom" in said
    assert "\x1b" not in said
    assert states(tmp_path) == ["FAIL", "FAIL", "WAITING"]


def test_a_command_that_does_not_exist_is_a_failed_trial(tmp_path: Path) -> None:
    sweep = RANDOM.replace("program: train.py", 'command: ["/no/such/program"]')
    said = run(tmp_path, QUADRATIC, sweep, "--max-failures", "1", code=3)
    assert "its command can't start" in said
    assert "/no/such/program" in said


SLOW = """
import argparse, time, mindscope
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
given = parser.parse_args()
with mindscope.init() as run:
    for step in range(300 if given.x == 9 else 5):
        run.log({"loss": given.x})
        run.flush()
        time.sleep(0.1)
open(f"ended-{given.x:g}", "w").close()
"""


def test_a_pruned_trial_ends_and_others_do_not(tmp_path: Path) -> None:
    sweep = GRID.replace("[0.0, 1.0, 2.0]", "[2, 3, 1, 9]").replace("  y: {values: [0, 1]}\n", "")
    said = run(tmp_path, SLOW, sweep + "pruner: {type: median, startup_trials: 2, warmup: 3}\n")
    assert states(tmp_path) == ["COMPLETE"] * 3 + ["PRUNED"]
    assert "trial 3 pruned: loss 9 was not good enough (x=9)" in said
    assert sorted(path.name for path in tmp_path.glob("ended-*")) == ["ended-1", "ended-2", "ended-3"]
    assert status(tmp_path)["best"] == 1.0
    runs = mindscope.open_runs(tmp_path / "runs")
    assert runs.lineage().to_pandas()["fact/state"].tolist() == ["finished"] * 4  # also the one that a signal ended
    assert runs["sweep/trial-0003"].hparams["env/trial_state"] == "pruned"


def test_a_process_that_ignores_sigterm_is_killed_with_its_children(tmp_path: Path) -> None:
    script = (
        "import os, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\n"
        "print(child.pid, flush=True)\ntime.sleep(100)\n"
    )
    process = TrialProcess([sys.executable, "-c", script], os.environ, tmp_path / "out", tmp_path)
    while not last_lines(tmp_path / "out"):
        time.sleep(0.05)
    child = int(last_lines(tmp_path / "out")[0])
    process.end(grace_s=0.3)
    deadline = time.monotonic() + 20
    while (code := process.poll()) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert code == -signal.SIGKILL
    while _is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _is_alive(child)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


WAITING = QUADRATIC + "\nimport time, os\nopen(f'began-{os.getpid()}', 'w').close()\ntime.sleep(0.6)\n"


def wait_for(folder: Path, count: int, kept: int = 0) -> None:
    deadline = time.monotonic() + 60
    while len(list(folder.glob("began-*"))) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(list(folder.glob("began-*"))) >= count


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=["kill", "ctrl-c", "term"])
def test_a_sweep_that_is_killed_continues_without_loss(tmp_path: Path, number: signal.Signals) -> None:
    process = start(tmp_path, WAITING, GRID, "--workers", "2")
    wait_for(tmp_path, 3)
    pids = [int(path.name.partition("-")[2]) for path in tmp_path.glob("began-*")]
    process.send_signal(number)
    finish(process)
    assert process.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    time.sleep(0.2)
    assert not any(map(_is_alive, pids))
    before = states(tmp_path)
    assert "RUNNING" in before if number == signal.SIGKILL else "RUNNING" not in before
    run(tmp_path, WAITING, GRID, "--workers", "2")
    assert states(tmp_path) == ["COMPLETE"] * 6
    complete = [trial.params for trial in trials(tmp_path) if trial.state.name == "COMPLETE"]
    assert len({tuple(sorted(params.items())) for params in complete}) == len(complete) == 6
    assert status(tmp_path)["failed"] == 0
    assert list((tmp_path / "runs/sweep/workers").iterdir()) == [] or number == signal.SIGKILL


def test_two_processes_share_a_sweep(tmp_path: Path) -> None:
    both = [start(tmp_path, WAITING, GRID) for _ in range(2)]
    said = [finish(process) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert states(tmp_path) == ["COMPLETE"] * 6
    assert all("complete: loss" in text for text in said)  # both did some
    assert sum(text.count("complete: loss") for text in said) == 6


def test_run_cap_holds_for_two_processes(tmp_path: Path) -> None:
    both = [start(tmp_path, QUADRATIC, RANDOM + "seed: 7\n", "--workers", "2") for _ in range(2)]
    said = [finish(process) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert states(tmp_path) == ["COMPLETE"] * 6
    assert len({trial.params["x"] for trial in trials(tmp_path)}) == 6  # a shared seed repeats nothing


@pytest.mark.skipif(find_spec("cmaes") is None, reason="cmaes is not installed")
def test_two_processes_share_a_search_by_cmaes_that_hyperband_prunes(tmp_path: Path) -> None:
    sweep = RANDOM.replace("random", "cmaes").replace(
        "x: {min: -4.0, max: 4.0}", "x: {min: -4.0, max: 4.0}\n  y: {min: -4.0, max: 4.0}"
    )
    sweep = sweep.replace("run_cap: 6", "run_cap: 10") + "pruner: {type: hyperband, min_iter: 1, max_iter: 9}\n"
    both = [start(tmp_path, QUADRATIC.replace("range(3)", "range(9)"), sweep) for _ in range(2)]
    said = [finish(process) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert set(states(tmp_path)) == {"COMPLETE", "PRUNED"}
    assert len(trials(tmp_path)) == 10
    assert all("trial " in text for text in said)  # both did some
    worst = max(trial.value for trial in trials(tmp_path) if trial.state.name == "PRUNED")
    assert status(tmp_path)["best"] < worst
