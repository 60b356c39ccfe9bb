# SPDX-License-Identifier: Apache-2.0
"""Processor time of the losses of a loss landscape: a plain loop over points, and the way that the trial chooses.

One process with one thread, because a landscape has a process for each core. The loops compute one point after the
other, with all samples in one batch and with the batches of 128 samples of the loader. All ways compute the same points
of a plane along two random directions. The last column says how much of the machine's fastest matrix product the loop
reaches: where that is much, no way can be much faster.

    python bench/bench_landscape.py [--rounds 5] [--only NETWORK] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from measuring import machine
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from mindscope.landscape.planes import random_plane
from mindscope.torch.landscapes.batches import fixed_batches
from mindscope.torch.landscapes.memory import kept_memory
from mindscope.torch.landscapes.network_loss import NetworkLoss
from mindscope.torch.landscapes.plane_weights import flat_vector
from mindscope.torch.landscapes.problem import LOOP, LossProblem, Way
from mindscope.torch.landscapes.statistics import statistics_names
from mindscope.torch.landscapes.trial import choose_way
from mindscope.torch.landscapes.ways import PlaneLosses

BATCH = 128
POINTS = np.random.default_rng(0).uniform(-0.5, 0.5, (16, 2))
Figures = dict[str, Any]


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.layers = nn.Sequential(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))

    def forward(self, images: Tensor) -> Tensor:
        x = functional.max_pool2d(functional.relu(self.first(images)), 2)
        return self.layers(functional.max_pool2d(functional.relu(self.second(x)), 2).flatten(1))


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        stride = 1 if inputs == outputs else 2
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(outputs) for _ in "ab"])
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        inner = self.norms[1](self.second(functional.relu(self.norms[0](self.first(x)))))
        return functional.relu(inner + self.shortcut(x))


def residual_network(width: int, blocks: int) -> nn.Module:
    """Each block after the first halves the image and doubles the channels."""
    widths = [width * 2**number for number in range(blocks)]
    layers = [Block(inputs, outputs) for inputs, outputs in zip([width, *widths], widths, strict=False)]
    stem = [nn.Conv2d(3, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    return nn.Sequential(*stem, *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(widths[-1], 10))


class Words(nn.Module):
    """A transformer that predicts each word."""

    def __init__(self, width: int, words: int, length: int) -> None:
        super().__init__()
        self.table, self.places = nn.Embedding(words, width), nn.Parameter(torch.randn(length, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True, activation="gelu")
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, words)

    def forward(self, words: Tensor) -> Tensor:
        return self.head(self.layers(self.table(words) + self.places)).transpose(1, 2)


def cases() -> dict[str, tuple[nn.Module, Tensor, Tensor]]:
    """Network, inputs and labels."""
    torch.manual_seed(0)

    def images(count: int, channels: int, size: int) -> tuple[Tensor, Tensor]:
        return torch.randn(count, channels, size, size), torch.randint(0, 10, (count,))

    def texts(count: int, words: int, length: int) -> tuple[Tensor, Tensor]:
        return torch.randint(0, words, (count, length)), torch.randint(0, words, (count, length))

    perceptron = nn.Sequential(
        nn.Flatten(), nn.Linear(784, 64), nn.Tanh(), nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10)
    )
    return {
        "LeNet, 2,048 of 28x28": (LeNet(), *images(2048, 1, 28)),
        "perceptron 784-64-32-10, 2,048": (perceptron, *images(2048, 1, 28)),
        "residual, 4 to 16 channels, 512 of 3x16x16": (residual_network(4, 3), *images(512, 3, 16)),
        "residual, 16 to 64 channels, 256 of 3x32x32": (residual_network(16, 3), *images(256, 3, 32)),
        "transformer of width 16, 512 texts of 16": (Words(16, 50, 16), *texts(512, 50, 16)),
        "transformer of width 64, 256 texts of 32": (Words(64, 100, 32), *texts(256, 100, 32)),
    }  # fmt: skip


def problem_of(network: nn.Module, inputs: Tensor, labels: Tensor, dtype: torch.dtype | None = None) -> LossProblem:
    loss = NetworkLoss(network, nn.CrossEntropyLoss(), dtype)
    vector = flat_vector({name: each.detach() for name, each in network.named_parameters()})
    plane = random_plane(vector, [tuple(each.shape) for each in loss.trainable.values()], 1)
    batches = fixed_batches(list(zip(inputs.split(BATCH), labels.split(BATCH), strict=True)), None, 0)
    return LossProblem(loss, plane, batches, {name: loss.constants[name] for name in statistics_names(network)})


def measure(network: nn.Module, inputs: Tensor, labels: Tensor, rounds: int, peak: float) -> Figures:
    """Milliseconds of the processor for a point, by the median of rounds in which the ways take turns."""
    exact, half = problem_of(network, inputs, labels), problem_of(network, inputs, labels, torch.bfloat16)
    with kept_memory(torch.device("cpu")):
        start = time.process_time()
        way = choose_way(exact, POINTS[:4]).way
        trial = time.process_time() - start
        half_way = choose_way(half, POINTS[:4]).way
        ways = {
            "whole": (exact, Way("loop", 1, len(inputs))), "loop": (exact, LOOP),
            "channels_last": (exact, Way("channels_last")), "chosen": (exact, way), "bfloat16": (half, half_way),
        }  # fmt: skip
        losses = {name: PlaneLosses(*each) for name, each in ways.items()}
        want = np.array(losses["loop"](POINTS))
        errors = {name: float(np.max(np.abs(each(POINTS) - want) / np.abs(want))) for name, each in losses.items()}
        times: dict[str, list[float]] = {name: [] for name in losses}
        for _ in range(rounds):
            for name, each in losses.items():
                points = POINTS if ways[name][1].points > 1 else POINTS[:3]
                times[name].append(_milliseconds(each, points))
    found = {name: float(np.median(each)) for name, each in times.items()}
    with FlopCounterMode(display=False) as counter:
        network(inputs[:8])
    speed = counter.get_total_flops() / 8 * len(inputs) / found["loop"] * 1e3
    return {
        **found,
        "way": str(way),
        "bfloat16 way": str(half_way),
        "trial_s": trial,
        "errors": errors,
        "of_peak": speed / peak,
    }


def _text(way: Way) -> str:
    return f"{way.name}, {way.points} x {way.batch_size or BATCH}" if way.points > 1 else way.name


def _milliseconds(losses: Callable[[Any], Any], points: Any) -> float:
    start = time.process_time()
    losses(points)
    return (time.process_time() - start) / len(points) * 1e3


def fastest_product() -> float:
    """Operations per second of the fastest of some matrix products."""
    best = 0.0
    for size in (256, 512, 1024):
        matrix = torch.randn(size, size)
        for _ in range(5):
            start = time.process_time()
            for _ in range(2**30 // size**3):
                matrix @ matrix
            best = max(best, 2.0 * size**3 * (2**30 // size**3) / (time.process_time() - start))
    return best


def table_of(found: dict[str, Figures]) -> Table:
    table = Table(title="Milliseconds of the processor for a point of a landscape")
    headings = ("one batch", "loop", "channels last", "chosen", "way", "loop / chosen", "bfloat16", "its error")
    for heading in ("network", *headings, "trial s", "loop of peak"):
        table.add_column(heading, justify="left" if heading in ("network", "way") else "right")
    for name, each in found.items():
        table.add_row(
            name, f"{each['whole']:.1f}", f"{each['loop']:.1f}", f"{each['channels_last']:.1f}",
            f"{each['chosen']:.1f}", each["way"], f"{each['loop'] / each['chosen']:.1f}", f"{each['bfloat16']:.1f}",
            f"{each['errors']['bfloat16']:.0e}", f"{each['trial_s']:.1f}", f"{each['of_peak']:.0%}",
        )  # fmt: skip
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="networks whose name contains this")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    text = machine()
    peak = fastest_product()
    console = Console(width=200)
    found: dict[str, Figures] = {}
    for name, case in cases().items():
        if chosen.only in name:
            console.print(f"measuring {name}")
            found[name] = measure(*case, chosen.rounds, peak)
    console.print(table_of(found))
    console.print(f"{text}, torch {torch.__version__}; fastest product {peak / 1e9:.0f} GFLOP/s")
    if chosen.json:
        chosen.json.write_text(json.dumps({"machine": text, "peak": peak, "figures": found}, indent=1))


if __name__ == "__main__":
    main()
