# SPDX-License-Identifier: Apache-2.0
"""The lineage of a training: of a killed one, and which learning rate it says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches, make_model
from torch import nn

import mindscope
from mindscope.lineage import TrainLineage
from mindscope.torch import LearningRateScheduler, Model, SummaryCollector
from mindscope.torch.core.weight_files import read_weights

pytestmark = pytest.mark.framework


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the runs of killed trainings are."""
    directory = tmp_path_factory.mktemp("killed")
    script = Path(__file__).with_name("killed.py")
    done = subprocess.run([sys.executable, str(script), str(directory)], capture_output=True, timeout=280)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return directory


def lineage_of(run: mindscope.Run) -> TrainLineage:
    assert run.lineage.train is not None
    return run.lineage.train


def test_killed_training_has_its_lineage_its_newest_checkpoint_and_its_weights(killed: Path) -> None:
    run = mindscope.open_run(killed / "model")
    train = lineage_of(run)
    assert (train.optimizer, train.loss_function, train.network, train.epoch) == (
        "SGD",
        "CrossEntropyLoss",
        "SmallNet",
        9,
    )
    assert (train.batch_size, train.dataset_size, train.learning_rate) == (16, 64, 0.05)
    assert train.model_path == str(
        killed / "model" / "ckpt" / "net-5_4.ckpt"
    )  # saved after step 20, which is collected before
    assert train.model_size == Path(str(train.model_path)).stat().st_size
    assert {"env/command_line", "env/parameter/seed"} <= set(run.lineage.custom)
    losses = run.scalars("loss/auto")
    assert list(losses.step) == [1, 4, 8, 12, 16, 20]
    assert train.loss == pytest.approx(losses.value[list(losses.step).index(20)])
    kept = json.loads((killed / "model" / "ckpt_dir" / "train_metadata.json").read_text("utf-8"))
    assert list(kept["model_params_file_map"]) == ["1", "2", "3"]
    assert kept["step_per_epoch"] == 4
    whole = [read_weights(killed / "model" / "ckpt_dir" / file) for file in kept["model_params_file_map"].values()]
    assert [set(each) for each in whole] == [{"conv1.weight", "conv1.bias", "fc1.weight", "fc1.bias"}] * 3


def test_killed_loop_of_ones_own_has_its_lineage(killed: Path) -> None:
    train = lineage_of(mindscope.open_run(killed / "own"))
    assert (train.optimizer, train.network, train.learning_rate) == ("Adam", "SmallNet", 0.01)
    assert (train.epoch, train.batch_size) == (5, 16)  # as at step 20, the last one that is collected


def test_killed_training_with_the_old_callbacks_has_its_lineage(killed: Path) -> None:
    train = lineage_of(mindscope.open_run(killed / "legacy"))
    assert (train.optimizer, train.network, train.learning_rate, train.epoch) == ("SGD", "SmallNet", 0.05, 9)


def test_loss_is_kept_up_to_date_with_few_updates(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path, collect_freq=1)
    make_model().train(1, batches(64 * 16, 2), callbacks=[collector])
    run = mindscope.open_run(tmp_path)
    assert lineage_of(run).loss == pytest.approx(run.scalars("loss/auto").value[-1])
    (file,) = tmp_path.glob("*_lineage")
    assert file.read_bytes().count(b"CrossEntropyLoss") < 20  # updates of 512 collected steps


def test_learning_rate_is_the_initial_one_and_its_schedule_a_curve(tmp_path: Path) -> None:
    falling = LearningRateScheduler(lambda rate, step: rate / 10)
    make_model(0.05).train(1, batches(48), callbacks=[falling, SummaryCollector(tmp_path, collect_freq=1)])
    run = mindscope.open_run(tmp_path)
    assert lineage_of(run).learning_rate == 0.05
    rates = run.scalars("learning_rate/auto")
    assert list(rates.step) == [1, 2, 3]
    assert list(rates.value) == pytest.approx([0.005, 0.0005, 0.00005])  # as it is at the end of a step


def test_scheduler_that_warms_up_began_with_the_rate_of_its_optimizer(tmp_path: Path) -> None:
    network = SmallNet()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.4)
    torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: step / 100)
    assert optimizer.param_groups[0]["lr"] == 0.0
    Model(network, nn.CrossEntropyLoss(), optimizer).train(1, batches(16), callbacks=[SummaryCollector(tmp_path)])
    assert lineage_of(mindscope.open_run(tmp_path)).learning_rate == 0.4


def test_each_group_of_parameters_has_a_curve_of_its_own(tmp_path: Path) -> None:
    network = SmallNet()
    groups: list[dict[str, Any]] = [
        {"params": network.conv1.parameters(), "lr": 0.1}, {"params": network.fc1.parameters(), "lr": torch.tensor(0.2)}
    ]  # fmt: skip
    optimizer = torch.optim.SGD(groups, momentum=0.9)
    Model(network, nn.CrossEntropyLoss(), optimizer).train(1, batches(16), callbacks=[SummaryCollector(tmp_path)])
    run = mindscope.open_run(tmp_path)
    assert run.scalars("learning_rate/group_0/auto").value[0] == pytest.approx(0.1)
    assert run.scalars("learning_rate/group_1/auto").value[0] == pytest.approx(0.2)
    assert lineage_of(run).learning_rate == pytest.approx(0.1)


def test_optimizer_that_finds_its_rate_by_itself_has_none(tmp_path: Path) -> None:
    network = SmallNet()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    with SummaryCollector(tmp_path) as collector:
        optimizer.param_groups[0]["lr"] = None  # as Adafactor of Transformers has it
        collector.step(0.5, network=network, optimizer=optimizer)
    run = mindscope.open_run(tmp_path)
    assert (lineage_of(run).learning_rate, lineage_of(run).optimizer) == (None, "SGD")
    assert list(run.tags("scalar")) == ["loss/auto"]


def test_run_without_a_checkpoint_has_no_model_size(tmp_path: Path) -> None:
    make_model().train(1, batches(16), callbacks=[SummaryCollector(tmp_path)])
    run = mindscope.open_run(tmp_path)
    assert lineage_of(run).model_size is None
    assert "model_size" not in run.lineage.row()
