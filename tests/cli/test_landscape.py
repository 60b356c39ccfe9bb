# SPDX-License-Identifier: Apache-2.0
"""``mindscope landscape`` over a run that a LandscapeCollector kept, with the program of a user."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.reading import open_run
from tests.cli.conftest import CommandLine

torch = pytest.importorskip("torch")
from mindscope.torch import LandscapeCollector  # noqa: E402

pytestmark = pytest.mark.framework

PROGRAM = '''
"""The program of a user: a network of four weights whose loss is a paraboloid."""
import os, signal, time
import torch
from torch import nn

class Four(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(4))

    def forward(self, rows):
        return rows * self.weight

def batches():
    return [(torch.ones(5, 4), torch.zeros(5, 4))]

def loss(output, label):
    return (output - label).pow(2).sum(-1).mean()

def of_another():
    return nn.Linear(3, 3)

def interrupting(output, label):
    interrupting.calls += 1
    if interrupting.calls == 30:
        os.kill(os.getpid(), int(os.environ["SIGNAL"]))
    return loss(output, label)

interrupting.calls = 0

def failing(output, label):
    raise ArithmeticError("mine")
'''
FUNCTIONS = ("--model", "users_landscape:Four", "--data", "users_landscape:batches", "--loss", "users_landscape:loss")


@pytest.fixture
def run(tmp_path: Path) -> str:
    """A run in the current directory of the command, and the user's program beside it."""
    (tmp_path / "users_landscape.py").write_text(PROGRAM)
    network = torch.nn.Module()
    network.weight = torch.nn.Parameter(torch.zeros(4))
    with LandscapeCollector(tmp_path / "run", intervals=[[1, 2, 3, 4]], landscape_size=5) as collector:
        for point in ((4, 0, 0, 1), (3, 1, 2, 1), (2, 3, 1, 1), (1, 2, 0, 2)):
            with torch.no_grad():
                network.weight.copy_(torch.tensor(point))
            collector.step(network)
    return "run"


def surface(directory: Path, tag: str) -> np.ndarray:
    found: Any = open_run(directory).landscapes()[tag]
    return np.asarray(found.z)


def test_a_landscape_of_the_path(mindscope: CommandLine, run: str, tmp_path: Path) -> None:
    printed = mindscope("landscape", run, *FUNCTIONS, "--sharpness").stdout
    lines = dict(line.split(maxsplit=1) for line in printed.splitlines())
    assert printed.startswith("landscape_[1, 4] written to run\n")
    z = surface(tmp_path / "run", "landscape_[1, 4]")
    assert z.shape == (5, 5)
    assert lines["loss"] == f"{z.min():.6g} to {z.max():.6g} on 5 x 5 points"
    assert lines["data"] == "5 samples, normalization as_trained, seed 0"
    assert lines["off"].startswith("plane    at most ")
    assert lines["eigenvalues"] == "2, 2 of the Hessian at step 4"
    assert lines["trace"] == "8"


def test_options_reach_the_computation(mindscope: CommandLine, run: str, tmp_path: Path) -> None:
    options = ("--method", "line", "--size", "7", "--samples", "3", "--seed", "5", "--output", "other", "--full")
    printed = mindscope("landscape", run, *FUNCTIONS, *options, "--normalization", "re_estimated").stdout
    assert "landscape_[1, 4]_line written to other" in printed
    assert "3 samples, normalization re_estimated, seed 5" in printed
    assert surface(tmp_path / "other", "landscape_[1, 4]_line").shape == (1, 7)


def test_one_interval_of_the_collector(mindscope: CommandLine, run: str, tmp_path: Path) -> None:
    file = tmp_path / "run" / "ckpt_dir" / "train_metadata.json"
    text = file.read_text()
    file.write_text(text.replace('{"0": [1, 2, 3, 4]}', '{"0": [1, 2, 3], "1": [2, 3, 4]}'))
    assert file.read_text() != text
    printed = mindscope("landscape", run, *FUNCTIONS, "--interval", "2").stdout
    assert printed.startswith("landscape_[2, 4] written to run\n")
    said = mindscope("landscape", run, *FUNCTIONS, "--interval", "3", want=1).stderr
    assert "interval is 3, want one of 2 (1: 1 to 3, 2: 2 to 4)" in said


@pytest.mark.parametrize("executor", ["local", "dask", "ray"])
def test_workers_compute_the_same(mindscope: CommandLine, run: str, tmp_path: Path, executor: str) -> None:
    if package := {"dask": "distributed", "ray": "ray"}.get(executor):
        pytest.importorskip(package)
    mindscope("landscape", run, *FUNCTIONS)
    mindscope("landscape", run, *FUNCTIONS, "--output", "theirs", "--executor", executor, "--workers", "1")
    here, there = (surface(tmp_path / name, "landscape_[1, 4]") for name in ("run", "theirs"))
    np.testing.assert_allclose(there, here, rtol=1e-6)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (("--model", "nowhere:make"), "no module 'nowhere' in "),
        (("--model", "users_landscape:batches"), "returned list, want a torch.nn.Module"),
        (("--model", "users_landscape:of_another"), "it is of another network"),
        (("--data", "users_landscape:Four"), "returned Four, want batches such as a DataLoader"),
        (("--loss", "users_landscape:mse"), "users_landscape has no 'mse'"),
        (("--loss", "users_landscape:failing"), "ArithmeticError: mine"),
    ],
)
def test_what_is_wrong_with_the_program_is_said(
    mindscope: CommandLine, run: str, changed: tuple[str, str], text: str
) -> None:
    place = FUNCTIONS.index(changed[0])
    given = [*FUNCTIONS[:place], *changed, *FUNCTIONS[place + 2 :]]
    said = mindscope("landscape", run, *given, want=1).stderr
    assert text in said
    assert said.startswith("mindscope: ")


def test_what_is_wrong_with_the_run_is_said(mindscope: CommandLine, run: str, tmp_path: Path) -> None:
    said = mindscope("landscape", "nothing", *FUNCTIONS, want=1).stderr
    assert "no such file; first train with a collector that keeps weights for landscapes" in said
    assert not (tmp_path / "nothing").exists()
    said = mindscope("landscape", "nothing", "--model", "a.py:make", "--data", "a:b", want=2).stderr
    assert "is not pkg.module:function" in said


def test_a_refused_argument_is_said_without_a_class_of_python(mindscope: CommandLine, run: str) -> None:
    said = mindscope("landscape", run, *FUNCTIONS, "--interval", "3", want=1).stderr
    assert said.startswith("mindscope: ")
    assert "interval is 3" in said
    assert "Error" not in said


def test_a_missing_package_is_said(mindscope: CommandLine, run: str, tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError('hides an installed Ray')")
    said = mindscope("landscape", run, *FUNCTIONS, "--executor", "ray", want=1).stderr
    assert said == "mindscope: --executor ray needs ray, which is not installed: pip install ray.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_was_computed(
    mindscope: CommandLine, run: str, tmp_path: Path, number: signal.Signals
) -> None:
    given = [*FUNCTIONS[:-1], "users_landscape:interrupting", "--full", "--size", "12"]
    command = [sys.executable, "-m", "mindscope", "landscape", run, *given]
    environment = {**os.environ, "SIGNAL": str(int(number))}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=250)
    assert done.returncode == 128 + number, done.stderr
    assert "interrupted; the losses until now are kept, and the same command continues" in done.stderr
    assert "Traceback" not in done.stderr
    assert mindscope("landscape", run, *FUNCTIONS, "--full", "--size", "12").returncode == 0
