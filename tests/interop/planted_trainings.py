# SPDX-License-Identifier: Apache-2.0
"""Small trainings of PyTorch on a CPU with one planted bottleneck each, and their profiles."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch import profiler as torch_profiler
from torch.utils.data import DataLoader, Dataset

import mindscope

profiler: Any = torch_profiler  # parts of torch without types
WAIT, STEPS, BATCH = 2, 5, 64
Batch = tuple[torch.Tensor, torch.Tensor]


def decode(rounds: int) -> int:
    """Work of Python alone."""
    found = 0
    for number in range(rounds):
        found += number * number
    return found


class SlowSamples(Dataset[Batch]):
    def __init__(self, rounds: int) -> None:
        self.rounds = rounds

    def __len__(self) -> int:
        return BATCH * (WAIT + STEPS)

    def __getitem__(self, index: int) -> Batch:
        decode(self.rounds)
        return torch.full((64,), float(index)), torch.tensor(index % 10)


class Training:
    """A step of a training that is bound by its matrix products."""

    def __init__(self, batches: Iterable[Batch] | None = None) -> None:
        torch.manual_seed(0)
        self.network = nn.Sequential(
            nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)
        )
        self.optimizer = torch.optim.SGD(self.network.parameters(), 0.01)
        self.loss = nn.CrossEntropyLoss()
        batch = torch.randn(BATCH, 64), torch.arange(BATCH) % 10
        self.batches = [batch] * (WAIT + STEPS) if batches is None else batches

    def step(self, inputs: torch.Tensor, labels: torch.Tensor) -> None:
        self.optimizer.zero_grad()
        outputs = self.network(inputs)
        self.loss_of(outputs, labels).backward()
        self.optimizer.step()
        self.after(outputs)

    def loss_of(self, outputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return self.loss(outputs, labels)

    def after(self, outputs: torch.Tensor) -> None:
        pass


class ReadsNumbers(Training):
    def after(self, outputs: torch.Tensor) -> None:
        self.sum = 0.0
        for row in outputs:
            for value in row:
                self.sum += value.item()


class AddsElements(Training):
    def loss_of(self, outputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        found = self.loss(outputs, labels)
        for row in range(BATCH):
            for column in range(10):
                found = found + outputs[row, column] * 0.001
        return found


class Loops(Training):
    def after(self, outputs: torch.Tensor) -> None:
        decode(500_000)


class LogsImages(Training):
    def __init__(self) -> None:
        super().__init__()
        self.record = mindscope.SummaryRecord(tempfile.mkdtemp())
        self.images = np.random.default_rng(0).random((8, 3, 256, 256))
        self.count = 0

    def after(self, outputs: torch.Tensor) -> None:
        self.count += 1
        self.record.add_value("image", "inputs", self.images)
        self.record.record(self.count)
        self.record.flush()


def slow_samples(workers: int = 0) -> Training:
    return Training(DataLoader(SlowSamples(3_000 if workers == 0 else 20_000), BATCH, num_workers=workers))


def profiled(path: Path, training: Training, *, with_stack: bool) -> Path:
    """Profile ``STEPS`` steps after ``WAIT``, as ``torch.profiler`` does it."""

    def write(running: Any) -> None:
        running.export_chrome_trace(str(path))

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    schedule = profiler.schedule(wait=WAIT - 1, warmup=1, active=STEPS, repeat=1)
    with profiler.profile(
        schedule=schedule, record_shapes=True, with_stack=with_stack, with_modules=with_stack,
        on_trace_ready=write,
    ) as running:  # fmt: skip
        for inputs, labels in training.batches:
            training.step(inputs, labels)
            running.step()
    torch.set_num_threads(threads)
    return path
