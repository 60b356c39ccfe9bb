# SPDX-License-Identifier: Apache-2.0
"""Start the viewer, train networks beside it that are worth a look, one of which fails, and serve until Ctrl-C."""

from __future__ import annotations

import argparse
import json
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
from urllib.parse import urlencode

PEAK_LEARNING_RATES = (0.005, 0.02, 0.05)
PROFILED_RATE, DEBUGGED_RATE = PEAK_LEARNING_RATES[0], PEAK_LEARNING_RATES[-1]
SWEEP_RUNS, LANDSCAPE_SIZE = 16, 24
EXAMPLES = Path(__file__).parent
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


class Guide:
    """Prints what to click, and the seconds after which it is there."""

    def __init__(self, port: int) -> None:
        self.origin, self.began = f"http://127.0.0.1:{port}", time.monotonic()

    def show(self, page: str, words: str, **parameters: str) -> None:
        """Print one line of words and the address of a page."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        print(f"  {time.monotonic() - self.began:3.0f} s  {words}\n         {self.origin}{page}{query}", flush=True)

    def report(self, title: str, *blocks: dict[str, Any]) -> str:
        """Write a report of texts and cards, and print its address; returns its id."""
        fields = {"text": "", "address": None, "card": None, "pinned": None, "is_half": False}
        numbered = [{**fields, "id": str(number), **block} for number, block in enumerate(blocks)]
        id = f"demo-{time.time_ns()}"
        body = json.dumps({"id": id, "version": 0, "report": {"title": title, "blocks": numbered}}).encode()
        request = urllib.request.Request(f"{self.origin}/api/annotations/reports", body, method="PUT")
        request.add_header("Content-Type", "application/json")
        urllib.request.urlopen(request, timeout=30).close()
        self.show("/reports", "Report of the sweep; write your own text between the cards", report=id)
        return id


@contextmanager
def child(*arguments: str, niceness: int = 0) -> Generator[subprocess.Popen[bytes]]:
    """A Python process of this directory, on one thread; with a niceness only when nothing else wants the processor."""
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=EXAMPLES, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        os.setpriority(os.PRIO_PROCESS, process.pid, niceness)
        yield process
    finally:
        process.terminate()
        process.wait()


def others(room: Path, name: str, guide: Guide) -> Generator[None]:
    """Train what is not LeNet, one process after the other; gives while one runs, and says what it left."""

    def finished(*arguments: str) -> Generator[None]:
        with child(*arguments) as process:
            while process.poll() is None:
                yield

    failed, sorting, sweep = (str(room / each) for each in ("failed", "sorting", "sweep"))
    yield from finished("sorting_transformer.py", "--log-dir", failed, "--loss", "by-hand", "--steps", "1000")
    guide.show(
        "/debugger", "Debugger: a training that failed, with the line of code that made the NaN", run=f"{name}/failed"
    )
    guide.show("/logs", "Logs: what it printed, and the traceback that it ended with", run=f"{name}/failed")
    yield from finished("sorting_transformer.py", "--log-dir", sorting, "--steps", "200")
    guide.show("/graph", "Graph: a transformer; click a box, or open it with a double click", run=f"{name}/sorting")
    yield from finished("lineage_sweep.py", "--directory", sweep, "--runs", str(SWEEP_RUNS), "--epochs", "2")
    found = {"find": f"{name}/sweep", "lineage_chart": "coordinates"}
    guide.show(
        "/", f"Runs: a sweep of {SWEEP_RUNS} trainings; drag along an axis to filter, click a head to sort", **found
    )
    write_report(guide, f"{name}/")


def write_report(guide: Guide, prefix: str) -> str:
    """Write a report of the runs whose names begin with ``prefix``; returns its id."""
    sweep = {"find": f"{prefix}sweep"}
    curves = {"find": f"{prefix}lenet", "full": "loss/train", "smoothing": "0.9"}
    return guide.report(
        "Which settings learn the digits?",
        {"text": "## Three learning rates of LeNet-5\n\nWhich one learns **fastest**, and which one ends **best**?"},
        {"address": f"/scalars?{urlencode(curves)}"},
        {"text": "## The sweep, best first"},
        {"address": f"/?{urlencode(sweep)}"},
    )


def landscape_arguments(run: Path) -> list[str]:
    """What computes the loss landscape of a LeNet."""
    arguments = ["-m", "mindscope", "landscape", str(run), "--size", str(LANDSCAPE_SIZE)]
    arguments += ["--model", "lenet_digits:LeNet5", "--data", "lenet_digits:test_batches"]
    return [*arguments, "--loss", "torch.nn.functional:cross_entropy"]


def train_side_by_side(base_dir: Path, seconds: float, guide: Guide) -> None:
    """Train a LeNet for each learning rate, step by step in turns; beside it, what other processes train.

    The first one has some steps of its own, which are profiled.
    """
    name = time.strftime("%Y%m%d-%H%M%S")
    room = (base_dir / name).resolve()
    # the log of torch's own profiler would cover what is printed below
    os.environ.update({"KINETO_LOG_LEVEL": "99", "TORCH_CPP_LOG_LEVEL": "ERROR"})
    with ExitStack() as stack:
        rest = stack.enter_context(closing(others(room, name, guide)))
        next(rest)
        import torch  # it takes seconds, in which one can already look
        from lenet_digits import LANDSCAPE_STEPS, PROFILED_STEPS, training

        torch.set_num_threads(1)  # the networks are too small for more, and the viewer wants a core
        directories = [room / f"lenet-lr{rate}" for rate in PEAK_LEARNING_RATES]
        runs: list[Generator[int]] = []
        for directory, rate in zip(directories, PEAK_LEARNING_RATES, strict=True):
            extra = {"is_profiled": rate == PROFILED_RATE, "is_debugged": rate == DEBUGGED_RATE}
            runs.append(stack.enter_context(closing(training(str(directory), seconds, 0, rate, **extra))))
        for _ in range(PROFILED_STEPS):
            next(runs[0])
        guide.show(
            "/profile", "Profiling: where the time goes, and what to change", run=f"{name}/{directories[0].name}"
        )
        landscape: subprocess.Popen[bytes] | None = None
        while runs:
            steps = [next(run, None) for run in runs]
            runs = [run for run, step in zip(runs, steps, strict=True) if step is not None]
            next(rest, None)
            if landscape is None and (not runs or LANDSCAPE_STEPS[-1] + 1 in steps):
                landscape = stack.enter_context(child(*landscape_arguments(directories[1]), niceness=15))
        for _ in rest:
            time.sleep(0.1)
        if landscape is not None:
            landscape.wait()
            guide.show("/landscape", "Loss landscape: drag to turn it", run=f"{name}/{directories[1].name}")


def main() -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--seconds", type=float, default=20)
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
    print(
        f"\n  Trainings write to {arguments.base_dir}; stop everything with Ctrl-C. Click what is ready:\n", flush=True
    )
    guide = Guide(arguments.port)
    guide.show("/scalars", f"Scalars: three LeNet-5 train for {arguments.seconds:.0f} seconds, live", smoothing="0.9")
    train_side_by_side(arguments.base_dir, arguments.seconds, guide)
    if not arguments.exit:
        print("\n  All trainings are over, the viewer serves on until Ctrl-C", flush=True)
        viewer.wait()


if __name__ == "__main__":
    main()
