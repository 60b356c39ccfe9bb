# SPDX-License-Identifier: Apache-2.0
"""Automatic lineage fields of real trainings: what the lineage table shows, and that nothing odd disturbs."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches, digits, make_model
from torch import Tensor, distributed, nn
from torch.optim import SGD, Adam, AdamW, lr_scheduler
from torch.utils.data import DataLoader, IterableDataset

import mindscope
from mindscope.collector.collect_options import FACTS
from mindscope.torch import Callback, LearningRateScheduler, Model, RunContext, SummaryCollector
from mindscope.torch.core.optimizer_settings import optimizer_settings, scheduler_settings
from mindscope.torch.core.parameter_count import count_parameters

pytestmark = pytest.mark.framework


def row_of(directory: Path) -> dict[str, Any]:
    (row,) = mindscope.open_runs(directory).lineage()
    return dict(row.items())


def recorded(directory: Path, **parts: Any) -> dict[str, Any]:
    """The row of a loop of one's own with one step."""
    with SummaryCollector(directory) as collector:
        collector.step(0.5, **parts)
    return row_of(directory)


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


def half(rate: float, step: int) -> float:
    return rate / 2


OWNERS = {
    "seed": ["seed"], "world_size": ["fact/world_size"], "precision": ["precision", "precision.level"],
    "parameter_count": ["model/parameters", "model/trainable_parameters"], "optimizer": ["optimizer.momentum"],
    "scheduler": ["scheduler", "scheduler.function"], "command_line": ["fact/command_line"],
    "environment": ["fact/python", "fact/torch", "fact/os"], "git": ["fact/git_commit", "fact/git_dirty"],
    "versions": ["fact/versions.numpy"], "dataset_size": ["dataset/train_size", "dataset/eval_size"],
}  # fmt: skip


def train(directory: Path, keep_default_action: bool = True, **choice: bool) -> dict[str, Any]:
    choice = {"collect_graph": False} | choice
    collector = SummaryCollector(directory, collect_specified_data=choice, keep_default_action=keep_default_action)
    model = make_model(metrics={"accuracy"})
    model.fit(1, batches(32), batches(32), callbacks=[LearningRateScheduler(half), collector])
    return row_of(directory)


def test_each_is_switched_off_by_its_name(tmp_path: Path) -> None:
    assert set(OWNERS) == {*FACTS, "dataset_size"}
    everything = train(tmp_path / "all")
    assert {name for names in OWNERS.values() for name in names} <= set(everything)
    for fact, names in OWNERS.items():
        row = train(tmp_path / fact, **{f"collect_{fact}": False})
        assert not set(names) & set(row)
        assert {name for other, names in OWNERS.items() if other != fact for name in names} <= set(row)
    none = train(tmp_path / "none", collect_train_lineage=False)
    assert not {name for fact, names in OWNERS.items() if fact != "dataset_size" for name in names} & set(none)
    only = train(tmp_path / "only", keep_default_action=False, collect_seed=True)
    assert {name for name in only if name.partition("/")[0] not in ("fact", "run")} == {"seed"}


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


# ---- sizes


def test_shared_frozen_meta_and_lazy_parameters_are_counted(tmp_path: Path) -> None:
    tied = nn.Sequential(nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False))
    tied[1].weight = tied[0].weight
    assert count_parameters(tied) == (64, 64)
    frozen = SmallNet().requires_grad_(False)
    assert count_parameters(frozen) == (750, 0)
    with torch.device("meta"):
        assert count_parameters(nn.Linear(1 << 20, 1 << 13, bias=False)) == (1 << 33, 1 << 33)
    lazy = nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 2))
    assert count_parameters(lazy) is None
    row = recorded(tmp_path / "lazy", network=lazy)
    assert "model/parameters" not in row
    assert row["fact/world_size"] == 1
    lazy(torch.zeros(1, 5))
    assert recorded(tmp_path / "known", network=lazy)["model/parameters"] == 26
    assert recorded(tmp_path / "meta", network=SmallNet().to("meta"))["model/parameters"] == 750


