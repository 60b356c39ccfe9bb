# SPDX-License-Identifier: Apache-2.0
"""The files of a collector beside those that MindSpore's own wrote for a script of the same shape."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import batches
from torch import Tensor, nn

import mindscope
from mindscope.torch import (
    Accuracy,
    Callback,
    HistogramSummary,
    ImageSummary,
    Model,
    ModelCheckpoint,
    RunContext,
    ScalarSummary,
    SummaryCollector,
    TensorSummary,
)

pytestmark = pytest.mark.framework
DATA = Path(__file__).parents[1] / "data" / "mindspore"
KINDS = {"scalar_value": "scalar", "image": "image", "tensor": "tensor", "histogram": "histogram"}


def written_by_mindspore(name: str) -> dict[tuple[str, str], list[int]]:
    """Kind and tag -> steps, each once, of the first summary file."""
    expected = json.loads((DATA / f"{name}.expected.json").read_text("utf-8"))
    file = next(file for file in expected["files"].values() if file["kind"] == "summary")
    return {(KINDS[each["plugin"]], each["tag"]): sorted(set(each["steps"])) for each in file["tags"]}


class Convolutions(nn.Module):
    """Parameters as in the MindSpore script: convolutions without bias."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 2, 3, bias=False)
        self.conv2 = nn.Conv2d(2, 2, 3, bias=False)
        self.fc1 = nn.Linear(32, 10)

    def forward(self, images: Tensor) -> Tensor:
        return self.fc1(self.conv2(torch.relu(self.conv1(images))).flatten(1))


RATE = "learning_rate/auto"
"""A curve that MindSpore's own collector doesn't record."""


