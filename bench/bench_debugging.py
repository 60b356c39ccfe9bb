# SPDX-License-Identifier: Apache-2.0
"""What recording statistics of all tensors costs beside a step: nothing, module level, operator level, in turns.

python bench/bench_debugging.py
"""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from bench_training import LeNet5
from measuring import machine
from torch import Tensor, nn

from mindscope.torch import Debugger

ROUNDS, WARM_STEPS = 5, 2
WAYS: dict[str, dict[str, object]] = {
    "nothing": {},
    "module": {"level": "module"},
    "operator": {"level": "operator"},
}
Batch = tuple[Tensor, Tensor]


class Transformer(nn.Module):
    """A classifier of sequences: 4 layers, 128 wide."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(1000, 128)
        layer = nn.TransformerEncoderLayer(128, 4, 512, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 4)
        self.head = nn.Linear(128, 10)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.encoder(self.embedding(tokens)).mean(1))


def images() -> Batch:
    return torch.randn(32, 1, 32, 32), torch.randint(0, 10, (32,))


def sentences() -> Batch:
    return torch.randint(0, 1000, (16, 128)), torch.randint(0, 10, (16,))


CASES: dict[str, tuple[Callable[[], nn.Module], Callable[[], Batch], int]] = {
    "LeNet, batch of 32": (LeNet5, images, 20),
    "transformer, 16 x 128": (Transformer, sentences, 2),
}
"""Network, batch, and the steps that are measured in each round."""


class Training:
    """One training that is measured a few steps at a time."""

    def __init__(self, case: str, way: str, directory: Path) -> None:
        make, batch, _ = CASES[case]
        torch.manual_seed(0)
        self.network, (self.inputs, self.labels) = make(), batch()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self.debugger = Debugger(directory / way, self.network, **WAYS[way]) if WAYS[way] else None  # type: ignore[arg-type]
        self.directory = directory / way
        self.wall_ms: list[float] = []
        self.processor_ms: list[float] = []
        self.losses: list[float] = []

    def run(self, steps: int) -> None:
        loss = torch.zeros(())
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(steps):
            self.optimizer.zero_grad()
            loss = nn.functional.cross_entropy(self.network(self.inputs), self.labels)
            loss.backward()
            self.optimizer.step()
            if self.debugger is not None:
                self.debugger.step(loss)
        self.wall_ms.append((time.perf_counter() - wall) / steps * 1e3)
        self.processor_ms.append((time.process_time() - processor) / steps * 1e3)
        self.losses.append(loss.item())


def measure_in_turns(case: str) -> None:
    print(f"\n{case:<24}{'wall ms':>10}{'processor ms':>14}{'wall':>8}{'processor':>11}{'KB a step':>11}")
    steps = CASES[case][2]
    walls: dict[str, list[float]] = {way: [] for way in WAYS}
    processors: dict[str, list[float]] = {way: [] for way in WAYS}
    sizes: dict[str, float] = {}
    losses: set[float] = set()
    with tempfile.TemporaryDirectory() as name:
        for turn in range(ROUNDS):
            for way in WAYS:
                torch.manual_seed(0)
                training = Training(case, way, Path(name) / str(turn))
                with training.debugger or contextlib.nullcontext():
                    training.run(WARM_STEPS)
                    training.run(steps)
                walls[way].append(training.wall_ms[-1])
                processors[way].append(training.processor_ms[-1])
                losses.add(training.losses[-1])
                if training.directory.exists():
                    written = sum(each.stat().st_size for each in training.directory.iterdir())
                    sizes[way] = written / 1e3 / (WARM_STEPS + steps)
    assert len(losses) == 1, losses
    for way in WAYS:
        print(
            f"{way:<24}{statistics.median(walls[way]):>10.2f}{statistics.median(processors[way]):>14.2f}"
            f"{ratio(walls, way):>8.2f}{ratio(processors, way):>11.2f}{sizes.get(way, 0):>11.1f}"
        )


def ratio(times: dict[str, list[float]], way: str) -> float:
    """The median of the quotients of one round: what the machine does otherwise is in both."""
    return statistics.median(each / base for each, base in zip(times[way], times["nothing"], strict=True))


def main() -> None:
    print(machine())
    for threads in (1, 2):
        torch.set_num_threads(threads)
        print(f"\n{threads} threads of PyTorch; medians of {ROUNDS} rounds")
        for case in CASES:
            measure_in_turns(case)


if __name__ == "__main__":
    main()
