# SPDX-License-Identifier: Apache-2.0
"""Odd optimizers, networks and data leave the other lineage fields."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches, digits
from recorded_row import half, recorded, row_of
from torch import Tensor, nn
from torch.optim import SGD, lr_scheduler
from torch.utils.data import DataLoader, IterableDataset

from mindscope.torch import Callback, Model, RunContext, SummaryCollector

pytestmark = pytest.mark.framework


class Unreadable(nn.Module):
    """Raises wherever it is asked."""

    def parameters(self, recurse: bool = True) -> Any:
        raise RuntimeError("parameters")

    def __getattr__(self, name: str) -> Any:
        if name in ("_handle", "_orig_mod"):
            raise AttributeError(name)
        return super().__getattr__(name)


class OddOptimizer(SGD):
    """An optimizer whose groups hold what no file can."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters, lr=0.1)
        self.param_groups[0] |= {
            "closure": half, "state": {"a": torch.zeros(3)}, "matrix": torch.zeros(2, 2),
            "meta": torch.zeros(1, device="meta"),
            "nan": float("nan"), "inf": float("inf"), "complex": 1j, "type": torch.float16, "none": None,
            "text": "\udcff",
            "tensors": (torch.tensor(0.5), torch.tensor(0.25)), "many": list(range(100)), 3: 4, "wide": 1 << 80,
        }  # fmt: skip


class NoGroups(SGD):
    """An optimizer that can't say its groups after a while."""

    is_broken = False

    @property
    def param_groups(self) -> Any:
        if self.is_broken:
            raise RuntimeError("no groups")
        return self.__dict__["param_groups"]

    @param_groups.setter
    def param_groups(self, groups: Any) -> None:
        self.__dict__["param_groups"] = groups


class OddScheduler(lr_scheduler.StepLR):
    @property
    def gamma(self) -> float:
        raise ValueError("no gamma")

    @gamma.setter
    def gamma(self, gamma: float) -> None: ...

    def get_lr(self) -> list[float]:
        return [0.1 for _ in self.optimizer.param_groups]


class Stream(IterableDataset[Any]):
    """Data without a length."""

    def __iter__(self) -> Iterator[Any]:
        return iter(digits(32))


class BadLength:
    """Data whose length and batch size raise."""

    generator = property(lambda self: 1 / 0)

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        return iter(batches(32))


def test_odd_optimizer_and_scheduler_are_recorded_as_far_as_they_say(tmp_path: Path) -> None:
    network = SmallNet()
    optimizer = OddOptimizer(network.parameters())
    row = recorded(tmp_path, network=network, optimizer=optimizer, scheduler=OddScheduler(optimizer, 7))
    found = {name: value for name, value in row.items() if name.startswith(("optimizer.", "scheduler"))}
    assert {name: found[name] for name in ("scheduler", "scheduler.step_size")} == {
        "scheduler": "OddScheduler", "scheduler.step_size": 7,
    }  # fmt: skip
    assert found["optimizer.tensors"] == (0.5, 0.25)
    assert (found["optimizer.type"], found["optimizer.wide"], found["optimizer.3"]) == ("torch.float16", 1 << 80, 4)
    assert repr((found["optimizer.nan"], found["optimizer.inf"])) == "(nan, inf)"
    assert not {f"optimizer.{name}" for name in ("closure", "matrix", "meta", "complex", "none", "many")} & set(found)


def test_broken_parts_leave_the_other_fields(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    network = SmallNet()
    optimizer = NoGroups(network.parameters(), lr=0.1)
    model = Model(network, nn.CrossEntropyLoss(), optimizer)

    class Breaks(Callback):
        def begin(self, run_context: RunContext) -> None:
            optimizer.is_broken = True

        def step_begin(self, run_context: RunContext) -> None:
            optimizer.is_broken = False

        def step_end(self, run_context: RunContext) -> None:
            optimizer.is_broken = True

    with caplog.at_level(logging.WARNING, "mindscope"):
        model.train(1, batches(32), callbacks=[Breaks(), SummaryCollector(tmp_path)])
    row = row_of(tmp_path)
    assert (row["optimizer"], row["algorithm/network"], row["model/parameters"]) == ("NoGroups", "SmallNet", 750)
    assert not [name for name in row if name.startswith("optimizer.")]


@pytest.mark.parametrize(
    "data", [DataLoader(Stream(), batch_size=16), BadLength(), iter([]), [(torch.zeros(2, 1, 8, 8), 0)]]
)
def test_data_without_a_length(tmp_path: Path, data: Any) -> None:
    network = SmallNet()
    row = recorded(tmp_path, network=network, optimizer=SGD(network.parameters(), lr=0.1), train_dataset=data)
    assert (row["optimizer"], row["algorithm/network"], row["model/parameters"]) == ("SGD", "SmallNet", 750)
    assert type(row["seed"]) is int


def test_unreadable_network(tmp_path: Path) -> None:
    row = recorded(tmp_path, network=Unreadable(), optimizer=SGD(SmallNet().parameters(), lr=0.1))
    assert (row["algorithm/network"], row["optimizer"]) == ("Unreadable", "SGD")
    assert {"seed", "optimizer.momentum", "fact/python", "fact/world_size"} <= set(row)
    assert not {"model/parameters", "precision", "fact/device"} & set(row)