def make_model(network: nn.Module, loss_fn: Any = None) -> Model:
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    return Model(network, loss_fn or nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"})


def test_same_tags_kinds_and_steps(tmp_path: Path) -> None:
    specified = {
        "collect_metric": True, "histogram_regular": "^conv1.*|^conv2.*", "collect_graph": True,
        "collect_dataset_graph": True,
    }  # fmt: skip
    collector = SummaryCollector(
        tmp_path, collect_freq=1, collect_specified_data=specified, keep_default_action=False, collect_tensor_freq=200
    )
    make_model(Convolutions()).train(2, batches(320, 32), callbacks=[collector])
    run = mindscope.open_run(tmp_path)
    got = {("scalar", tag): list(run.scalars(tag).step) for tag in run.tags("scalar") if tag != RATE}
    got |= {("histogram", tag): list(run.histograms(tag).step) for tag in run.tags("histogram")}
    assert got == written_by_mindspore("collector_specified")
    assert len(run.graphs()) == 1


class Recorded(nn.CrossEntropyLoss):
    def __init__(self) -> None:
        super().__init__()
        self.scalar, self.histogram = ScalarSummary(), HistogramSummary()

    def forward(self, logits: Tensor, label: Tensor) -> Tensor:
        loss = super().forward(logits, label)
        self.scalar("loss", loss)
        self.histogram("logits", logits)
        return loss


def test_operators_are_recorded_with_the_step_and_not_in_evaluations(tmp_path: Path) -> None:
    class Evaluate(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            model.eval(batches(32, 16))

    model = make_model(Convolutions(), Recorded())
    collector = SummaryCollector(tmp_path, collect_freq=2)
    model.fit(2, batches(48, 16), batches(32, 16), callbacks=[Evaluate(), collector])
    run = mindscope.open_run(tmp_path)
    own, collected = run.scalars("loss"), run.scalars("loss/auto")
    assert list(own.step) == list(collected.step) == [1, 2, 4, 6]
    assert list(own.value) == list(collected.value)
    assert "logits" in run.tags("histogram")


def test_operators_of_a_sunk_epoch_give_its_last_step(tmp_path: Path) -> None:
    model = make_model(Convolutions(), Recorded())
    model.train(2, batches(48, 16), callbacks=[SummaryCollector(tmp_path, collect_freq=1)], dataset_sink_mode=True)
    run = mindscope.open_run(tmp_path)
    assert list(run.scalars("loss").step) == [3, 6]
    assert list(run.scalars("loss").value) == list(run.scalars("loss/auto").value)


class LeNet(nn.Module):
    """As in the MindSpore script: convolutions without bias."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 3, bias=False), nn.Conv2d(6, 16, 3, bias=False)
        self.fc1, self.fc2, self.fc3 = nn.Linear(256, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, images: Tensor) -> Tensor:
        features = torch.relu(self.conv2(torch.relu(self.conv1(images)))).flatten(1)
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(features)))))


class LossWithSummary(nn.Module):
    """A network that returns its loss, and records with every operator."""

    def __init__(self, net: LeNet, loss: nn.Module) -> None:
        super().__init__()
        self.net, self.loss = net, loss
        self.scalar, self.image, self.tensor = ScalarSummary(), ImageSummary(), TensorSummary()
        self.hist = HistogramSummary()

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        out = self.net(x)
        loss = self.loss(out, y)
        self.scalar("my_loss", loss)
        self.scalar("group/max_logit", out.max())
        self.image("input_image", x)
        self.tensor("logits", out)
        self.hist("logits_hist", out)
        self.hist("fc1.weight", self.net.fc1.weight)
        self.tensor("fc3.bias", self.net.fc3.bias)
        return loss


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what Inductor imports
def test_operators_give_the_same_tags_kinds_and_steps(tmp_path: Path, is_compiled: bool) -> None:
    torch._dynamo.reset()
    network = LossWithSummary(LeNet(), nn.CrossEntropyLoss())
    optimizer = torch.optim.Adam(network.parameters(), lr=0.002)
    model = Model(network, loss_fn=None, optimizer=optimizer, is_compiled=is_compiled)
    collector = SummaryCollector(tmp_path, collect_freq=5, collect_specified_data={"collect_landscape": None})
    model.train(2, batches(960, 32), callbacks=[collector], dataset_sink_mode=False)
    run = mindscope.open_run(tmp_path)
    got = {("scalar", tag): list(run.scalars(tag).step) for tag in run.tags("scalar") if tag != RATE}
    got |= {("image", tag): list(run.images(tag).step) for tag in run.tags("image")}
    got |= {("tensor", tag): list(run.tensors(tag).step) for tag in run.tags("tensor")}
    got |= {("histogram", tag): list(run.histograms(tag).step) for tag in run.tags("histogram")}
    assert got == written_by_mindspore("ops")
    train, theirs = run.lineage.train, mindscope.open_run(DATA / "ops").lineage.train
    assert train is not None
    assert theirs is not None
    for field in ("optimizer", "epoch", "parallel_mode", "device_num", "batch_size", "dataset_size", "network"):
        assert getattr(train, field) == getattr(theirs, field), field
    assert train.learning_rate == pytest.approx(theirs.learning_rate)


SWEEP = [(0.001, 16, "SGD", 1), (0.01, 32, "Adam", 2), (0.2, 64, "RMSprop", 1), (50.0, 64, "SGD", 2)]
RUNS = ["run_01", "run_06", "run_11", "run_12"]


class MLP(nn.Sequential):
    def __init__(self, hidden: int) -> None:
        super().__init__(nn.Flatten(), nn.Linear(64, hidden), nn.Tanh(), nn.Linear(hidden, 10))


@pytest.mark.parametrize(("case", "name"), list(zip(SWEEP, RUNS, strict=True)))
def test_lineage_has_the_same_fields(tmp_path: Path, case: Any, name: str) -> None:
    theirs = mindscope.open_run(DATA / "lineage_sweep" / name)
    learning_rate, size, kind, epochs = case
    network = MLP(16)
    optimizer = getattr(torch.optim, kind)(network.parameters(), lr=learning_rate)
    model = Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"Accuracy": Accuracy()})
    custom = {key: value for key, value in theirs.lineage.custom.items() if key in ("hidden", "dropout", "note")}
    saving = [ModelCheckpoint("mlp", tmp_path)] if theirs.lineage.train and theirs.lineage.train.model_path else []
    collector = SummaryCollector(
        tmp_path / name, collect_freq=5, custom_lineage_data=custom,
        collect_specified_data={"collect_landscape": None},
    )  # fmt: skip
    model.train(epochs, batches(640, size), callbacks=[*saving, collector])
    model.eval(batches(256, size), callbacks=[collector])
    ours = mindscope.open_run(tmp_path / name)
    assert set(ours.scalars("loss/auto").step) == set(theirs.scalars("loss/auto").step)
    mine, other = ours.lineage, theirs.lineage
    assert mine.train is not None
    assert other.train is not None
    for field in ("learning_rate", "epoch", "parallel_mode", "device_num", "batch_size", "dataset_size", "network"):
        assert getattr(mine.train, field) == pytest.approx(getattr(other.train, field)), field
    assert _known(mine.train) == _known(other.train)
    assert mine.eval is not None
    assert other.eval is not None
    assert (set(mine.eval.metric or {}), mine.eval.dataset_size) == (set(other.eval.metric or {}), 256)
    assert custom.items() <= mine.custom.items()


def _known(lineage: Any) -> set[str]:
    """The fields that have a value."""
    return {field.name for field in fields(lineage) if getattr(lineage, field.name) is not None}
