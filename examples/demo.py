# SPDX-License-Identifier: Apache-2.0
"""Start the viewer, train LeNet-5 with three learning rates for a minute, live, and serve until Ctrl-C."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

PEAK_LEARNING_RATES = (0.005, 0.02, 0.05)
PROFILED_RATE, DEBUGGED_RATE = PEAK_LEARNING_RATES[0], PEAK_LEARNING_RATES[-1]
ENDINGS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def running_viewer(port: int, base_dir: Path) -> Generator[subprocess.Popen[bytes]]:
    """The viewer as a child process that answers, ended in the end."""
    command = [sys.executable, "-m", "mindscope", "start", "--foreground"]
    command += ["--port", str(port), "--summary-base-dir", str(base_dir), "--workspace", str(base_dir / ".workspace")]
    # its own session: Ctrl-C reaches this process only, which then stops the viewer
    viewer = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    try:
        wait_for_answer(viewer, port)
        yield viewer
    finally:
        stop_viewer(viewer)


def wait_for_answer(viewer: subprocess.Popen[bytes], port: int) -> None:
    """Return when the viewer answers; exit where it does not."""
    for _ in range(300):
        if viewer.poll() is not None:
            sys.exit(f"the viewer did not start, see above; is port {port} in use? then: make demo PORT={port + 1}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/server", timeout=1).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    sys.exit("the viewer did not answer within 30 seconds")


def stop_viewer(viewer: subprocess.Popen[bytes]) -> None:
    """End the child and wait for it."""
    viewer.terminate()
    try:
        viewer.wait(10)
    except subprocess.TimeoutExpired:
        viewer.kill()
        viewer.wait()


def interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Being told to end, in whichever way: it ends in order, also where it is told again."""
    for ending in ENDINGS:
        signal.signal(ending, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def landscape_process(run: Path) -> Generator[subprocess.Popen[bytes]]:
    """A child process that computes the loss landscape of a run, whenever nothing else wants the processor."""
    command = [sys.executable, "-m", "mindscope", "landscape", str(run.resolve()), "--size", "32"]
    command += ["--model", "lenet_digits:LeNet5", "--data", "lenet_digits:test_batches"]
    command += ["--loss", "torch.nn.functional:cross_entropy"]
    process = subprocess.Popen(
        command, cwd=Path(__file__).parent, start_new_session=True, stdout=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        os.setpriority(os.PRIO_PROCESS, process.pid, 15)
        yield process
    finally:
        process.terminate()
        process.wait()


def train_side_by_side(base_dir: Path, seconds: float) -> None:
    """Train a network for each learning rate, step by step in turns; beside it, compute a landscape of one.

    The first one has some steps of its own, which are profiled.
    """
    # the log of torch's own profiler would cover what is printed below
    os.environ.update({"KINETO_LOG_LEVEL": "99", "TORCH_CPP_LOG_LEVEL": "ERROR"})
    import torch  # it takes seconds, in which one can already look
    from lenet_digits import LANDSCAPE_STEPS, PROFILED_STEPS, training

    torch.set_num_threads(1)  # the networks are too small for more, and the viewer wants a core
    began = time.strftime("%Y%m%d-%H%M%S")
    with ExitStack() as stack:
        directories = [base_dir / began / f"lenet-lr{rate}" for rate in PEAK_LEARNING_RATES]
        runs: list[Generator[int]] = []
        for directory, rate in zip(directories, PEAK_LEARNING_RATES, strict=True):
            extra = {"is_profiled": rate == PROFILED_RATE, "is_debugged": rate == DEBUGGED_RATE}
            runs.append(stack.enter_context(closing(training(str(directory), seconds, 0, rate, **extra))))
        for _ in range(PROFILED_STEPS):
            next(runs[0])
        landscape: subprocess.Popen[Any] | None = None
        while runs:
            steps = [next(run, None) for run in runs]
            runs = [run for run, step in zip(runs, steps, strict=True) if step is not None]
            if landscape is None and (not runs or LANDSCAPE_STEPS[-1] + 1 in steps):
                landscape = stack.enter_context(landscape_process(directories[1]))
        if landscape is not None:
            landscape.wait()


def main() -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--base-dir", type=Path, default=Path("runs"))
    parser.add_argument("--exit", action="store_true", help="end after the training instead of serving on")
    arguments = parser.parse_args()
    for ending in ENDINGS:
        signal.signal(ending, interrupt)
    arguments.base_dir.mkdir(parents=True, exist_ok=True)
    try:
        with running_viewer(arguments.port, arguments.base_dir) as viewer:
            show(viewer, arguments)
    except KeyboardInterrupt:
        print("\n  Stopped")


def show(viewer: subprocess.Popen[bytes], arguments: argparse.Namespace) -> None:
    """Train beside the viewer and then let it serve on."""
    print(f"\n  Look at  http://127.0.0.1:{arguments.port}/scalars?smoothing=0.9", flush=True)
    print(f"  Three LeNet-5 train for {arguments.seconds:.0f} seconds and write to {arguments.base_dir}", flush=True)
    print("  Stop everything with Ctrl-C\n", flush=True)
    train_side_by_side(arguments.base_dir, arguments.seconds)
    if not arguments.exit:
        print("  The training is over, the viewer serves on until Ctrl-C", flush=True)
        viewer.wait()


if __name__ == "__main__":
    main()
