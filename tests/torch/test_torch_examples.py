# SPDX-License-Identifier: Apache-2.0
"""The documents' examples, each run as a program on little data."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

import mindscope
from mindscope.torch.core.context import CONTEXT

pytestmark = pytest.mark.framework
EXAMPLES = Path(__file__).parents[2] / "examples"
STEPS = [1, 2, 3, 4]  # of 128 samples in batches of 32


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(name: str, *flags: str) -> str:
        monkeypatch.setattr(sys, "argv", [name, "--count", "128", *flags])
        monkeypatch.syspath_prepend(EXAMPLES)
        torch.manual_seed(1)
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_collector(run: Callable[..., str], tmp_path: Path) -> None:
    shown = run("torch_summary_1.py", "--summary-dir", str(tmp_path))
    assert shown.count("loss is") == 4
    assert "{'Accuracy': " in shown
    read = mindscope.open_run(tmp_path)
    assert list(read.scalars("loss/auto").step) == STEPS
    names = [f"conv{number}.{part}/auto" for number in (1, 2) for part in ("weight", "bias")]
    assert set(read.tags("histogram")) == set(names)
    assert not read.tags("image")
    assert read.dataset_graph is not None
    assert read.lineage.train is None


def test_summary_operators(run: Callable[..., str], tmp_path: Path) -> None:
    run("torch_summary_2.py", "--summary-dir", str(tmp_path))
    read = mindscope.open_run(tmp_path)
    assert list(read.tags("image")) == ["Image"]
    assert list(read.tags("tensor")) == ["Tensor"]
    assert list(read.scalars("loss/auto").step) == STEPS


def test_own_callback(run: Callable[..., str], tmp_path: Path) -> None:
    run("torch_summary_3.py", "--summary-dir", str(tmp_path))
    read = mindscope.open_run(tmp_path)
    assert list(read.scalars("loss").step) == STEPS
    assert list(read.tags("image")) == ["image0"]


def test_own_loop(run: Callable[..., str], tmp_path: Path) -> None:
    run("torch_summary_4.py", "--summary-dir", str(tmp_path / "own"))
    own = mindscope.open_run(tmp_path / "own")
    assert list(own.scalars("loss").step) == [2, 4, 6, 8]
    assert list(own.graphs()) == ["LeNet5"]
    assert list(mindscope.open_run(tmp_path / "own_collector").scalars("loss/auto").step) == [1, 2, 4, 6, 8]


def test_gradients(run: Callable[..., str], tmp_path: Path) -> None:
    run("torch_summary_gradients.py", "--summary-dir", str(tmp_path))
    read = mindscope.open_run(tmp_path)
    assert "conv1.weight.gradient" in read.tags("histogram")
    assert len(read.tags("histogram")) == 10
    assert not read.tags("scalar")


def test_own_callbacks(run: Callable[..., str], tmp_path: Path) -> None:
    shown = run("torch_custom_callback.py", "--directory", str(tmp_path), "--minutes", "0.005")
    assert "Save the maximum accuracy checkpoint" in shown
    assert "epoch:  " in shown.splitlines()[-1]
    assert list(tmp_path.glob("0.*.ckpt"))


def test_metrics(run: Callable[..., str]) -> None:
    shown = run("torch_custom_metrics.py")
    assert "Accuracy is 0.6667\n" in shown
    assert [line.split()[0] for line in shown.splitlines() if line[0].islower()] == [
        "accuracy", "loss", "precision", "recall", "f1_score"
    ]  # fmt: skip


def test_callbacks_from_before_the_collector(run: Callable[..., str], tmp_path: Path) -> None:
    run("torch_legacy_summary.py", "--summary-dir", str(tmp_path))
    read = mindscope.open_run(tmp_path)
    assert list(read.scalars("loss").step) == [2, 4, 6, 8]
    assert list(read.scalars("learning_rate").step) == [2, 4, 6, 8]
    assert set(read.tags("histogram")) == {"conv1.weight", "conv1.weight.gradient"}
    assert list(read.graphs()) == ["LeNet5"]
    assert read.lineage.train is not None
    assert read.lineage.train.optimizer == "MyOptimizer"
    assert read.lineage.eval is not None


@pytest.fixture
def context() -> Iterator[None]:
    yield
    CONTEXT.device, CONTEXT.running_data = None, {}


@pytest.mark.usefixtures("context")
def test_collector_with_its_defaults(run: Callable[..., str], tmp_path: Path) -> None:
    run("torch_summary_collector.py", "--summary-dir", str(tmp_path / "run"), "--device-target", "CPU")
    read = mindscope.open_run(tmp_path / "run")
    assert list(read.scalars("loss/auto").step) == [1]
    assert list(read.tags("image")) == ["input_data/auto"]
    assert read.lineage.train is not None
    specified = mindscope.open_run(tmp_path / "run_specified")
    assert not specified.tags("scalar")
    assert set(specified.tags("histogram")) == {"conv1.weight/auto", "conv1.bias/auto"}
    assert list(specified.tags("image")) == ["input_data/auto"]


def test_list_of_callbacks(run: Callable[..., str], tmp_path: Path) -> None:
    shown = run("torch_callbacks.py", "--summary-dir", str(tmp_path / "run"), "--directory", str(tmp_path / "saved"))
    assert shown.count("loss is") == 8
    saved = sorted((tmp_path / "saved").glob("CKP-*.ckpt"))
    lineage = mindscope.open_run(tmp_path / "run").lineage
    assert lineage.train is not None
    assert lineage.train.model_path == str(saved[-1].resolve())


def test_print(run: Callable[..., str]) -> None:
    assert run("torch_print.py").startswith(
        "print Tensor x and Tensor y:\nTensor(shape=[2, 1], dtype=Int32, value=\n[[1]"
    )


@pytest.mark.usefixtures("context")
def test_running_data(run: Callable[..., str], tmp_path: Path) -> None:
    assert run("torch_running_data.py", "--directory", str(tmp_path)).startswith("Run task error; see ")
    assert list((tmp_path / "rank_0" / "rdr").glob("TORCH.graph_build.0.*.pb"))


def test_profiler(run: Callable[..., str], tmp_path: Path) -> None:
    shown = run("torch_profiler.py", "--output-path", str(tmp_path / "data"))
    assert shown.startswith("profiled 4 steps (1 to 4)")
    (file,) = (tmp_path / "data").glob("*.pt.trace.json")
    events = json.loads(file.read_text("utf-8"))["traceEvents"]
    assert {"aten::conv2d", "aten::convolution_backward"} <= {event["name"] for event in events}


def test_each_example_is_run_here() -> None:
    tested = Path(__file__).read_text("utf-8") + (Path(__file__).parent / "test_distributed.py").read_text("utf-8")
    scripts = {file.name for file in EXAMPLES.glob("torch_*.py")} - {"torch_lenet.py"}
    assert not {name for name in scripts if name not in tested}
