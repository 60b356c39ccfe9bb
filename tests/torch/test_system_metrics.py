# SPDX-License-Identifier: Apache-2.0
"""A collector records metrics of the machine beside a training, which does not change by it."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from digits import SmallNet, batches
from torch import nn

import mindscope
from mindscope.system.sampler import VARIABLE
from mindscope.torch import SummaryCollector

pytestmark = pytest.mark.framework


def metrics(directory: Path) -> set[str]:
    """Return the metrics of the machine that a run has."""
    return {tag for tag in mindscope.open_run(directory).tags("scalar") if tag.startswith("system/")}


def train(directory: Path, collect: bool, waits: bool) -> list[float]:
    """Train, perhaps until metrics were recorded, and return the losses and a random number of each kind."""
    torch.manual_seed(3)
    np.random.seed(3)
    network, loss_fn = SmallNet(), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    losses: list[float] = []
    with SummaryCollector(directory, collect_specified_data={"collect_system": collect}) as collector:
        for images, labels in batches(96):
            loss = loss_fn(network(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            collector.step(loss)
            losses.append(loss.item())
        end = time.monotonic() + 60
        while waits and mindscope.flush_all() and not metrics(directory) and time.monotonic() < end:
            time.sleep(0.1)
    return [*losses, float(torch.rand(())), float(np.random.rand())]


def test_metrics_are_recorded_beside_a_training_which_stays_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    with_metrics = train(tmp_path / "with", True, waits=True)
    run = mindscope.open_run(tmp_path / "with")
    wanted = {"system/cpu/percent", "system/memory/percent", "system/process/memory_gib"}
    assert wanted <= metrics(tmp_path / "with")
    steps = run.scalars("system/process/memory_gib").step
    assert steps.tolist() == [len(with_metrics) - 2]
    assert train(tmp_path / "without", False, waits=False) == with_metrics
    assert metrics(tmp_path / "without") == set()


def test_the_variable_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "0")
    threads = {thread.name for thread in threading.enumerate()}
    with SummaryCollector(tmp_path):
        assert "mindscope-system" not in {thread.name for thread in threading.enumerate()} - threads
