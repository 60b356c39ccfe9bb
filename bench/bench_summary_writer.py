# SPDX-License-Identifier: Apache-2.0
"""What ``add_scalar`` costs the caller, beside PyTorch's and tensorboardX's writers.

The mean of 20,000 calls, each with its own step and the wall time of the call, of each writer in a process of its own;
the writers take turns. Processor time is that of all threads of the process, to the end of ``close``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

CALLS = 20_000
WANTED = {"torch": 20, "tensorboardX": 30}
"""The peer's mean over ours must be at least this."""


def writer_of(name: str, directory: str) -> Any:
    if name == "torch":
        from torch.utils.tensorboard import SummaryWriter
    elif name == "tensorboardX":
        from tensorboardX import SummaryWriter
    else:
        from mindscope import SummaryWriter
    return SummaryWriter(directory)


def measure(name: str) -> dict[str, float]:
    """Microseconds a call: elapsed on the caller's thread, and of all processors."""
    with tempfile.TemporaryDirectory() as directory:
        writer = writer_of(name, directory)
        for step in range(1000):
            writer.add_scalar("loss/train", 0.5, step)
        writer.flush()
        processor, start = time.process_time(), time.perf_counter()
        for step in range(CALLS):
            writer.add_scalar("loss/train", 0.5 + step, step)
        elapsed = time.perf_counter() - start
        writer.close()
        processor = time.process_time() - processor
    return {"elapsed_us": elapsed / CALLS * 1e6, "processor_us": processor / CALLS * 1e6}


def measure_elsewhere(name: str) -> dict[str, float] | None:
    """Measure in a process of its own; None if the writer is not installed."""
    done = subprocess.run([sys.executable, __file__, "--only", name], capture_output=True, text=True, check=False)
    if done.returncode and "ModuleNotFoundError" in done.stderr:
        return None
    if done.returncode:
        sys.exit(f"{name} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each writer is measured")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measure(arguments.only)))
        return
    found: dict[str, list[dict[str, float]]] = {}
    for _ in range(arguments.rounds):
        for name in ("mindscope", *WANTED):
            if (figures := measure_elsewhere(name)) is not None:
                found.setdefault(name, []).append(figures)
    means = {
        name: {key: float(np.median([each[key] for each in rounds])) for key in rounds[0]}
        for name, rounds in found.items()
    }
    print(f"{'add_scalar, median of the means':<34}{'elapsed us':>12}{'processor us':>14}{'ratio':>10}{'want':>10}")
    for name, figures in means.items():
        ratio = figures["elapsed_us"] / means["mindscope"]["elapsed_us"]
        want = WANTED.get(name)
        verdict = (
            "" if want is None else f"{f'1/{ratio:.0f}':>10}{f'<= 1/{want}':>10}{'' if ratio >= want else '  missed'}"
        )
        print(f"{name:<34}{figures['elapsed_us']:>12.2f}{figures['processor_us']:>14.2f}{verdict}")


if __name__ == "__main__":
    main()
