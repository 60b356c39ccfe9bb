# SPDX-License-Identifier: Apache-2.0
"""What collecting costs a training of PyTorch, beside torch's SummaryWriter and beside nothing, in one run.

One training runs through; every 100 steps another one of the three is at work: nothing, the collector as it is by
default (every tenth step), and torch's SummaryWriter, which records the same at the same steps: the loss, the same
parameters as histograms, the same first pictures of the input. So what else the machine does meets all three alike, and
the overhead is the median over the rounds of a block's time against that of nothing in the same round. Beside it stand
what the calls take on the training thread and what the recorder's own threads compute, in microseconds a step: on a
machine with other work they say more than the difference of two noisy times. Starting, the first step with its graph,
closing, memory and threads are measured apart, in a fresh process each.

    python bench/bench_training.py [--rounds 9] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from statistics import mean, median
from typing import Any

import numpy as np
import torch
from measuring import SPAWNED, machine, memory_mb, report, run_alone, timed
from sklearn.datasets import load_digits
from torch import Tensor, nn

from mindscope.collector.input_images import MOST_IMAGES
from mindscope.torch import Callback, Model, RunContext, SummaryCollector

ARRANGEMENTS = ("nothing", "mindscope", "torch")
BLOCK = 100  # steps
FREQ = 10


class LeNet5(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, images: Tensor) -> Tensor:
        hidden = torch.max_pool2d(torch.relu(self.conv1(images)), 2)
        hidden = torch.max_pool2d(torch.relu(self.conv2(hidden)), 2)
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(hidden.flatten(1))))))


class Transformer(nn.Module):
    """Two layers over 32 tokens of a vocabulary of 1,000."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(1000, 64)
        layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(64, 10)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.encoder(self.embedding(tokens)).mean(1))


def pictures(batch: int) -> list[Tensor]:
    """Scikit-learn's digits of 8 x 8, enlarged to the 32 x 32 that the network wants."""
    digits = torch.tensor(load_digits().images / 16, dtype=torch.float32).unsqueeze(1)
    enlarged = nn.functional.interpolate(digits, (32, 32), mode="bilinear")
    return [enlarged[torch.randint(0, len(enlarged), (batch,))] for _ in range(16)]


def tokens(batch: int) -> list[Tensor]:
    return [torch.randint(0, 1000, (batch, 32)) for _ in range(16)]


CASES: dict[str, tuple[type[nn.Module], Any, int]] = {
    "LeNet, batch of 32": (LeNet5, pictures, 32),
    "LeNet, batch of 128": (LeNet5, pictures, 128),
    "transformer, batch of 32": (Transformer, tokens, 32),
}


class Elements:
    """So many batches, the same 16 over and over."""

    def __init__(self, data: list[Tensor], count: int) -> None:
        self._data, self._count = data, count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        labels = torch.randint(0, 10, (len(self._data[0]),))
        for step in range(self._count):
            yield self._data[step % len(self._data)], labels


def model_of(case: str) -> Model:
    torch.manual_seed(0)
    network = CASES[case][0]()
    return Model(network, nn.CrossEntropyLoss(), torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9))


def elements_of(case: str, count: int) -> Elements:
    _, make, batch = CASES[case]
    return Elements(make(batch), count)


class Writing(Callback):
    """Records with torch's SummaryWriter what the collector records by default."""

    def __init__(self, directory: str) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.writer = SummaryWriter(directory)

    def step_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        step = params["cur_step_num"]
        if step != 1 and step % FREQ:
            return
        self.writer.add_scalar("loss/auto", params["net_outputs"], step)
        element = params["train_dataset_element"][0]
        if element.ndim == 4:
            self.writer.add_images("input_data/auto", element[:MOST_IMAGES], step)
        for name, parameter in list(params["network"].named_parameters())[:5]:
            self.writer.add_histogram(f"{name}/auto", parameter, step)

    def __exit__(self, *error: Any) -> None:
        self.writer.close()