@pytest.fixture
def process_group(tmp_path: Path) -> Iterator[None]:
    distributed.init_process_group("gloo", init_method=f"file://{tmp_path / 'store'}", rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


@pytest.mark.usefixtures("process_group")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["fully_shard", "original", "flat", "ddp", "compiled"])
def test_wrapped_networks_have_the_size_of_the_network(kind: str, tmp_path: Path) -> None:
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

    network: Any = SmallNet()
    if kind == "fully_shard":
        fully_shard(network, mesh=distributed.init_device_mesh("cpu", (1,)))
    elif kind == "ddp":
        network = nn.parallel.DistributedDataParallel(network)
    elif kind == "compiled":
        network = torch.compile(network)
    else:
        network.conv1 = FullyShardedDataParallel(network.conv1, use_orig_params=kind == "original", device_id="cpu")
    row = recorded(tmp_path / "run", network=network)
    assert (row["model/parameters"], row["model/trainable_parameters"]) == (750, 750)


# ---- what must not disturb


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


def test_second_training_of_a_collector_says_its_own_optimizer(tmp_path: Path) -> None:
    network = SmallNet()
    with SummaryCollector(tmp_path) as collector:
        for optimizer in (
            SGD(network.parameters(), lr=0.1, momentum=0.5),
            SGD(network.parameters(), lr=0.1, momentum=0.9),
        ):
            Model(network, nn.CrossEntropyLoss(), optimizer).train(1, batches(16), callbacks=[collector])
    assert row_of(tmp_path)["optimizer.momentum"] == 0.9


# ---- trainers of other packages


@pytest.mark.filterwarnings("ignore")
def test_fields_of_lightning(tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning")
    collector_callback = import_module("mindscope.torch.integrations.lightning").CollectorCallback

    class Small(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.net = SmallNet()

        def training_step(self, batch: Any, number: int) -> Tensor:
            return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

        def configure_optimizers(self) -> Any:
            groups = [{"params": self.net.conv1.parameters()}, {"params": self.net.fc1.parameters(), "momentum": 0.5}]
            optimizer = SGD(groups, lr=0.1, momentum=0.9)
            return [optimizer], [lr_scheduler.ExponentialLR(optimizer, 0.5)]

    lightning.seed_everything(11, verbose=False)
    trainer = lightning.Trainer(
        max_epochs=1, accelerator="cpu", precision="bf16-mixed", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False,
        callbacks=[collector_callback(SummaryCollector(tmp_path))],
    )  # fmt: skip
    trainer.fit(Small(), batches(32))
    row = row_of(tmp_path)
    want = {
        "seed": 11, "precision": "float32", "precision.compute": "bfloat16", "precision.level": "bf16-mixed",
        "optimizer.momentum": 0.9, "optimizer.group_1.momentum": 0.5, "scheduler": "ExponentialLR",
        "scheduler.gamma": 0.5, "model/parameters": 750, "dataset/train_size": 32,
    }  # fmt: skip
    assert {name: row.get(name) for name in want} == want
    assert "fact/versions.lightning" in row


@pytest.mark.filterwarnings("ignore")
def test_fields_of_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    collector_callback = import_module("mindscope.torch.integrations.transformers").CollectorCallback
    config = transformers.ViTConfig(
        image_size=8, patch_size=4, num_channels=1, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, num_labels=10,
    )  # fmt: skip
    model = transformers.ViTForImageClassification(config)
    arguments = transformers.TrainingArguments(
        str(tmp_path / "out"), num_train_epochs=1, per_device_train_batch_size=16, use_cpu=True, report_to=[], seed=13,
        disable_tqdm=True, save_strategy="no", weight_decay=0.1, warmup_steps=2, bf16=True, learning_rate=0.001,
    )  # fmt: skip
    samples = [{"pixel_values": image, "labels": label} for image, label in digits(32)]
    callback = collector_callback(SummaryCollector(tmp_path / "run"))
    transformers.Trainer(model, arguments, train_dataset=samples, callbacks=[callback]).train()
    row = row_of(tmp_path / "run")
    want = {
        "seed": 13, "precision": "float32", "precision.compute": "bfloat16", "precision.level": "bf16",
        "learning_rate": 0.001, "optimizer.weight_decay": 0.1, "optimizer.group_1.weight_decay": 0.0,
        "scheduler": "LambdaLR", "scheduler.num_warmup_steps": 2, "scheduler.num_training_steps": 2,
        "model/parameters": model.num_parameters(), "dataset/train_size": 32, "batch_size": 16,
    }  # fmt: skip
    assert {name: row.get(name) for name in want} == want
    assert {"fact/versions.transformers", "fact/versions.accelerate"} <= set(row)
