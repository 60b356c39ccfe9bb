# SPDX-License-Identifier: Apache-2.0
"""What collecting costs a training of MindSpore: with nothing, with MindSpore's own SummaryCollector, and with ours.

The network is a perceptron (64-256-10) on batches of 32 of scikit-learn's digits, in graph mode on the CPU. One process
trains on and on; every 200 steps another arrangement is at work, so that what else the machine does meets all alike.
The time of a step is the mean over a block, first steps left out; the ratio to nothing is taken within each round, and
the median over the rounds is shown. Processes and memory are measured apart, each arrangement in a fresh process:
memory is the sum of the proportional sets of the process and its children after 300 steps, less that with nothing.

    python bench/bench_mindspore_training.py [--rounds 8] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import time
from statistics import mean, median
from typing import Any

from measuring import SPAWNED, machine, report, run_alone

BLOCK, FIRST = 200, 10
ARRANGEMENTS = {
    "nothing": None,
    "mindspore, every 10th step": ("own", 10),
    "mindscope, every 10th step": ("ours", 10),
    "mindspore, every step": ("own", 1),
    "mindscope, every step": ("ours", 1),
}


def begin() -> None:
    import mindspore

    logging.getLogger("mindscope").setLevel(logging.ERROR)
    mindspore.set_context(mode=mindspore.GRAPH_MODE)
    mindspore.set_device("CPU")
    mindspore.set_seed(1)


def make_model() -> Any:
    from mindspore import nn
    from mindspore.train import Model

    network = nn.SequentialCell(nn.Dense(64, 256), nn.ReLU(), nn.Dense(256, 10))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(network, loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))


def make_data(steps: int) -> Any:
    import numpy as np
    from mindspore.dataset import GeneratorDataset
    from sklearn.datasets import load_digits

    from mindscope.mindspore import ArrayRows

    digits = load_digits()
    rows = np.arange(steps * 32) % len(digits.data)
    columns = ((digits.data / 16).astype(np.float32)[rows], digits.target.astype(np.int32)[rows])
    return GeneratorDataset(ArrayRows(columns), ["data", "label"], shuffle=False, num_parallel_workers=1).batch(32)


def make_collector(name: str, directory: str) -> list[Any]:
    arrangement = ARRANGEMENTS[name]
    if arrangement is None:
        return []
    import mindspore

    from mindscope.mindspore import SummaryCollector

    collector = mindspore.SummaryCollector if arrangement[0] == "own" else SummaryCollector
    return [collector(directory, collect_freq=arrangement[1], collect_specified_data={"collect_landscape": None})]


def watching() -> Any:
    """A callback that takes the time of each step, collectors included, and what there is at the end."""
    import psutil
    from mindspore.train import Callback

    class Watch(Callback):
        def __init__(self) -> None:
            self.steps: list[float] = []
            self._last = 0.0
            self.cpu = 0.0
            self.processes = 0
            self.memory_mb = 0.0

        def on_train_step_end(self, run_context: Any) -> None:
            number = run_context.original_args().cur_step_num
            now = time.perf_counter()
            if number > FIRST:
                self.steps.append(now - self._last)
            elif number == FIRST:
                self.cpu -= self._cpu_s()
            self._last = now

        def on_train_end(self, run_context: Any) -> None:
            self.cpu += self._cpu_s()
            family = [psutil.Process(), *psutil.Process().children(recursive=True)]
            self.processes = len(family) - 1
            self.memory_mb = sum(each.memory_full_info().pss for each in family) / 1e6

        def _cpu_s(self) -> float:
            family = [psutil.Process(), *psutil.Process().children(recursive=True)]
            return sum(sum(each.cpu_times()[:2]) for each in family)

    return Watch()


def measure_turns(rounds: int, directory: str) -> None:
    """Report seconds of a step, and of the processor, by round for each arrangement."""
    begin()
    model, data = make_model(), make_data(BLOCK)
    steps: dict[str, list[float]] = {name: [] for name in ARRANGEMENTS}
    medians: dict[str, list[float]] = {name: [] for name in ARRANGEMENTS}
    cpu: dict[str, list[float]] = {name: [] for name in ARRANGEMENTS}
    model.train(1, data)
    names = list(ARRANGEMENTS)
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            watch = watching()
            model.train(1, data, callbacks=[*make_collector(name, f"{directory}/{turn}_{name[:9]}{name[-9:]}"), watch])
            steps[name].append(mean(watch.steps))
            medians[name].append(median(watch.steps))
            cpu[name].append(watch.cpu / (BLOCK - FIRST))
    report(steps=steps, medians=medians, cpu=cpu)


def measure_alone(name: str, directory: str) -> None:
    """Report the processes and the memory of one arrangement."""
    begin()
    watch = watching()
    make_model().train(1, make_data(300), callbacks=[watch, *make_collector(name, directory)])
    report(processes=watch.processes, memory_mb=watch.memory_mb)


def show(turns: dict[str, Any], alone: dict[str, dict[str, Any]]) -> None:
    nothing, bare = turns["steps"]["nothing"], alone["nothing"]["memory_mb"]
    print(f"{'':28}{'step ms':>9}{'of nothing':>12}{'cpu ms':>8}{'processes':>11}{'MB more':>9}")
    for name in ARRANGEMENTS:
        ratio = median(step / base for step, base in zip(turns["steps"][name], nothing, strict=True))
        print(
            f"{name:28}{1000 * median(turns['steps'][name]):9.2f}{ratio:11.2f}x{1000 * median(turns['cpu'][name]):8.2f}"
            f"{alone[name]['processes']:11d}{alone[name]['memory_mb'] - bare:9.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--json", help="write every figure to this file")
    parser.add_argument("--only", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if SPAWNED in os.environ and given.only:
        name, directory = given.only
        if name == "turns":
            measure_turns(given.rounds, directory)
        else:
            measure_alone(name, directory)
        return
    print(machine())
    with tempfile.TemporaryDirectory() as room:
        this = os.path.basename(__file__)  # noqa: PTH119
        turns = run_alone(this, "--only", "turns", f"{room}/turns", "--rounds", str(given.rounds))
        alone = {name: run_alone(this, "--only", name, f"{room}/{place}") for place, name in enumerate(ARRANGEMENTS)}
    if turns is None or any(each is None for each in alone.values()):
        sys.exit("MindSpore is not installed")
    figures: dict[str, dict[str, Any]] = {name: each for name, each in alone.items() if each is not None}
    show(turns, figures)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:  # noqa: PTH123
            json.dump({"turns": turns, "alone": figures}, file)


if __name__ == "__main__":
    main()