class Block:
    """What 100 steps took."""

    def __init__(self) -> None:
        self.steps: list[float] = []
        """Seconds of each but the first."""
        self.calls = 0.0
        """Seconds in the recorder, on the training thread."""
        self.behind = -background_s()
        """The processor's seconds in threads of the recorders."""

    def end(self) -> dict[str, Any]:
        count = len(self.steps)
        return {"steps": self.steps, "calls": self.calls / count, "behind": (self.behind + background_s()) / count}


def background_s() -> float:
    """The processor's seconds of all threads of Python but the main one."""
    others = [each.ident for each in threading.enumerate() if each is not threading.main_thread()]
    return sum(time.clock_gettime(time.pthread_getcpuclockid(ident)) for ident in others if ident is not None)


class Turns(Callback):
    """Hands a step's end to one of the recorders, another one each block, and takes the time."""

    def __init__(self, recorders: dict[str, Callback | None], first_step: int) -> None:
        self._recorders, self._first_step = recorders, first_step
        self._block = Block()
        self._last = 0.0
        self.blocks: dict[str, list[dict[str, Any]]] = {name: [] for name in recorders}

    def begin(self, run_context: RunContext) -> None:
        for recorder in self._recorders.values():
            if recorder is not None:
                recorder.__enter__()
                recorder.begin(run_context)

    def step_end(self, run_context: RunContext) -> None:
        number = run_context.original_args()["cur_step_num"] - self._first_step
        if number >= 0:
            self._take_turn(number, run_context)
            return
        for recorder in self._recorders.values():  # warming up: everybody records
            if recorder is not None:
                recorder.step_end(run_context)

    def _take_turn(self, number: int, run_context: RunContext) -> None:
        # a block begins and ends half way between two collected steps
        turn, place = divmod(number, BLOCK)
        first = turn // 3 % 3
        name = (ARRANGEMENTS[first:] + ARRANGEMENTS[:first])[turn % 3]
        recorder = self._recorders[name]
        if place == 0:
            self._block = Block()
        start = time.perf_counter()
        if recorder is not None:
            recorder.step_end(run_context)
        now = time.perf_counter()
        if place:
            self._block.steps.append(now - self._last)
            self._block.calls += now - start
        if place == BLOCK - 1:
            self.blocks[name].append(self._block.end())
            now = time.perf_counter()
        self._last = now

    def __exit__(self, *error: Any) -> None:
        for recorder in self._recorders.values():
            if recorder is not None:
                recorder.__exit__(None, None, None)


def measure_turns(case: str, rounds: int, directory: str) -> None:
    """Report the blocks of each arrangement."""
    warm_up = 5 * FREQ + FREQ // 2
    turns = Turns(
        {"nothing": None, "mindscope": SummaryCollector(f"{directory}/a"), "torch": Writing(f"{directory}/b")}, warm_up
    )
    steps = warm_up + len(ARRANGEMENTS) * rounds * BLOCK - 1  # the first is number 1
    model_of(case).train(1, elements_of(case, steps), callbacks=[turns])
    report(blocks=turns.blocks)


class Stamps(Callback):
    """When the first step began and each step ended, and the most threads that were there."""

    def __init__(self) -> None:
        self.ends: list[float] = []
        self.threads = 0

    def step_begin(self, run_context: RunContext) -> None:
        if not self.ends:
            self.ends.append(time.perf_counter())

    def step_end(self, run_context: RunContext) -> None:
        self.ends.append(time.perf_counter())
        self.threads = max(self.threads, threading.active_count())


