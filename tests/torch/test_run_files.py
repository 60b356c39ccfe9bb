# SPDX-License-Identifier: Apache-2.0
"""A collector keeps the story of a training and its checkpoints beside a training, which does not change by it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from digits import SmallNet, batches
from torch import nn

import mindscope
from mindscope.capture.files.story import VARIABLE
from mindscope.torch import SummaryCollector

pytestmark = pytest.mark.framework


def train(directory: Path, collect: bool) -> list[float]:
    """Train with a checkpoint after each step, and return the losses and a random number of each kind."""
    torch.manual_seed(3)
    np.random.seed(3)
    network, loss_fn = SmallNet(), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    losses: list[float] = []
    with SummaryCollector(directory, collect_specified_data={"collect_files": collect}) as collector:
        for step, (images, labels) in enumerate(batches(96), 1):
            loss = loss_fn(network(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            collector.step(loss)
            losses.append(loss.item())
            if collect:
                torch.save(network.state_dict(), directory / "last.pt")
                collector.record.log_file(directory / "last.pt", step=step)
    return [*losses, float(torch.rand(())), float(np.random.rand())]


def test_files_are_kept_beside_a_training_which_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    with_files = train(tmp_path / "with", True)
    run = mindscope.open_run(tmp_path / "with")
    files = {(file.name, file.step): file for file in run.files}
    steps = range(1, len(with_files) - 1)
    assert {("command.txt", None), ("requirements.txt", None), *(("last.pt", step) for step in steps)} <= files.keys()
    saved = [torch.load(run.path / files["last.pt", step].path, weights_only=True) for step in steps]
    weights = [next(iter(state.values())) for state in saved]
    assert all(not torch.equal(one, other) for one, other in pairwise(weights))
    assert train(tmp_path / "without", False) == with_files
    assert mindscope.open_run(tmp_path / "without").files == ()
