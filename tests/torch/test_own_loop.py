# SPDX-License-Identifier: Apache-2.0
"""Evaluations in a loop of the user's own, and collectors that go to other processes."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

import mindscope
from mindscope.torch import ScalarSummary, SummaryCollector, not_collecting

pytestmark = pytest.mark.framework


def test_evaluations_become_curves_at_the_last_step(tmp_path: Path) -> None:
    network, loss_fn, own = SmallNet(), nn.CrossEntropyLoss(), ScalarSummary()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    loader, valid = batches(48), batches(32)
    with SummaryCollector(tmp_path, collect_freq=2) as collector:
        for _ in range(2):
            for images, labels in loader:
                loss = loss_fn(network(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                own("own", loss)
                collector.step(loss, network=network, optimizer=optimizer)
            with not_collecting():
                for _ in valid:
                    own("own", torch.tensor(7.0))
            own("own", torch.tensor(8.0))  # also of the evaluation, which ends here
            collector.evaluated({"accuracy": 0.5, "loss": torch.tensor(0.25)}, valid_dataset=valid)
    run = mindscope.open_run(tmp_path)
    assert {tag: list(run.scalars(tag).step) for tag in run.tags("scalar")} == {
        "own": [1, 2, 4, 6], "loss/auto": [1, 2, 4, 6], "eval_accuracy/auto": [3, 6], "eval_loss/auto": [3, 6],
            "learning_rate/auto": [1, 2, 4, 6],
    }  # fmt: skip
    assert max(run.scalars("own").value) < 7
    assert run.lineage.eval is not None
    assert run.lineage.eval.metric == {"accuracy": 0.5, "loss": 0.25}
    assert run.lineage.eval.dataset_size == 32


def test_evaluation_outside_of_a_training_is_lineage_only(tmp_path: Path) -> None:
    with SummaryCollector(tmp_path) as collector:
        collector.evaluated({"accuracy": 0.5})
    run = mindscope.open_run(tmp_path)
    assert not run.tags("scalar")
    assert run.lineage.eval is not None
    with pytest.raises(RuntimeError, match="collector is not entered"):
        collector.evaluated({"accuracy": 0.5})


def test_pickled_collector_begins_anew_in_the_other_process(tmp_path: Path) -> None:
    with SummaryCollector(tmp_path, collect_freq=3, custom_lineage_data={"note": "x"}) as collector:
        copy = pickle.loads(pickle.dumps(collector))
    with copy:
        for _ in range(3):
            copy.step(0.5)
    run = mindscope.open_run(tmp_path)
    assert list(run.scalars("loss/auto").step) == [1, 3]
    assert run.lineage.custom["note"] == "x"


class Operators(TorchDispatchMode):
    """The names of the operators that PyTorch runs inside of it."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    ("loss", "operators"), [(0.25, []), (1, []), (torch.tensor(0.25), ["aten.detach.default"])], ids=str
)
def test_step_that_is_not_collected_computes_nothing(
    tmp_path: Path, loss: float | torch.Tensor, operators: list[str]
) -> None:
    with SummaryCollector(tmp_path, collect_freq=10) as collector:
        collector.step(0.5)
        with Operators() as seen:
            collector.step(loss)
    assert seen.names == operators
    run = mindscope.open_run(tmp_path)
    assert list(run.scalars("loss/auto").step) == [1]
    assert run.lineage.train is not None
    assert run.lineage.train.loss == float(loss)
