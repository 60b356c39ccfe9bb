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

ROUNDS, STEPS = 5, 30
WAYS: dict[str, dict[str, object]] = {
    "nothing": {},
    "module": {"level": "module"},
    "module, every=10": {"level": "module", "every": 10},
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


CASES: dict[str, tuple[Callable[[], nn.Module], Callable[[], Batch]]] = {
    "LeNet, batch of 32": (LeNet5, images),
    "transformer, 16 x 128": (Transformer, sentences),
}


class Training:
    """One training that is measured a few steps at a time."""

    def __init__(self, case: str, way: str, directory: Path) -> None:
        make, batch = CASES[case]
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
    with tempfile.TemporaryDirectory() as name:
        walls: dict[str, list[float]] = {way: [] for way in WAYS}
        processors: dict[str, list[float]] = {way: [] for way in WAYS}
        sizes: dict[str, float] = {}
        losses: set[float] = set()
        for turn in range(ROUNDS):
            for way in WAYS:
                directory = Path(name) / str(turn)
                torch.manual_seed(0)
                training = Training(case, way, directory)
                with training.debugger or contextlib.nullcontext():
                    training.run(5)
                    training.run(STEPS)
                walls[way].append(training.wall_ms[-1])
                processors[way].append(training.processor_ms[-1])
                losses.add(training.losses[-1])
                if training.directory.exists():
                    sizes[way] = sum(each.stat().st_size for each in training.directory.iterdir()) / 1e3 / (STEPS + 5)
        assert len(losses) == 1, losses
        base_wall, base_processor = statistics.median(walls["nothing"]), statistics.median(processors["nothing"])
        for way in WAYS:
            wall, processor = statistics.median(walls[way]), statistics.median(processors[way])
            print(
                f"{way:<24}{wall:>10.2f}{processor:>14.2f}{wall / base_wall:>8.2f}{processor / base_processor:>11.2f}"
                f"{sizes.get(way, 0):>11.1f}"
            )


def main() -> None:
    print(machine())
    for threads in (1, 2):
        torch.set_num_threads(threads)
        print(f"\n{threads} threads of PyTorch; the median of {ROUNDS} turns of {STEPS} steps")
        for case in CASES:
            measure_in_turns(case)


if __name__ == "__main__":
    main()
