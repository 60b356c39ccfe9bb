# SPDX-License-Identifier: Apache-2.0
"""The files of a collector beside those that MindSpore's own wrote for a script of the same shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import batches
from torch import Tensor, nn

import mindscope
from mindscope.torch import Callback, HistogramSummary, Model, RunContext, ScalarSummary, SummaryCollector

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
    got = {("scalar", tag): list(run.scalars(tag).step) for tag in run.tags("scalar")}
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
