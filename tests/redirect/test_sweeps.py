# SPDX-License-Identifier: Apache-2.0
"""Sweeps within one script, and callbacks of reinforcement learning and Fabric."""

from __future__ import annotations

from pathlib import Path

import pytest

import mindscope
from mindscope.redirect.ignored import error_class
from mindscope.redirect.modules.wandb_sweeps import Sweeps
from tests.redirect.scripts import run_in, said

GRID = {
    "method": "grid",
    "parameters": {
        "lr": {"values": [0.1, 0.2]}, "depth": {"min": 1, "max": 2}, "net": {"parameters": {"name": {"value": "a"}}},
    },
}  # fmt: skip
RANDOM = {
    "method": "random",
    "parameters": {
        "whole": {"min": 2, "max": 5}, "real": {"min": 0.5, "max": 1.0}, "one": {"values": ["a", "b"]},
        "log": {"distribution": "log_uniform_values", "min": 1e-4, "max": 1e-1},
        "rounded": {"distribution": "q_uniform", "min": 0, "max": 100, "q": 25},
        "normal": {"distribution": "normal", "mu": 5.0, "sigma": 0.0},
    },
}  # fmt: skip


def calls(config: object, count: int | None = None) -> list[dict[str, object]]:
    sweeps, seen = Sweeps(), list[dict[str, object]]()

    def finish(exit_code: int) -> None:
        assert exit_code == 0

    sweeps.agent(finish, sweeps.sweep(config), lambda: seen.append(sweeps.parameters), count=count)
    assert sweeps.parameters == {}
    return seen


def test_a_grid_is_called_with_each_combination() -> None:
    assert calls(GRID) == [
        {"lr": lr, "depth": depth, "net": {"name": "a"}} for lr in (0.1, 0.2) for depth in (1, 2)
    ]  # fmt: skip
    assert len(calls(GRID, count=3)) == 3


def test_random_parameters_are_within_their_bounds() -> None:
    seen = calls(RANDOM, count=200)
    assert {row["whole"] for row in seen} == {2, 3, 4, 5}
    assert {row["one"] for row in seen} == {"a", "b"}
    assert {row["rounded"] for row in seen} <= {0, 25, 50, 75, 100}
    assert {row["normal"] for row in seen} == {5.0}
    assert all(0.5 <= float(str(row["real"])) <= 1.0 and 1e-4 <= float(str(row["log"])) <= 0.1001 for row in seen)
    assert sum(float(str(row["log"])) < 0.0032 for row in seen) > 50  # half of them on a logarithmic scale
    assert len(calls(RANDOM)) == 1


@pytest.mark.parametrize("config", [{}, {"method": "grid"}, 7, {"parameters": [1]}])
def test_a_sweep_without_parameters_is_refused(config: object) -> None:
    with pytest.raises(error_class("wandb", "UsageError"), match="parameters"):
        Sweeps().sweep(config)


SWEEP = """
import random, wandb

random.seed(0)
def train():
    run = wandb.init(config={"lr": 9.0, "left": 1})
    if wandb.config.lr == 0.2:
        raise RuntimeError("boom")
    run.log({"loss": run.config["lr"]})
    print(run.project, run.sweep_id == id, run.config.lr, random.random())

id = wandb.sweep({"method": "grid", "parameters": {"lr": {"values": [0.1, 0.2, 0.3]}}}, project="p")
wandb.agent(id, function=train)
wandb.agent("entity/project/unknown", function=train)
random.seed(0)
print(random.random(), random.random())
"""


def test_an_agent_runs_the_function_of_a_script(tmp_path: Path) -> None:
    done = run_in(tmp_path, SWEEP)
    first, third, numbers = done.stdout.splitlines()
    values = [line.split()[-1] for line in (first, third)]
    assert (first.split()[:3], third.split()[:3]) == (["p", "True", "0.1"], ["p", "True", "0.3"])
    assert numbers.split() == values  # the sweep takes no random numbers of the script
    assert "RuntimeError: boom" in done.stderr
    lines = said(done)
    assert lines[0] == "mindscope run: 3 runs"
    assert lines[-2] == "  ignored: wandb.agent"
    runs = mindscope.open_runs(tmp_path / "runs")
    by_rate = {run.hparams["lr"]: run for run in runs.values()}
    assert {rate: len(run.tags("scalar")) > 0 for rate, run in by_rate.items()} == {0.1: True, 0.2: False, 0.3: True}
    assert all(run.hparams["left"] == 1 for run in runs.values())


CALLBACKS = """
import gymnasium, wandb
from stable_baselines3 import PPO
from wandb.integration.sb3 import WandbCallback

wandb.init(name="learned")
model = PPO("MlpPolicy", "CartPole-v1", n_steps=16, batch_size=16, n_epochs=1, device="cpu", seed=0)
model.learn(32, callback=WandbCallback(verbose=2, model_save_path="models", gradient_save_freq=0), log_interval=1)
wandb.finish()

from lightning.fabric import Fabric
from wandb.integration.lightning.fabric import WandbLogger
fabric = Fabric(accelerator="cpu", devices=1, loggers=[WandbLogger(project="fabric", name="f", log_model="all")])
fabric.launch()
fabric.logger.log_hyperparams({"lr": 0.5})
for step in range(3):
    fabric.log("loss", 1 / (step + 1), step=10 * step)
fabric.logger.watch(None)
"""


@pytest.mark.framework
def test_callbacks_of_stable_baselines3_and_fabric(tmp_path: Path) -> None:
    done = run_in(tmp_path, CALLBACKS)
    assert done.returncode == 0, done.stderr
    runs = mindscope.open_runs(tmp_path / "runs")
    learned, fabric = runs["learned"], runs["fabric/f"]
    assert learned.scalars("time/fps").step.tolist() == [16, 32]
    assert learned.hparams["n_steps"] == 16
    assert fabric.scalars("loss").value.tolist()[:2] == [1.0, 0.5]
    assert fabric.scalars("trainer/global_step").value.tolist() == [0.0, 10.0, 20.0]
    assert fabric.hparams["lr"] == 0.5
    (ignored,) = [line for line in said(done) if line.startswith("  ignored: ")]
    assert ignored.removeprefix("  ignored: ").split(", ") == [
        "wandb.integration.sb3.WandbCallback(model_save_path=)",
        "wandb.integration.lightning.fabric.WandbLogger.watch",
    ]
