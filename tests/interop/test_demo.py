# SPDX-License-Identifier: Apache-2.0
"""What `make demo` runs: a real training with the viewer beside it, and nothing left behind after Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import psutil
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import mindscope
from mindscope.annotations import Annotations
from mindscope.lineage.table import Table
from mindscope.profile.advice import advise
from mindscope.reading import Run
from tests.server.live_viewer import free_port

pytestmark = [pytest.mark.framework, pytest.mark.timeout(600)]
EXAMPLES = Path(__file__).parents[2] / "examples"
HIDING = """
from importlib.machinery import PathFinder

find, others = PathFinder.find_spec, {others!r}
PathFinder.find_spec = lambda name, *rest: None if name.partition(".")[0] in others else find(name, *rest)
"""


def wait_for(condition: Callable[[], bool], seconds: float = 200) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def start_demo(base: Path, port: int, *flags: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(EXAMPLES / "demo.py"), "--base-dir", str(base), "--port", str(port), *flags]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=os.environ | environment
    )


def others_than_for_the_demo() -> set[str]:
    """Modules here that neither mindscope nor what `make demo` installs with it asks for."""
    makefile = (EXAMPLES.parent / "Makefile").read_text("utf-8")
    rule = makefile.partition("$(VENV)/.demo:")[2].partition("touch")[0]
    needed = ["mindscope", *re.findall(r"([\w-]+)[=>]=", rule)]
    assert "torch" in needed
    needed.append("optree")  # torch imports it where it is installed, by what the package says of itself
    for name in needed:  # grows
        with suppress(metadata.PackageNotFoundError):
            for line in metadata.requires(name) or ():
                requirement = Requirement(line)
                marker = requirement.marker
                if requirement.name not in needed and (marker is None or marker.evaluate({"extra": ""})):
                    needed.append(requirement.name)
    kept = {canonicalize_name(name) for name in needed}
    modules = metadata.packages_distributions()
    return {module for module, names in modules.items() if kept.isdisjoint(map(canonicalize_name, names))}


def test_training_is_recorded_and_served(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    port, hiding = free_port(), tmp_path_factory.mktemp("hiding")
    others = others_than_for_the_demo()
    assert {"torchmetrics", "lightning", "pandas"} <= others
    (hiding / "sitecustomize.py").write_text(HIDING.format(others=others), "utf-8")
    demo = start_demo(tmp_path, port, "--seconds", "4", "--exit", PYTHONPATH=str(hiding))
    out, _ = demo.communicate(timeout=500)
    assert demo.returncode == 0
    assert "Ctrl-C" in out
    (room,) = [path for path in tmp_path.iterdir() if path.name != ".workspace"]
    clicks = [urlsplit(line) for line in re.findall(rf"^ +(http://127.0.0.1:{port}/\S*)$", out, re.MULTILINE)]
    pages = [click.path for click in clicks]
    assert pages[0] == "/scalars", "it is live while the others are trained"
    assert set(pages) == {"/scalars", "/profile", "/debugger", "/logs", "/graph", "/", "/reports", "/landscape"}
    everything = mindscope.open_runs(tmp_path)
    opened = [run for click in clicks for run in parse_qs(click.query).get("run", ())]
    assert len(opened) == 5
    assert set(opened) <= everything.keys()
    check_failure(everything[f"{room.name}/failed"])
    check_transformer(everything[f"{room.name}/sorting"])
    check_sweep(mindscope.open_runs(room / "sweep").lineage())
    (report,) = parse_qs(clicks[pages.index("/reports")].query)["report"]
    check_report(Annotations(tmp_path / ".workspace", str(tmp_path)), report)
    runs = {name: run for name, run in everything.items() if "lenet" in name}
    assert len(runs) == 3
    check_lineage(room)
    scalars = {"loss/train", "loss/test", "accuracy/train", "accuracy/test", "learning_rate"}
    for run in runs.values():
        assert scalars <= set(run.tags("scalar"))
        assert {"conv1.weight/auto", "gradient/fc3.bias"} <= set(run.tags("histogram"))
        for kind, tag in {"image": "input_data/auto", "tensor": "confusion"}.items():
            assert list(run.tags(kind)) == [tag]
        assert run.tensors("confusion")[0].value.value.sum() == 297
        assert len(run.graphs()) == 1
        assert run.lineage.train is not None
        assert run.lineage.train.dataset_size == 1500
        loss = run.scalars("loss/train").value
        assert len(loss) >= 100
        assert min(loss) < loss[0]
        assert not run.damages
        assert re.search(r"step 1: accuracy 0\.\d+", (run.path / "train.log").read_text("utf-8"))
    (debug,) = [run.debug for name, run in runs.items() if name.endswith("lr0.05")]
    steps = debug.source.steps(0)
    assert len(steps) >= 10
    assert {step % 10 for step in steps} == {1}
    assert {each.module for each in debug.source.tensors} == {"", "conv1", "conv2", "fc1", "fc2", "fc3"}
    assert debug.first_bad() is None
    waiting, cached = next(found for run in runs.values() if (found := run.profiles()))
    assert [each.steps.number.tolist() for each in (waiting, cached)] == [[41, 42, 43, 44, 45], [86, 87, 88, 89, 90]]
    assert {"data_waiting", "no_workers"} & {each.code for each in advise(waiting)}
    rows = [zip(each.operators.name, each.operators.count, strict=True) for each in (waiting, cached)]
    unsqueezed = [sum(count for name, count in operators if name == "aten::unsqueeze") for operators in rows]
    assert unsqueezed[0] - unsqueezed[1] == 5 * 32, "images of five batches are enlarged, and later kept"
    assert {"LeNet5_0", "LeNet5_0/Conv2d_0"} <= set(waiting.modules.path)
    assert waiting.memory.blocks is not None
    (landscapes,) = [found for run in runs.values() if (found := run.landscapes())]
    (landscape,) = landscapes.values()
    assert landscape.z.shape == (24, 24)
    assert np.isfinite(landscape.z).all()
    assert landscape.facts is not None
    assert landscape.facts.points_done == landscape.facts.points_total


def check_failure(run: Run) -> None:
    """The debugger names the operator and the line, and the log ends with the error."""
    bad = run.debug.first_bad()
    assert bad is not None
    assert "aten::log#1 returns -infinity" in bad.text
    assert "cross_entropy_by_hand" in bad.text
    assert "The zeros come from aten::rsub#1" in bad.text
    log = (run.path / "output.log").read_text("utf-8").splitlines()
    assert log[-1].endswith(f"FloatingPointError: the loss is nan at step {bad.step}")
    assert any("Traceback (most recent call last)" in line for line in log)
    assert not run.damages


def check_transformer(run: Run) -> None:
    """Its graph has three equal blocks, and it learns to sort."""
    (graph,) = run.graphs().values()
    assert "module structure" not in graph.name
    assert (graph.summary.blocks, graph.summary.has_edges) == (3, True)
    assert run.scalars("accuracy/train").value[-10:].mean() > 0.9
    assert run.images("attention")[-1].value[0].pixels().max() == 255


def check_sweep(table: Table) -> None:
    """Its settings differ, and so do the results."""
    assert len(table.runs) == 16
    for column in ("learning_rate", "batch_size", "optimizer", "algorithm/network", "custom/width"):
        assert len(set(table.columns[column].cells.tolist())) > 1, column
    accuracy = table.columns["metric/accuracy"].cells
    assert max(accuracy) > 0.9
    assert min(accuracy) < 0.3


def check_report(annotations: Annotations, id: str) -> None:
    """It has texts and cards."""
    blocks = annotations.read().of("report")[id].fields["blocks"]
    assert [bool(block["text"]) for block in blocks] == [True, False, True, False]
    assert [block["address"] is None for block in blocks] == [True, False, True, False]


def check_lineage(room: Path) -> None:
    """Parameters and results of the three LeNets."""
    table = mindscope.open_runs(room).lineage()
    rows = [row for row, run in enumerate(table.runs) if run.startswith("lenet")]
    want = {
        "learning_rate": [0.005, 0.02, 0.05], "batch_size": [32] * 3, "seed": [0] * 3, "optimizer": ["SGD"] * 3,
        "optimizer.momentum": [0.9] * 3, "scheduler": ["LambdaLR"] * 3,
        "algorithm/network": ["LeNet5"] * 3, "model/parameters": [61706] * 3,
        "dataset/train_size": [1500] * 3, "dataset/eval_size": [297] * 3,
    }  # fmt: skip
    assert {id: table.columns[id].cells[rows].tolist() for id in want} == want
    assert all(table.columns[f"metric/{name}"].cells[row] for name in ("accuracy", "loss") for row in rows)


def test_interrupts_leave_no_process_behind(tmp_path: Path) -> None:
    port = free_port()
    demo = start_demo(tmp_path, port, "--seconds", "120")

    def shows_points() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/runs", timeout=30) as answer:
                runs = json.load(answer)["runs"]
        except OSError:
            return False
        return any((run["last_step"] or 0) > 10 for run in runs)

    wait_for(shows_points)
    family = psutil.Process(demo.pid).children(recursive=True)
    assert family
    for _ in range(2):  # an impatient Ctrl-C, and what make passes on of it
        demo.send_signal(signal.SIGINT)
        demo.send_signal(signal.SIGTERM)
    demo.communicate(timeout=120)
    assert demo.returncode == 0
    gone, alive = psutil.wait_procs(family, timeout=60)
    assert not alive
    assert len(gone) == len(family)
    assert not any(run.damages for run in mindscope.open_runs(tmp_path).values())
