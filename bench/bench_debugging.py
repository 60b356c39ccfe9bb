# SPDX-License-Identifier: Apache-2.0
"""What recording statistics of all tensors costs beside a step: nothing, module level, operator level, in turns.

python bench/bench_debugging.py [--device cuda]
"""

from __future__ import annotations

import argparse
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

ROUNDS, WARM_STEPS = 5, 3
WAYS: dict[str, dict[str, object]] = {
    "nothing": {},
    "module": {"level": "module"},
    "operator": {"level": "operator"},
}
Batch = tuple[Tensor, Tensor]


class Transformer(nn.Module):
    """A classifier of sequences."""

    def __init__(self, width: int = 128, layers: int = 4) -> None:
        super().__init__()
        self.embedding = nn.Embedding(1000, width)
        layer = nn.TransformerEncoderLayer(width, max(4, width // 128), 4 * width, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(width, 10)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.encoder(self.embedding(tokens)).mean(1))


def images() -> Batch:
    return torch.randn(32, 1, 32, 32), torch.randint(0, 10, (32,))


def sentences(count: int = 16, length: int = 128) -> Batch:
    return torch.randint(0, 1000, (count, length)), torch.randint(0, 10, (count,))


CASES: dict[str, tuple[Callable[[], nn.Module], Callable[[], Batch], int]] = {
    "LeNet, batch of 32": (LeNet5, images, 20),
    "transformer, 16 x 128": (Transformer, sentences, 2),
}
"""Network, batch, and the steps that are measured in each round."""
DEVICE_CASES: dict[str, tuple[Callable[[], nn.Module], Callable[[], Batch], int]] = {
    "LeNet, batch of 32": (LeNet5, images, 30),
    "6 layers of 256": (lambda: Transformer(256, 6), lambda: sentences(32, 128), 10),
    "8 layers of 1024": (lambda: Transformer(1024, 8), lambda: sentences(32, 512), 10),
    "12 layers of 2048": (lambda: Transformer(2048, 12), lambda: sentences(32, 512), 5),
}
"""As ``CASES``, with autocast to bfloat16."""


class Training:
    """One training that is measured a few steps at a time."""

    def __init__(self, case: str, way: str, directory: Path, device: str) -> None:
        make, batch, _ = cases_of(device)[case]
        torch.manual_seed(0)
        self.device = device
        with torch.device(device):
            self.network = make()
        self.inputs, self.labels = (each.to(device) for each in batch())
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self.debugger = Debugger(directory / way, self.network, **WAYS[way]) if WAYS[way] else None  # type: ignore[arg-type]
        self.directory = directory / way
        self.wall_ms: list[float] = []
        self.processor_ms: list[float] = []
        self.losses: list[float] = []

    def run(self, steps: int) -> None:
        loss = torch.zeros(())
        self.wait()
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(steps):
            self.optimizer.zero_grad()
            with torch.autocast(self.device, torch.bfloat16, enabled=self.device != "cpu"):
                loss = nn.functional.cross_entropy(self.network(self.inputs), self.labels)
            loss.backward()
            self.optimizer.step()
            if self.debugger is not None:
                self.debugger.step(loss)
        self.wait()
        self.wall_ms.append((time.perf_counter() - wall) / steps * 1e3)
        self.processor_ms.append((time.process_time() - processor) / steps * 1e3)
        self.losses.append(loss.item())

    def wait(self) -> None:
        """For the device."""
        if self.device != "cpu":
            torch.cuda.synchronize()


def cases_of(device: str) -> dict[str, tuple[Callable[[], nn.Module], Callable[[], Batch], int]]:
    return CASES if device == "cpu" else DEVICE_CASES


def measure_in_turns(case: str, device: str) -> None:
    print(f"\n{case:<24}{'wall ms':>10}{'processor ms':>14}{'wall':>8}{'processor':>11}{'KB a step':>11}")
    steps = cases_of(device)[case][2]
    walls: dict[str, list[float]] = {way: [] for way in WAYS}
    processors: dict[str, list[float]] = {way: [] for way in WAYS}
    sizes: dict[str, float] = {}
    losses: set[float] = set()
    with tempfile.TemporaryDirectory() as name:
        for turn in range(ROUNDS):
            for way in WAYS:
                torch.manual_seed(0)
                training = Training(case, way, Path(name) / str(turn), device)
                with training.debugger or contextlib.nullcontext():
                    training.run(WARM_STEPS)
                    training.run(steps)
                walls[way].append(training.wall_ms[-1])
                processors[way].append(training.processor_ms[-1])
                losses.add(training.losses[-1])
                if training.directory.exists():
                    written = sum(each.stat().st_size for each in training.directory.iterdir())
                    sizes[way] = written / 1e3 / (WARM_STEPS + steps)
    if device == "cpu":  # on CUDA, attention of PyTorch may add up in another order each time
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    device = parser.parse_args().device
    print(machine() if device == "cpu" else torch.cuda.get_device_name())
    for threads in (1, 2) if device == "cpu" else (1,):
        torch.set_num_threads(threads)
        print(f"\n{threads} threads of PyTorch; medians of {ROUNDS} rounds")
        for case in cases_of(device):
            measure_in_turns(case, device)


if __name__ == "__main__":
    main()
