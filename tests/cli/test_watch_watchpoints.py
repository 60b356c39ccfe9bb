# SPDX-License-Identifier: Apache-2.0
"""``mindscope watch --watchpoint`` over real trainings: finished ones, and one that goes bad while it is watched."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import mindscope

TRAINING = """
import sys, time
import torch
from torch import nn
from mindscope.torch import Debugger

directory, bad_step, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
torch.manual_seed(0)
network = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(network.parameters(), lr=0.05)
with Debugger(directory, network) as debugger:
    for step in range(1, 13):
        if step == bad_step:
            with torch.no_grad():
                network[0].bias.fill_(-100.0)
        x = torch.randn(32, 8)
        loss = nn.functional.mse_loss(network(x), 2 * x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        debugger.step(loss)
        time.sleep(pause)
"""


def train(directory: Path, bad_step: int, pause_s: float = 0) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", TRAINING, str(directory), str(bad_step), str(pause_s)])


def watch(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mindscope", "watch", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_a_training_that_goes_bad_ends_the_command_while_it_records(tmp_path: Path) -> None:
    training = train(tmp_path / "run", bad_step=5, pause_s=0.4)
    try:
        done = watch(str(tmp_path), "--watchpoint", "recommended", "--json")
        assert done.returncode == 3, done.stderr
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert found[-1]["rule"] in ("dead_relu", "zero_outputs", "vanishing_gradients")
        assert (found[-1]["run"], found[-1]["step"]) == ("run", 7)  # the third of three consecutive steps
    finally:
        training.kill()
        training.wait()


def test_finished_trainings_fail_by_their_hits(tmp_path: Path) -> None:
    for name, bad_step in (("healthy", 99), ("dead", 5)):
        assert train(tmp_path / name, bad_step).wait(60) == 0
    healthy = watch(str(tmp_path / "healthy"), "--once", "--watchpoint", "recommended")
    assert (healthy.returncode, healthy.stdout) == (0, ""), healthy.stderr
    done = watch(str(tmp_path), "--once", "--watchpoint", "dead_relu for 1")
    assert done.returncode == 3, done.stderr
    (line,) = done.stdout.splitlines()
    assert line == "dead  1/ReLU output 0  step 5  dead_relu for 1 (100, 8 values to step 12)"
    elsewhere = watch(str(tmp_path), "--once", "--watchpoint", "dead_relu for 1 @ 7.*")
    assert (elsewhere.returncode, elsewhere.stdout) == (0, "")


def test_what_can_not_be_watched_is_an_error(tmp_path: Path) -> None:
    with mindscope.SummaryRecord(tmp_path / "run") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    for text, want in (("overflow", "no run has debugging data"), ("overfow", "nearest are overflow")):
        done = watch(str(tmp_path), "--once", "--watchpoint", text)
        assert done.returncode not in (0, 3)
        assert want in done.stderr


def test_a_directory_with_a_dump_only_fails_by_its_hits(tmp_path: Path) -> None:
    for step in range(6):
        np.save(tmp_path / f"loss_float32_{step}.npy", np.full(3, np.inf if step == 4 else 1.0, np.float32))
    done = watch(str(tmp_path), "--once", "--watchpoint", "tensor_overflow", "--json")
    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)
    assert (found["run"], found["source"], found["step"], found["value"], found["rank"]) == (".", "./", 4, 3, 0)
