# SPDX-License-Identifier: Apache-2.0
"""What profiling costs a training of PyTorch: mindscope's Profiler beside bare ``torch.profiler``, in one run.

One training runs through in blocks of 20 steps: without a profiler, with ``torch.profiler`` in each of the ways that it
records, and with ``Profiler`` in the same way; their order changes each round. The figures are medians over the rounds,
in milliseconds of the processor: of a step, of the start, of the stop with the writing of the trace; and the size of
its file.

    python bench/bench_profiling.py [--rounds 7] [--json FILE]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import torch
from bench_training import CASES, Elements, elements_of
from measuring import machine
from torch import nn, profiler

from mindscope.torch import Profiler

STEPS = 20
WAYS: Mapping[str, Mapping[str, bool]] = {
    "operators": {},
    "shapes, memory, FLOPs": {"record_shapes": True, "profile_memory": True, "with_flops": True},
    "and stacks": {"record_shapes": True, "profile_memory": True, "with_flops": True, "with_stack": True},
}
OFF = {"record_shapes": False, "profile_memory": False, "with_flops": False, "with_stack": False}


class Training:
    """Steps of one of the networks of ``bench_training``."""

    def __init__(self, case: str) -> None:
        torch.manual_seed(0)
        self._network = CASES[case][0]()
        self._optimizer = torch.optim.SGD(self._network.parameters(), lr=0.01, momentum=0.9)
        self._elements: Elements = elements_of(case, STEPS)

    def run(self, end_step: Callable[[], object]) -> float:
        """Milliseconds of the median step."""
        seconds: list[float] = []
        for inputs, labels in self._elements:
            start = time.process_time()
            self._optimizer.zero_grad()
            nn.functional.cross_entropy(self._network(inputs), labels).backward()
            self._optimizer.step()
            end_step()
            seconds.append(time.process_time() - start)
        return median(seconds) * 1e3


def nothing(training: Training, way: Mapping[str, bool], directory: Path) -> dict[str, float]:
    return {"step_ms": training.run(lambda: None)}


def bare(training: Training, way: Mapping[str, bool], directory: Path) -> dict[str, float]:
    file = directory / "bare.json"
    times = [time.process_time()]
    own = profiler.profile(**dict[str, Any](OFF, **way), with_modules=way.get("with_stack", False))
    own.start()
    times.append(time.process_time())
    marks: list[Any] = [open_mark(0)]

    def end_step() -> None:
        marks[-1].__exit__(None, None, None)
        marks.append(open_mark(len(marks)))

    step_ms = training.run(end_step)
    times.append(time.process_time())
    marks[-1].__exit__(None, None, None)
    own.stop()
    own.export_chrome_trace(str(file))
    times.append(time.process_time())
    return figures(step_ms, times[1] - times[0], times[3] - times[2], file)


def open_mark(number: int) -> Any:
    mark = profiler.record_function(f"ProfilerStep#{number}")
    mark.__enter__()
    return mark


def ours(training: Training, way: Mapping[str, bool], directory: Path) -> dict[str, float]:
    own = Profiler(output_path=directory, start_profile=False, **dict[str, Any](OFF, **way))
    times = [time.process_time()]
    own.start()
    times.append(time.process_time())
    step_ms = training.run(own.step)
    times.append(time.process_time())
    with contextlib.redirect_stdout(io.StringIO()):
        own.stop()
    times.append(time.process_time())
    (file,) = own.files
    return figures(step_ms, times[1] - times[0], times[3] - times[2], file)


def figures(step_ms: float, starting: float, writing: float, file: Path) -> dict[str, float]:
    size_mb = file.stat().st_size / 1e6
    file.unlink()
    return {"step_ms": step_ms, "start_ms": starting * 1e3, "write_ms": writing * 1e3, "size_mb": size_mb}


ARRANGEMENTS: Mapping[str, Callable[[Training, Mapping[str, bool], Path], dict[str, float]]] = {
    "nothing": nothing, "torch": bare, "mindscope": ours,
}  # fmt: skip


def measure(case: str, way: str, rounds: int, directory: Path) -> dict[str, dict[str, float]]:
    """Medians of each arrangement; the first round warms up."""
    training = Training(case)
    found: dict[str, list[dict[str, float]]] = {name: [] for name in ARRANGEMENTS}
    for number in range(rounds + 1):
        names = list(ARRANGEMENTS)
        for name in names[number % 3 :] + names[: number % 3]:
            block = ARRANGEMENTS[name](training, WAYS[way], directory)
            if number:
                found[name].append(block)
    return {name: {key: median(block[key] for block in blocks) for key in blocks[0]} for name, blocks in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", help="write the figures to this file too")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    torch.set_num_threads(1)  # the cost is that of the calling thread; more threads only add noise
    print(machine(), file=sys.stderr)
    lines: list[dict[str, Any]] = []
    columns = ("step_ms", "start_ms", "write_ms", "size_mb")
    print(f"{'':<50}{'':<11}" + "".join(f"{column:>13}" for column in columns))
    with tempfile.TemporaryDirectory() as directory:
        for case in CASES:
            for way in WAYS:
                found = measure(case, way, arguments.rounds, Path(directory))
                lines.append({"case": case, "way": way, "figures": found})
                for name, medians in found.items():
                    title = f"{case}: {way}" if name == "nothing" else ""
                    cells = "".join(
                        f"{medians[column]:>13.2f}" if column in medians else f"{'':>13}" for column in columns
                    )
                    print(f"{title:<50}{name:<11}{cells}", flush=True)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps({"machine": machine(), "lines": lines}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
