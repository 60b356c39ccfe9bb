# SPDX-License-Identifier: Apache-2.0
"""``mindscope landscape`` over several runs: one plane, the losses once, a path for each run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.reading import open_run
from tests.cli.conftest import CommandLine

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from mindscope.torch import LandscapeCollector, common_landscapes  # noqa: E402

pytestmark = pytest.mark.framework

PROGRAM = '''
"""The program of a user."""
import torch
from torch import nn

def make_network(hidden=3):
    return nn.Sequential(nn.Linear(2, hidden), nn.BatchNorm1d(hidden), nn.Tanh(), nn.Linear(hidden, 2))

def make_batches():
    inputs = torch.linspace(-1, 1, 32).reshape(16, 2)
    return [(inputs, (inputs[:, 0] > 0).long())]
'''
MINDSPORE = Path(__file__).parents[1] / "data" / "mindspore" / "landscape" / "unit_step"
FUNCTIONS = ("--model", "users_networks:make_network", "--data", "users_networks:make_batches")
LOSS = ("--loss", "torch.nn:CrossEntropyLoss")
TAG = "landscape_[1, 4]_common_"


def network_of(hidden: int = 3) -> nn.Module:
    return nn.Sequential(nn.Linear(2, hidden), nn.BatchNorm1d(hidden), nn.Tanh(), nn.Linear(hidden, 2))


def train(
    directory: Path, seed: int, network: nn.Module | None = None, intervals: Sequence[Sequence[int]] = ()
) -> None:
    """Four steps of a real training."""
    torch.manual_seed(seed)
    network = network or network_of()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.5)
    inputs = torch.linspace(-1, 1, 32).reshape(16, 2)
    labels = (inputs[:, 0] > 0).long()
    with LandscapeCollector(directory, intervals=intervals or [[1, 2, 3, 4]], landscape_size=5) as collector:
        for _ in range(4):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(inputs), labels).backward()
            optimizer.step()
            collector.step(network)


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    """Two trainings in the current directory of the command, and the user's program beside them."""
    (tmp_path / "users_networks.py").write_text(PROGRAM)
    for seed, name in enumerate(("a", "b")):
        train(tmp_path / "runs" / name, seed)
    return "runs/a", "runs/b"


def read(directory: Path) -> Any:
    """The only landscape of a run."""
    ((tag, found),) = open_run(directory).landscapes().items()
    assert tag == f"{TAG}{found.facts.plane_id[:8]}"
    return found


def test_each_run_has_its_path_on_one_plane(mindscope: CommandLine, runs: tuple[str, str], tmp_path: Path) -> None:
    printed = mindscope("landscape", *runs, *FUNCTIONS, *LOSS, "--sharpness").stdout
    assert re.findall(rf"{re.escape(TAG)}[0-9a-f]{{8}} written to (\S+)", printed) == ["runs/a", "runs/b"]
    assert printed.count("eigenvalues") == 2
    assert printed.count("normalization re_estimated") == 2
    first, second = (read(tmp_path / run) for run in runs)
    assert first.facts.plane_id == second.facts.plane_id != ""
    for axis in ("x", "y", "z"):
        np.testing.assert_array_equal(getattr(first, axis), getattr(second, axis))
    assert first.path_intervals == second.path_intervals == (1, 2, 3, 4)
    assert not np.allclose(first.path_x, second.path_x)
    for found in (first, second):
        assert found.convergence_point == pytest.approx((found.path_x[-1], found.path_y[-1], found.path_z[-1]))
        assert len(found.facts.path_distances) == len(found.facts.path_lengths) == 4
    assert second.convergence_point[:2] == pytest.approx((0, 0), abs=1e-5)  # the plane goes through it


def test_the_path_of_a_run_has_the_losses_of_its_training(runs: tuple[str, str], tmp_path: Path) -> None:
    """The last checkpoint of the last run is the origin of the plane: its loss is that of the network itself."""
    from mindscope.torch.core.weight_files import read_weights

    inputs = torch.linspace(-1, 1, 32).reshape(16, 2)
    labels = (inputs[:, 0] > 0).long()
    network = network_of()
    directories = [tmp_path / run for run in runs]
    *_, last = common_landscapes(
        network, nn.functional.cross_entropy, [(inputs, labels)], directories, normalization="as_trained"
    )
    network.load_state_dict(read_weights(next((tmp_path / "runs/b/ckpt_dir").glob("*_4_step.safetensors"))))
    want = nn.functional.cross_entropy(network.eval()(inputs), labels).detach()
    assert last.convergence_point is not None
    assert last.convergence_point[2] == pytest.approx(float(want), rel=1e-4)
    assert last.facts is not None
    assert last.facts.path_distances is not None
    assert last.facts.path_distances[-1] == pytest.approx(0, abs=1e-4)


