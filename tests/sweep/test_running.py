# SPDX-License-Identifier: Apache-2.0
"""What a sweep runs, and how its trials get their parameters."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

import mindscope
from tests.sweep.scripts import GRID, QUADRATIC, RANDOM, run, states, status, trials


def test_a_grid_is_run_once_each_and_minimized(tmp_path: Path) -> None:
    said = run(tmp_path, QUADRATIC, GRID, "--workers", "2")
    assert sorted((trial.params["x"], trial.params["y"]) for trial in trials(tmp_path)) == [
        (x, y) for x in (0.0, 1.0, 2.0) for y in (0, 1)
    ]  # fmt: skip
    assert states(tmp_path) == ["COMPLETE"] * 6
    runs = mindscope.open_runs(tmp_path / "runs")
    assert len(runs) == 6
    parameters = sorted((kept.hparams["x"], kept.hparams["y"]) for kept in runs.values())
    assert parameters == [(x, y) for x in (0.0, 1.0, 2.0) for y in (0, 1)]
    told = status(tmp_path)
    assert (told["total"], told["complete"], told["best"], told["is_maximized"]) == (6, 6, 0.0, False)
    best = runs[f"sweep/{told['best_trial']}"]
    assert (best.hparams["x"], best.hparams["y"]) == (1.0, 0)
    assert best.scalars("loss").step.tolist() == [0, 1, 2]  # no restart behind the parameters
    assert f"best loss 0 in {tmp_path}/runs/sweep/{told['best_trial']}" in said
    assert "6 complete, 0 pruned, 0 failed" in run(tmp_path, QUADRATIC, GRID)  # nothing is left to do
    assert len(trials(tmp_path)) == 6


def test_a_goal_to_maximize_prefers_the_highest(tmp_path: Path) -> None:
    run(tmp_path, QUADRATIC, GRID.replace("minimize", "maximize"))
    told = status(tmp_path)
    assert (told["best"], told["is_maximized"]) == (2.0, True)


def test_a_target_ends_the_sweep(tmp_path: Path) -> None:
    sweep = GRID.replace("goal: minimize", "goal: minimize, target: 0.5").replace("[0, 1]", "[0]")
    run(tmp_path, QUADRATIC, sweep.replace("[0.0, 1.0, 2.0]", "[1.0, 3.0, 4.0]"))
    assert states(tmp_path) == ["COMPLETE", "WAITING", "WAITING"]
    folder = tmp_path / "none"
    folder.mkdir()
    run(folder, QUADRATIC, sweep.replace("[0.0, 1.0, 2.0]", "[4.0, 5.0]"))
    assert states(folder) == ["COMPLETE", "COMPLETE"]


WAYS = """
import json, os, sys, wandb
hyper = json.loads(os.environ["MINDINSIGHT_HYPER_CONFIG"])["params"]
environment = json.loads(os.environ["MINDSCOPE_TRIAL_PARAMETERS"])
file = json.load(open(sys.argv[1]))
print("seen", json.dumps([hyper, environment, file, json.loads(sys.argv[2])]))
print("gpu", os.environ["CUDA_VISIBLE_DEVICES"], os.environ["ASCEND_RT_VISIBLE_DEVICES"])
run = wandb.init(project="p", name="n", config={"lr": 9.0, "own": 1})
assert run.sweep_id == "ways"
wandb.log({"acc": wandb.config.lr})
"""
WAYS_SWEEP = """
program: train.py
name: ways
command: ["${env}", "${interpreter}", "${program}", "${args_json_file}", "${args_json}"]
method: random
run_cap: 2
metric: {name: acc, goal: maximize}
parameters:
  lr: {values: [0.5]}
  net: {parameters: {depth: {value: 3}, names: {value: [a, b]}}}
"""


def test_a_script_of_wandb_gets_its_parameters_in_four_ways(tmp_path: Path) -> None:
    run(tmp_path, WAYS, WAYS_SWEEP, "--devices", "3,5")
    outputs = [(tmp_path / f"runs/ways/output/trial-000{number}.txt").read_text() for number in (0, 1)]
    wanted = {"lr": 0.5, "net": {"depth": 3, "names": ["a", "b"]}}
    for output in outputs:
        (seen,) = [line for line in output.splitlines() if line.startswith("seen ")]
        assert json.loads(seen.removeprefix("seen ")) == [wanted] * 4
    assert sorted("gpu 3 3" in output for output in outputs) == [False, True]
    assert sorted("gpu 5 5" in output for output in outputs) == [False, True]
    runs = mindscope.open_runs(tmp_path / "runs")
    assert list(runs) == ["ways/trial-0000", "ways/trial-0001"]
    for kept in runs.values():
        assert kept.scalars("acc").value.tolist() == [0.5]
        assert (kept.hparams["lr"], kept.hparams["own"], kept.hparams["net.depth"]) == (0.5, 1, 3)


TORCH = """
import argparse, torch
from torch.utils.tensorboard import SummaryWriter
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
given = parser.parse_args()
torch.manual_seed(0)
train, test = SummaryWriter("logs/train"), SummaryWriter("logs/test")
weight = torch.zeros(2, requires_grad=True)
for step in range(20):
    loss = ((weight - 1) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        weight -= abs(given.x) / 10 * weight.grad
    weight.grad = None
    train.add_scalar("loss", loss.item(), step)
    test.add_scalar("test", 1.0, step)
train.close()
test.close()
"""


@pytest.mark.framework
def test_a_script_of_torch_and_tensorboard_records_below_its_trial(tmp_path: Path) -> None:
    said = run(tmp_path, TORCH, RANDOM.replace("run_cap: 6", "run_cap: 2"))
    runs = mindscope.open_runs(tmp_path / "runs")
    assert sorted(runs) == sorted(f"sweep/trial-000{number}{end}" for number in (0, 1) for end in ("", "/test"))
    assert not (tmp_path / "logs").exists()
    assert all(
        runs[f"sweep/trial-000{number}"].hparams["x"] == trials(tmp_path)[number].params["x"] for number in (0, 1)
    )
    assert runs["sweep/trial-0000"].scalars("loss").value[-1] == pytest.approx(trials(tmp_path)[0].value)
    assert "2 complete" in said


def test_other_parameters_need_another_name(tmp_path: Path) -> None:
    run(tmp_path, QUADRATIC, RANDOM.replace("run_cap: 6", "run_cap: 1"))
    said = run(tmp_path, QUADRATIC, RANDOM.replace("max: 4.0", "max: 5.0"), code=2)
    assert "has other parameters, another metric or goal: give another name, or delete the directory" in said
    assert len(trials(tmp_path)) == 1
    run(tmp_path, QUADRATIC, RANDOM.replace("run_cap: 6", "run_cap: 2").replace("random", "qmc"))
    assert len(trials(tmp_path)) == 2


def test_a_method_names_the_package_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mindscope.errors import MissingPackageError
    from mindscope.sweep import optuna_parts

    absent = {"cmaes", "optuna"}

    def find(name: str) -> object:
        return None if name in absent else find_spec(name)

    monkeypatch.setattr(optuna_parts, "find_spec", find)
    with pytest.raises(MissingPackageError, match=r"Sweeps need Optuna.*mindscope\[sweep\]"):
        optuna_parts.sampler_of("tpe", None)
    absent.remove("optuna")
    with pytest.raises(MissingPackageError, match=r"The method cmaes needs cmaes, which is not installed\."):
        optuna_parts.sampler_of("cmaes", None)
    assert optuna_parts.sampler_of("gp", 0) is not None
