# SPDX-License-Identifier: Apache-2.0
"""Lineage fields of optimizers and schedulers."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches, make_model
from recorded_row import recorded, row_of
from torch import nn
from torch.optim import SGD, Adam, AdamW, lr_scheduler

from mindscope.torch import Callback, Model, RunContext, SummaryCollector
from mindscope.torch.core.optimizer_settings import optimizer_settings, scheduler_settings

pytestmark = pytest.mark.framework


def test_groups_of_parameters_say_where_they_differ() -> None:
    network = SmallNet()
    groups: list[dict[str, Any]] = [
        {"params": network.conv1.weight, "weight_decay": 0.1},
        {"params": network.conv1.bias, "lr": torch.tensor(0.02)},
        {"params": network.fc1.parameters(), "name": "head", "betas": (0.5, 0.9)},
    ]
    optimizer = AdamW(groups, lr=0.01, weight_decay=0.0, amsgrad=True)
    lr_scheduler.StepLR(optimizer, 1)  # notes the initial rates
    optimizer.param_groups[1]["lr"] = 99.0
    settings = optimizer_settings([optimizer])
    assert settings.pop("optimizer.group_1.lr") == pytest.approx(0.02)
    assert settings["optimizer.betas"] == [0.9, 0.999]
    assert {name: value for name, value in settings.items() if name.count(".") > 1 or "decay" in name} == {
        "optimizer.weight_decay": 0.1, "optimizer.decoupled_weight_decay": True,
        "optimizer.group_1.weight_decay": 0.0, "optimizer.head.weight_decay": 0.0, "optimizer.head.betas": [0.5, 0.9],
    }  # fmt: skip
    assert settings["optimizer.groups"] == 3
    assert (settings["optimizer.amsgrad"], settings["optimizer.eps"]) == (True, 1e-8)


def test_two_optimizers_are_groups_of_one() -> None:
    one, other = SmallNet(), SmallNet()
    settings = optimizer_settings([SGD(one.parameters(), lr=0.1), Adam(other.parameters(), lr=0.2)])
    assert (settings["optimizer.group_1.lr"], settings["optimizer.group_1.betas"]) == (0.2, [0.9, 0.999])


def test_tuple_with_none_is_a_setting(tmp_path: Path) -> None:
    row = recorded(tmp_path, optimizer=torch.optim.Adafactor(SmallNet().parameters(), d=2.0))
    assert (row["optimizer.eps"], row["optimizer.d"]) == ((None, 0.001), 2.0)


def test_hundreds_of_groups_are_bounded() -> None:
    weights = [{"params": [nn.Parameter(torch.zeros(1))], "lr": 0.1 / (place + 1)} for place in range(300)]
    settings = optimizer_settings([SGD(weights, lr=0.1)])
    assert settings["optimizer.groups"] == 300
    assert len(settings) < 30


def warm_up(step: int, *, warmup_steps: int, total: int) -> float:
    return min(1.0, (step + 1) / warmup_steps)


def test_settings_of_schedulers() -> None:
    def of(make: Any) -> dict[str, Any]:
        return scheduler_settings([make(SGD(SmallNet().parameters(), lr=0.1, momentum=0.9))])

    assert of(lambda o: lr_scheduler.StepLR(o, 10, 0.5)) == {
        "scheduler": "StepLR", "scheduler.step_size": 10, "scheduler.gamma": 0.5,
    }  # fmt: skip
    assert of(lambda o: lr_scheduler.MultiStepLR(o, [5, 5, 3]))["scheduler.milestones"] == [3, 5, 5]
    assert of(lambda o: lr_scheduler.LambdaLR(o, lambda step: 1.0)) == {
        "scheduler": "LambdaLR", "scheduler.function": "<lambda>",
    }  # fmt: skip
    assert of(lambda o: lr_scheduler.LambdaLR(o, partial(warm_up, warmup_steps=3, total=9))) == {
        "scheduler": "LambdaLR", "scheduler.function": "warm_up", "scheduler.warmup_steps": 3, "scheduler.total": 9,
    }  # fmt: skip
    cosine = of(lambda o: lr_scheduler.CosineAnnealingLR(o, 100, 0.001))
    assert cosine == {"scheduler": "CosineAnnealingLR", "scheduler.T_max": 100, "scheduler.eta_min": 0.001}
    plateau = of(lr_scheduler.ReduceLROnPlateau)
    assert (plateau["scheduler"], plateau["scheduler.patience"]) == ("ReduceLROnPlateau", 10)
    assert of(lambda o: lr_scheduler.OneCycleLR(o, 1.0, total_steps=50))["scheduler.total_steps"] == 50
    parts = of(
        lambda o: lr_scheduler.SequentialLR(
            o, [lr_scheduler.ConstantLR(o, 0.5), lr_scheduler.ExponentialLR(o, 0.9)], [4]
        )
    )
    assert (parts["scheduler.milestones"], parts["scheduler.1"], parts["scheduler.1.gamma"]) == (
        [4],
        "ExponentialLR",
        0.9,
    )
    assert of(lambda o: lr_scheduler.ChainedScheduler([lr_scheduler.ConstantLR(o)], o))["scheduler.0.factor"] == 1 / 3


def test_scheduler_of_a_callback_and_of_an_own_loop(tmp_path: Path) -> None:
    class Scheduled(Callback):
        def begin(self, run_context: RunContext) -> None:
            self.mine = lr_scheduler.ExponentialLR(run_context.original_args().optimizer, 0.5)

        def step_end(self, run_context: RunContext) -> None:
            self.mine.step()

    make_model().train(1, batches(32), callbacks=[Scheduled(), SummaryCollector(tmp_path / "model")])
    row = row_of(tmp_path / "model")
    assert (row["scheduler"], row["scheduler.gamma"]) == ("ExponentialLR", 0.5)
    optimizer = SGD(SmallNet().parameters(), lr=0.1)
    both = [lr_scheduler.StepLR(optimizer, 3), lr_scheduler.ExponentialLR(optimizer, 0.9)]
    row = recorded(tmp_path / "own", optimizer=optimizer, scheduler=both)
    assert (row["scheduler"], row["scheduler.step_size"], row["scheduler_1.gamma"]) == ("StepLR", 3, 0.9)


def test_second_training_of_a_collector_says_its_own_optimizer(tmp_path: Path) -> None:
    network = SmallNet()
    with SummaryCollector(tmp_path) as collector:
        for optimizer in (
            SGD(network.parameters(), lr=0.1, momentum=0.5),
            SGD(network.parameters(), lr=0.1, momentum=0.9),
        ):
            Model(network, nn.CrossEntropyLoss(), optimizer).train(1, batches(16), callbacks=[collector])
    assert row_of(tmp_path)["optimizer.momentum"] == 0.9