def test_another_network_is_refused_by_run_and_parameter(
    mindscope: CommandLine, runs: tuple[str, str], tmp_path: Path
) -> None:
    train(tmp_path / "runs" / "wide", 2, network_of(hidden=5))
    train(tmp_path / "runs" / "deep", 3, nn.Sequential(network_of(), nn.Linear(2, 2)))
    train(tmp_path / "runs" / "more", 4, nn.Sequential(*network_of(), nn.Linear(2, 2)))
    said = mindscope("landscape", "runs/a", "runs/wide", *FUNCTIONS, *LOSS, want=1).stderr
    assert "run runs/wide trains another network than runs/a: 0.bias is [5] instead of [3]" in said
    said = mindscope("landscape", "runs/a", "runs/deep", *FUNCTIONS, *LOSS, want=1).stderr
    assert "run runs/deep trains another network than runs/a: it has no 0.bias" in said
    said = mindscope("landscape", "runs/a", "runs/more", *FUNCTIONS, *LOSS, want=1).stderr
    assert "run runs/more trains another network than runs/a: it also has 4.bias, it also has 4.weight" in said
    assert [path.name for path in (tmp_path / "runs/a").iterdir()] == ["ckpt_dir"]


def test_what_several_runs_cannot_have_is_said(mindscope: CommandLine, runs: tuple[str, str], tmp_path: Path) -> None:
    said = mindscope("landscape", "runs/a", "runs/../runs/a", *FUNCTIONS, *LOSS, want=1).stderr
    assert "is given twice" in said
    said = mindscope("landscape", *runs, *FUNCTIONS, *LOSS, "--method", "line", want=2).stderr
    assert "line takes one run" in said
    said = mindscope("landscape", *runs, "none", *FUNCTIONS, *LOSS, want=1).stderr
    assert "none/ckpt_dir/train_metadata.json: no such file" in said
    said = mindscope("landscape", "runs/a", str(MINDSPORE), *FUNCTIONS, *LOSS, want=1).stderr
    assert "MLP_12_step.ckpt" in said
    assert "SummaryLandscape of mindscope.mindspore reads those of MindSpore" in said
    train(tmp_path / "runs" / "c", 5, intervals=[[1, 2, 3], [2, 3, 4]])
    said = mindscope("landscape", "runs/c", "runs/a", *FUNCTIONS, *LOSS, "--interval", "2", want=1).stderr
    assert "runs/a: interval is 2, want one of 1 (1: 1 to 4)" in said


def test_a_run_whose_weights_are_nan_is_named(mindscope: CommandLine, runs: tuple[str, str], tmp_path: Path) -> None:
    broken = network_of()
    with torch.no_grad():
        next(iter(broken.parameters())).fill_(float("nan"))
    train(tmp_path / "runs" / "broken", 0, broken)
    said = mindscope("landscape", *runs, "runs/broken", *FUNCTIONS, *LOSS, want=1).stderr
    assert "runs/broken/ckpt_dir/Sequential_1_step.safetensors" in said
    assert "weights have NaN or Infinity" in said


def test_event_files_go_into_a_directory_for_each_run(
    mindscope: CommandLine, runs: tuple[str, str], tmp_path: Path
) -> None:
    """Runs of equal names don't meet in one directory."""
    train(tmp_path / "more" / "a", 3)
    mindscope("landscape", "runs/a", "more/a", *FUNCTIONS, *LOSS, "--output", "planes", "--size", "4")
    found = [read(tmp_path / "planes" / name / "a") for name in ("runs", "more")]
    assert found[0].facts.plane_id == found[1].facts.plane_id
    assert found[0].z.shape == (4, 4)
    assert [path.name for path in (tmp_path / "runs/a").iterdir()] == ["ckpt_dir"]


def test_a_run_keeps_its_planes_with_several_others(
    mindscope: CommandLine, runs: tuple[str, str], tmp_path: Path
) -> None:
    train(tmp_path / "runs" / "c", 2)
    mindscope("landscape", "runs/a", "runs/b", *FUNCTIONS, *LOSS)
    mindscope("landscape", "runs/a", "runs/c", *FUNCTIONS, *LOSS)
    tags = {name: {*open_run(tmp_path / "runs" / name).landscapes()} for name in "abc"}
    assert len(tags["a"]) == 2
    assert tags["b"] | tags["c"] == tags["a"]


def test_planes_of_other_checkpoints_have_other_ids(runs: tuple[str, str], tmp_path: Path) -> None:
    inputs = torch.linspace(-1, 1, 32).reshape(16, 2)
    data = [(inputs, (inputs[:, 0] > 0).long())]
    a, b = (tmp_path / run for run in runs)

    def plane(*directories: Path, **options: Any) -> str:
        found = common_landscapes(network_of(), nn.functional.cross_entropy, data, directories, **options)
        assert found[0].facts is not None
        return found[0].facts.plane_id

    assert plane(a, b) == plane(a, b, size=4, num_samples=8)
    assert plane(a, b) != plane(b, a)
