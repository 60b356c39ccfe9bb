# SPDX-License-Identifier: Apache-2.0
"""Automatic lineage fields of real trainings: what the lineage table shows, and how each is switched off."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches, make_model
from recorded_row import half, recorded, row_of
from torch import nn
from torch.optim import SGD

from mindscope.collector.collect_options import FACTS
from mindscope.torch import LearningRateScheduler, Model, SummaryCollector

pytestmark = pytest.mark.framework


def test_fields_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "orig_argv", ["python", "train.py", "--lr", "0.1", "--token", "hunter2"])
    torch.manual_seed(5)
    network = SmallNet()
    network.conv1.weight.requires_grad = False
    optimizer = SGD(network.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True)
    model = Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"}, amp_level="O1")
    collector, falling = SummaryCollector(tmp_path), LearningRateScheduler(half)
    model.fit(1, batches(64), batches(32), callbacks=[falling, collector])
    row = row_of(tmp_path)
    want = {
        "seed": 5, "precision": "float32", "precision.compute": "bfloat16", "precision.level": "O1",
        "optimizer": "SGD", "learning_rate": 0.1, "optimizer.momentum": 0.9, "optimizer.weight_decay": 0.01,
        "optimizer.nesterov": True, "scheduler": "LearningRateScheduler", "scheduler.function": "half",
        "batch_size": 16, "dataset/train_size": 64, "dataset/eval_size": 32,
        "model/parameters": 750, "model/trainable_parameters": 732, "fact/world_size": 1, "fact/device": "cpu",
        "fact/command_line": "python train.py --lr 0.1 --token MASKED", "fact/torch": torch.__version__,
        "fact/python": ".".join(map(str, sys.version_info[:3])),
    }  # fmt: skip
    assert {name: row.get(name) for name in want} == want
    assert {"fact/host", "fact/os", "fact/cpus", "fact/directory", "fact/versions.numpy"} <= set(row)
    assert len(row["fact/git_commit"]) == 40  # of the repository of these tests
    assert type(row["fact/git_dirty"]) is bool
    assert not {"fact/rank", "fact/gpu", "optimizer.lr", "optimizer.groups", "seed.data"} & set(row)


OWNERS = {
    "seed": ["seed"], "world_size": ["fact/world_size"], "precision": ["precision", "precision.level"],
    "parameter_count": ["model/parameters", "model/trainable_parameters"],
    "optimizer": ["optimizer.momentum", "optimizer.groups", "optimizer.group_1.momentum"],
    "scheduler": ["scheduler", "scheduler.function"], "command_line": ["fact/command_line"],
    "environment": ["fact/python", "fact/torch", "fact/os"], "git": ["fact/git_commit", "fact/git_dirty"],
    "versions": ["fact/versions.numpy"], "dataset_size": ["dataset/train_size", "dataset/eval_size"],
}  # fmt: skip


def train(directory: Path, keep_default_action: bool = True, **choice: bool) -> dict[str, Any]:
    choice = {"collect_graph": False} | choice
    collector = SummaryCollector(directory, collect_specified_data=choice, keep_default_action=keep_default_action)
    torch.manual_seed(3)
    network = SmallNet()
    groups = [{"params": network.conv1.parameters()}, {"params": network.fc1.parameters(), "momentum": 0.5}]
    model = Model(network, nn.CrossEntropyLoss(), SGD(groups, lr=0.1, momentum=0.9), metrics={"accuracy"})
    model.fit(1, batches(32), batches(32), callbacks=[LearningRateScheduler(half), collector])
    return row_of(directory)


@pytest.fixture(scope="module")
def with_all(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return train(tmp_path_factory.mktemp("all"))


def test_every_fact_has_a_name_and_is_recorded(with_all: dict[str, Any]) -> None:
    assert set(OWNERS) == {*FACTS, "dataset_size"}
    assert {name for names in OWNERS.values() for name in names} <= set(with_all)


@pytest.mark.parametrize("fact", OWNERS)
def test_each_is_switched_off_by_its_name(tmp_path: Path, with_all: dict[str, Any], fact: str) -> None:
    row = train(tmp_path, **{f"collect_{fact}": False})
    assert set(row) & set(OWNERS[fact]) == set()
    others = {name for other, names in OWNERS.items() if other != fact for name in names}
    assert {name: row.get(name) for name in others} == {name: with_all[name] for name in others}


def test_all_are_switched_off_with_the_lineage_or_by_default(tmp_path: Path) -> None:
    none = train(tmp_path / "none", collect_train_lineage=False)
    assert not {name for fact, names in OWNERS.items() if fact != "dataset_size" for name in names} & set(none)
    only = train(tmp_path / "only", keep_default_action=False, collect_seed=True)
    assert {name for name in only if name.partition("/")[0] not in ("fact", "run")} == {"seed"}


def test_precision_of_mixed_parameters_and_autocast(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4, bias=False).bfloat16())
    with torch.autocast("cpu"):
        row = recorded(tmp_path / "autocast", network=network)
    assert (row["precision"], row["precision.compute"]) == ("float32+bfloat16", "bfloat16")
    assert "precision.compute" not in recorded(tmp_path / "plain", network=network)


@pytest.mark.parametrize(
    ("level", "want"), [("O0", None), ("O2", "bfloat16"), ("O3", "bfloat16"), ("auto", "bfloat16")]
)
def test_levels_of_precision(tmp_path: Path, level: str, want: str | None) -> None:
    make_model(amp_level=level).train(1, batches(16), callbacks=[SummaryCollector(tmp_path)])
    row = row_of(tmp_path)
    assert (row["precision"], row["precision.level"], row.get("precision.compute")) == ("float32", level, want)


def test_seed_of_the_data(tmp_path: Path) -> None:
    torch.manual_seed((1 << 64) - 1)
    loader = batches(32, shuffle=True, generator=torch.Generator().manual_seed(7))
    row = recorded(tmp_path, train_dataset=loader)
    assert (row["seed"], row["seed.data"]) == ((1 << 64) - 1, 7)
