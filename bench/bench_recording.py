# SPDX-License-Identifier: Apache-2.0
"""What recording costs the thread that trains, side by side with the peers, in one run.

Each recorder is measured in processes of its own, in turns, so that what else the machine does meets all alike. Every
call is timed by itself: median and 99th percentile are over calls, the mean shows what rare waits add up to. The ratio
is that of the means: torch's short queue lets most calls through at once and makes the others wait, so that its median
jumps between 5 and 50 us from run to run while its mean stays. Peers that are not installed are left out. The figures
say nothing about a machine but this one; the ratios mean something.

    python bench/bench_recording.py [--rounds 3] [--json FILE]
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Cases = dict[str, list[float]]
LOG = "log() of 10 scalars"
TAGS = [f"train/metric_{number}" for number in range(10)]


class Comparison(NamedTuple):
    """One line of the table: a case of ours beside the same of a peer, and how small the ratio should be."""

    case: str
    peer: str
    want: float | None  # ratio of the means that is promised, None where nothing is


COMPARISONS = [
    Comparison("1 scalar", "torch", 1 / 25),
    Comparison("1 scalar", "tensorboardX", None),
    Comparison("10 scalars", "trackio", 1 / 2),
    Comparison("10 scalars", "torch", None),
    Comparison(LOG, "trackio", 1 / 4),
    Comparison(LOG, "wandb", 1 / 4),
    Comparison(LOG, "swanlab", 1 / 4),
    Comparison("5 scalars", "mindspore", 1 / 50),
    Comparison("histogram, 1M elements", "torch", 1 / 10),
    Comparison("histogram, 1M elements", "tensorboardX", None),
    Comparison("image, 256 x 256", "torch", 1 / 50),
    Comparison("image, 256 x 256", "tensorboardX", None),
]


def time_calls(call: Callable[[int], object], count: int, between: Callable[[], object] | None = None) -> list[float]:
    """Seconds of each of ``count`` calls, after a tenth as many that are not counted."""
    times: list[float] = []
    for step in range(-max(1, count // 10), count):
        start = time.perf_counter()
        call(step)
        end = time.perf_counter()
        if step >= 0:
            times.append(end - start)
        if between is not None:
            between()
    return times


def arrays() -> tuple[Any, Any]:
    """A million normal float32 numbers and an RGB picture in [0, 1], channels first."""
    random = np.random.default_rng(0)
    return random.normal(size=1_000_000).astype(np.float32), random.random((3, 256, 256), np.float32)


def measure_mindscope(directory: str) -> Cases:
    from mindscope.capture import SummaryRecord

    numbers, picture = arrays()
    import mindscope

    values = dict.fromkeys(TAGS, 0.5)
    with mindscope.init(name="bench", dir=directory) as run:
        logged = time_calls(lambda _: run.log(values), 20_000)

    with SummaryRecord(directory) as record:

        def scalars(tags: list[str]) -> Callable[[int], object]:
            def step_of(step: int) -> None:
                for tag in tags:
                    record.add_value("scalar", tag, 0.5)
                record.record(step)

            return step_of

        def add(plugin: str, value: Any) -> Callable[[int], object]:
            def step_of(step: int) -> None:
                record.add_value(plugin, "it", value)
                record.record(step)

            return step_of

        return {
            "1 scalar": time_calls(scalars(TAGS[:1]), 20_000),
            "5 scalars": time_calls(scalars(TAGS[:5]), 20_000),
            "10 scalars": time_calls(scalars(TAGS), 20_000),
            LOG: logged,
            "histogram, 1M elements": time_calls(add("histogram", numbers), 30, record.flush),
            "image, 256 x 256": time_calls(add("image", picture), 30, record.flush),
        }


def measure_writer(writer: Any) -> Cases:
    """The cases of torch's and tensorboardX's ``SummaryWriter``."""
    numbers, picture = arrays()

    def ten(step: int) -> None:
        for tag in TAGS:
            writer.add_scalar(tag, 0.5, step)

    cases = {
        "1 scalar": time_calls(lambda step: writer.add_scalar(TAGS[0], 0.5, step), 5000),
        "10 scalars": time_calls(ten, 500),
        "histogram, 1M elements": time_calls(lambda step: writer.add_histogram("it", numbers, step), 15, writer.flush),
        "image, 256 x 256": time_calls(lambda step: writer.add_image("it", picture, step), 15, writer.flush),
    }
    writer.close()
    return cases


def measure_torch(directory: str) -> Cases:
    from torch.utils.tensorboard import SummaryWriter

    return measure_writer(SummaryWriter(directory))


def measure_tensorboardx(directory: str) -> Cases:
    from tensorboardX import SummaryWriter

    return measure_writer(SummaryWriter(directory))


def measure_trackio(directory: str) -> Cases:
    os.environ.update(TRACKIO_DIR=directory, HF_HUB_OFFLINE="1")
    import trackio

    trackio.init(project="bench", auto_log_gpu=False)
    values = dict.fromkeys(TAGS, 0.5)
    times = time_calls(lambda _: trackio.log(dict(values)), 5000)
    trackio.finish()
    return {"10 scalars": times, LOG: times}


def measure_wandb(directory: str) -> Cases:
    os.environ.update(WANDB_MODE="offline", WANDB_DIR=directory, WANDB_SILENT="true")
    import wandb

    wandb.init(project="bench")
    values = dict.fromkeys(TAGS, 0.5)
    times = time_calls(lambda _: wandb.log(dict(values)), 5000)
    wandb.finish()
    return {LOG: times}


def measure_swanlab(directory: str) -> Cases:
    import swanlab

    swanlab.init(project="bench", mode="offline", logdir=directory)
    values = dict.fromkeys(TAGS, 0.5)
    times = time_calls(lambda _: swanlab.log(dict(values)), 5000)
    swanlab.finish()
    return {LOG: times}


def measure_mindspore(directory: str) -> Cases:
    import mindspore

    values = [mindspore.Tensor(0.5, mindspore.float32) for _ in range(5)]  # it takes nothing else
    with mindspore.SummaryRecord(directory) as record:

        def step_of(step: int) -> None:
            for tag, value in zip(TAGS, values, strict=False):
                record.add_value("scalar", tag, value)
            record.record(step)

        return {"5 scalars": time_calls(step_of, 3000)}


MEASURES = {
    "mindscope": measure_mindscope,
    "torch": measure_torch,
    "tensorboardX": measure_tensorboardx,
    "trackio": measure_trackio,
    "wandb": measure_wandb,
    "swanlab": measure_swanlab,
    "mindspore": measure_mindspore,
}


def measure_here(name: str) -> None:
    """Measure one recorder in this process and print the times as JSON."""
    with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stdout(sys.stderr):
        gc.collect()
        cases = MEASURES[name](directory)
    print(json.dumps(cases))


def measure_elsewhere(name: str) -> Cases | None:
    """Measure one recorder in a process of its own; None if it is not installed."""
    done = subprocess.run([sys.executable, __file__, "--only", name], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    if "ModuleNotFoundError" in done.stderr:
        return None
    sys.exit(f"{name} failed:\n{done.stderr}")


def measure_all(rounds: int) -> dict[str, Cases]:
    found: dict[str, Cases] = {}
    for turn in range(rounds):
        for name in MEASURES:
            print(f"round {turn + 1} of {rounds}: {name}", file=sys.stderr)
            for case, times in (measure_elsewhere(name) or {}).items():
                found.setdefault(name, {}).setdefault(case, []).extend(times)
    return found


def summarise(times: list[float]) -> dict[str, float]:
    """Median, 99th percentile and mean in microseconds."""
    us = np.array(times) * 1e6
    return {"median_us": float(np.median(us)), "p99_us": float(np.percentile(us, 99)), "mean_us": float(us.mean())}


def show(found: dict[str, Cases]) -> list[dict[str, Any]]:
    """Print the table; returns its lines."""
    lines: list[dict[str, Any]] = []
    print(f"{'microseconds on the caller thread':<34}{'mindscope':>28}{'peer':>42}{'ratio of means':>28}")
    print(f"{'':<34}{'median':>10}{'p99':>9}{'mean':>9}{'':>15}{'median':>9}{'p99':>9}{'mean':>9}{'':>12}{'want':>16}")
    for case, peer, want in COMPARISONS:
        if case not in found.get(peer, {}):
            continue
        ours, theirs = summarise(found["mindscope"][case]), summarise(found[peer][case])
        ratio = ours["mean_us"] / theirs["mean_us"]
        lines.append({"case": case, "peer": peer, "mindscope": ours, "other": theirs, "ratio": ratio, "want": want})
        promised = f"<= 1/{1 / want:.0f}" if want else ""
        print(
            f"{case:<34}{_row(ours)}{peer:>15}{_row(theirs, 9)}{'1/' + format(1 / ratio, '.1f'):>12}{promised:>12}"
            f"{'' if want is None or ratio <= want else '  missed'}"
        )
    return lines


def _row(figures: dict[str, float], width: int = 10) -> str:
    median, p99, mean = figures.values()
    return f"{median:>{width}.1f}{p99:>9.1f}{mean:>9.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each recorder is measured")
    parser.add_argument("--json", help="write the lines of the table to this file too")
    parser.add_argument("--only", choices=MEASURES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        measure_here(arguments.only)
        return
    lines = show(measure_all(arguments.rounds))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:  # noqa: PTH123 - a path as typed
            json.dump({"processors": os.cpu_count(), "python": sys.version.split()[0], "lines": lines}, file, indent=1)


if __name__ == "__main__":
    main()
