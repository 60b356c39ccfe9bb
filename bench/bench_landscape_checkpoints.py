# SPDX-License-Identifier: Apache-2.0
"""What the weights that a LandscapeCollector keeps cost a training, beside ``torch.save`` and safetensors in the loop.

Networks of three sizes; steps do nothing but change the weights, so that only keeping them is seen. For each of the
three ways in turn: what a kept step takes on the training thread (elapsed and processor time), what the thread behind
computes for it, and what a step takes that keeps nothing. Medians over the checkpoints of all rounds, without the first
two, which allocate memory.

    python bench/bench_landscape_checkpoints.py [--rounds 3] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import torch
from bench_training import LeNet5, background_s
from measuring import machine
from safetensors.torch import save_file
from torch import nn

import mindscope
from mindscope.torch import LandscapeCollector

CHECKPOINTS = 8
QUIET_STEPS = 20_000


def layers(width: int, depth: int) -> nn.Module:
    return nn.Sequential(*(nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width)) for _ in range(depth)))


NETWORKS = {
    "LeNet-5, 0.25 MB": LeNet5,
    "11 M parameters, 45 MB": lambda: layers(1024, 11),
    "110 M parameters, 440 MB": lambda: layers(2048, 26),
}


class Saving:
    """Writes the state in the loop."""

    def __init__(self, directory: Path, suffix: str) -> None:
        self._directory, self._suffix, self._number = directory, suffix, 0
        directory.mkdir()

    def step(self, network: nn.Module) -> None:
        self._number += 1
        file = self._directory / f"{self._number}{self._suffix}"
        if self._suffix == ".pt":
            torch.save(network.state_dict(), file)
        else:
            save_file(network.state_dict(), file)

    def __enter__(self) -> Saving:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def way_of(name: str, directory: Path) -> Any:
    if name == "mindscope":
        return LandscapeCollector(directory, intervals=[list(range(1, CHECKPOINTS + 1))], keep=None)
    return Saving(directory, name)


WAYS = {"mindscope": "mindscope", "torch.save": ".pt", "safetensors": ".safetensors"}


def measure(network: nn.Module, way: str, directory: Path) -> dict[str, list[float]]:
    """Seconds of each checkpoint: elapsed, on this thread's processor, and behind."""
    found: dict[str, list[float]] = {"elapsed": [], "here": [], "behind": [], "quiet": []}
    with way_of(WAYS[way], directory) as keeper:
        for number in range(CHECKPOINTS):
            with torch.no_grad():
                for each in network.parameters():
                    each.add_(1e-3)
            behind, began, processor = background_s(), time.perf_counter(), time.thread_time()
            keeper.step(network)
            elapsed, here = time.perf_counter() - began, time.thread_time() - processor
            mindscope.flush_all(600)  # so that the next one finds an idle disk: how it is with steps between
            if number >= 2:
                found["elapsed"].append(elapsed)
                found["here"].append(here)
                found["behind"].append(background_s() - behind)
        if way == "mindscope":
            began = time.thread_time()
            for _ in range(QUIET_STEPS):
                keeper.step(network)
            found["quiet"].append((time.thread_time() - began) / QUIET_STEPS)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", help="write the figures to this file too")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(machine(), file=sys.stderr)
    print(f"{'milliseconds for a checkpoint':<27}{'':<12}{'elapsed':>9}{'here':>9}{'behind':>9}{'quiet step us':>15}")
    lines: list[dict[str, Any]] = []
    for name, make in NETWORKS.items():
        network = make()
        found: dict[str, dict[str, list[float]]] = {
            way: {"elapsed": [], "here": [], "behind": [], "quiet": []} for way in WAYS
        }
        for _ in range(arguments.rounds):
            for way in WAYS:
                directory = Path(tempfile.mkdtemp())
                for key, values in measure(network, way, directory / "run").items():
                    found[way][key] += values
                shutil.rmtree(directory)
        for way, each in found.items():
            line = {key: median(values) for key, values in each.items() if values}
            quiet = f"{line['quiet'] * 1e6:>15.2f}" if "quiet" in line else ""
            print(
                f"{name if way == 'mindscope' else '':<27}{way:<12}"
                f"{line['elapsed'] * 1e3:>9.2f}{line['here'] * 1e3:>9.2f}{line['behind'] * 1e3:>9.2f}{quiet}"
            )
            lines.append({"network": name, "way": way, **line})
    assert threading.active_count() < 5
    if arguments.json:
        Path(arguments.json).write_text(json.dumps({"machine": machine(), "lines": lines}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
