# SPDX-License-Identifier: Apache-2.0
"""The documents' examples, each run as a program on little data."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mindscope
from tests.server.live_viewer import free_port

mindspore: Any = pytest.importorskip("mindspore")
pytestmark = [pytest.mark.framework, pytest.mark.timeout(600)]
EXAMPLES = Path(__file__).parents[2] / "examples"
STEPS = [1, 2, 3, 4]  # of 128 samples in batches of 32


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], mindscope.Run]:
    def run(name: str) -> mindscope.Run:
        monkeypatch.setattr(sys, "argv", [name, "--count", "128", "--summary-dir", str(tmp_path)])
        monkeypatch.syspath_prepend(EXAMPLES)
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return mindscope.open_run(tmp_path)

    return run


def test_collector(run: Callable[[str], mindscope.Run]) -> None:
    read = run("mindspore_summary_1.py")
    assert list(read.scalars("loss/auto").step) == STEPS
    assert set(read.tags("histogram")) == {"conv1.weight/auto", "conv2.weight/auto"}
    assert not read.tags("image")
    assert len(read.graphs()) == 1
    assert read.dataset_graph is not None
    assert read.lineage.train is None


def test_summary_operators(run: Callable[[str], mindscope.Run]) -> None:
    read = run("mindspore_summary_2.py")
    assert list(read.tags("image")) == ["Image"]
    assert list(read.images("Image").step) == STEPS
    assert list(read.tags("tensor")) == ["Tensor"]
    assert list(read.scalars("loss/auto").step) == STEPS


def test_own_callback(run: Callable[[str], mindscope.Run]) -> None:
    read = run("mindspore_summary_3.py")
    assert list(read.scalars("loss").step) == STEPS
    assert list(read.images("image0").step) == STEPS


def test_own_loop(run: Callable[[str], mindscope.Run]) -> None:
    read = run("mindspore_summary_4.py")
    assert list(read.scalars("loss").step) == [2, 4, 6, 8]
    assert len(read.graphs()) == 1


def test_callbacks_from_before_the_collector(run: Callable[[str], mindscope.Run]) -> None:
    read = run("mindspore_legacy_summary.py")
    assert list(read.scalars("loss").step) == [2, 4]
    assert len(read.graphs()) == 1
    train = read.lineage.train
    assert train is not None
    assert (train.optimizer, train.network, train.epoch, train.batch_size) == ("Momentum", "LeNet5", 1, 32)
    assert train.learning_rate == pytest.approx(0.01)
    assert read.lineage.eval is not None
    assert list(read.lineage.eval.metric or {}) == ["Accuracy"]


def test_gradients(run: Callable[[str], mindscope.Run]) -> None:
    read = run("mindspore_summary_gradients.py")
    assert "conv1.weight.gradient" in read.tags("histogram")
    assert list(read.histograms("fc3.bias.gradient").step) == [1]


def launch_two_ranks(directory: Path) -> tuple[int, str]:
    """The exit status of the distributed example, and what its processes printed."""
    command = [
        str(Path(sys.executable).with_name("msrun")), "--worker_num=2", "--local_worker_num=2", "--join=True",
        "--master_addr=127.0.0.1", f"--master_port={free_port()}", f"--log_dir={directory / 'logs'}",
        str(EXAMPLES / "mindspore_distributed.py"), "--count", "128", "--summary-dir", str(directory / "summary_dir"),
    ]  # fmt: skip
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=250, check=False)
    logs = "\n".join(file.read_text("utf-8", "replace") for file in directory.glob("logs/worker_*.log"))
    return done.returncode, done.stdout + done.stderr + logs


def test_each_rank_has_its_directory(tmp_path: Path) -> None:
    status, printed = launch_two_ranks(tmp_path)
    if "Repeated registration node" in printed:
        # MindSpore lost the answer to a worker's registration, asked again after 15 s and refused itself:
        # no line of the training has run
        assert not list(tmp_path.glob("summary_dir*"))
        status, printed = launch_two_ranks(tmp_path)
    assert status == 0, printed[-8000:]
    assert sorted(mindscope.open_runs(tmp_path)) == ["summary_dir0", "summary_dir1"]
    for number in range(2):
        read = mindscope.open_run(tmp_path / f"summary_dir{number}")
        assert list(read.scalars("loss/auto").step) == STEPS
        assert read.lineage.eval is not None
        (file,) = (tmp_path / f"summary_dir{number}").glob("*_MS")
        assert file.name.split(".")[5] == str(number)