def measure_alone(case: str, name: str, directory: str) -> None:
    """Report what one arrangement costs at the start and the end, and its memory and threads."""
    model, elements, stamps = model_of(case), elements_of(case, 100), Stamps()
    model_of(case).train(1, elements_of(case, 20))
    before = memory_mb("VmHWM")
    callbacks: list[Callback] = []
    with timed() as creation:
        if name == "mindscope":
            callbacks = [SummaryCollector(directory)]
        elif name == "torch":
            callbacks = [Writing(directory)]
    start = time.perf_counter()
    model.train(1, elements, callbacks=[*callbacks, stamps])
    end = time.perf_counter()
    first, rest = stamps.ends[1] - stamps.ends[0], np.diff(stamps.ends[1:])
    report(
        creation=creation.seconds + stamps.ends[0] - start, first=first - float(np.median(rest)),
        close=end - stamps.ends[-1], threads=stamps.threads, grown_mb=memory_mb("VmHWM") - before,
    )  # fmt: skip


def show(case: str, blocks: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Print the lines of a case; returns its figures."""
    alone = [mean(block["steps"]) for block in blocks["nothing"]]
    wanted = 0.01 if median(alone) > 0.005 else None
    lines: dict[str, Any] = {}
    for name in ARRANGEMENTS:
        means = [mean(block["steps"]) for block in blocks[name]]
        every = np.concatenate([block["steps"] for block in blocks[name]])
        line = lines[name] = {
            "median_ms": float(np.median(every)) * 1e3,
            "mean_ms": median(means) * 1e3,
            "overhead": median(each / other - 1 for each, other in zip(means, alone, strict=True)),
            "calls_us": median(block["calls"] for block in blocks[name]) * 1e6,
            "behind_us": median(block["behind"] for block in blocks[name]) * 1e6,
            "want": wanted,
        }
        share = (line["calls_us"] + line["behind_us"]) / median(alone) / 1e6
        said = ("  under 1 %" if line["overhead"] < wanted else "  want 1 %") if name == "mindscope" and wanted else ""
        print(
            f"{case if name == 'nothing' else '':<26}{name:<11}{line['median_ms']:>8.2f}{line['mean_ms']:>8.2f}"
            f"{line['overhead']:>9.1%}{line['calls_us']:>9.1f}{line['behind_us']:>9.1f}{share:>9.2%}{said}"
        )
    return lines


def show_alone(case: str, found: dict[str, Any]) -> None:
    for name, each in found.items():
        print(
            f"{case if name == 'nothing' else '':<26}{name:<11}{each['creation'] * 1e3:>9.1f}"
            f"{each['first'] * 1e3:>9.1f}{each['close'] * 1e3:>9.1f}{each['grown_mb']:>9.1f}{each['threads']:>9}"
        )


def measure_all(rounds: int) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    print(f"{'milliseconds a step':<37}{'median':>8}{'mean':>8}{'more':>9}{'call us':>9}{'behind':>9}{'share':>9}")
    for case in CASES:
        found = run_alone("bench_training.py", "--case", case, "--rounds", str(rounds))
        assert found is not None
        lines.append({"case": case, "step": show(case, found["blocks"])})
    print(f"\n{'milliseconds once':<37}{'create':>9}{'1st step':>9}{'close':>9}{'grown MB':>9}{'threads':>9}")
    for line in lines:
        case = line["case"]
        alone = {name: run_alone("bench_training.py", "--case", case, "--only", name) for name in ARRANGEMENTS}
        line["once"] = alone
        show_alone(case, alone)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="blocks of 100 steps for each of the three")
    parser.add_argument("--json", help="write the figures to this file too")
    parser.add_argument("--case", choices=CASES, help=argparse.SUPPRESS)
    parser.add_argument("--only", choices=ARRANGEMENTS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if SPAWNED in os.environ and arguments.case:
        warnings.simplefilter("ignore")
        logging.disable()
        with tempfile.TemporaryDirectory() as directory:
            if arguments.only:
                measure_alone(arguments.case, arguments.only, directory)
            else:
                measure_turns(arguments.case, arguments.rounds, directory)
        return
    print(machine(), file=sys.stderr)
    lines = measure_all(arguments.rounds)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:  # noqa: PTH123 - a path as typed
            json.dump({"machine": machine(), "lines": lines}, file, indent=1)


if __name__ == "__main__":
    main()
