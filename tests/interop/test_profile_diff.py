# SPDX-License-Identifier: Apache-2.0
"""The difference of two real trainings: one layer is wider, and a value of each step is read."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from mindscope.profile.compare import ProfileDiff, diff_profiles
from mindscope.profile.open import read_profile
from mindscope.torch import Profiler

pytestmark = [pytest.mark.framework, pytest.mark.timeout(300)]
STEPS = 16
"""An interrupted step must not be more than the wider layer: its time is divided by the number of steps."""
HALF = STEPS // 2


def train(directory: Path, hidden: int, *, reads_loss: bool) -> None:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, 10))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    inputs, labels = torch.randn(2048, 64), torch.randint(10, (2048,))
    with Profiler(output_path=directory, schedule={"wait": 2, "active": STEPS}, is_show_op_path=True) as profiler:
        for _ in range(3 + STEPS):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(inputs), labels)
            loss.backward()
            optimizer.step()
            if reads_loss:
                loss.item()
            profiler.step()


def linear(diff: ProfileDiff, number: int) -> str:
    module = f"Sequential_0/Linear_{number}"
    return next(
        row["state"] for row in diff.operators.rows() if (row["name"], row["module"]) == ("aten::addmm", module)
    )


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    narrow, wide = (tmp_path_factory.mktemp(name) for name in ("narrow", "wide"))
    train(narrow, 64, reads_loss=False)
    train(wide, 4096, reads_loss=True)
    torch.set_num_threads(threads)
    return narrow, wide


def test_a_wider_layer_and_an_added_read_are_found(profiles: tuple[Path, Path]) -> None:
    before, after = (read_profile(each) for each in profiles)
    diff = diff_profiles(before, after)
    assert diff.notes == []
    assert diff.step.after > diff.step.before
    assert (linear(diff, 1), linear(diff, 2)) == ("slower", "slower")
    assert linear(diff, 0) in ("unchanged", "slower", "faster")
    states = {(row["name"], row["state"]) for row in diff.operators.rows()}
    assert {("aten::item", "added"), ("aten::_local_scalar_dense", "added")} <= states
    assert {name for name, state in states if state in ("added", "gone")} == {"aten::item", "aten::_local_scalar_dense"}
    assert diff.peaks["CPU"].after > diff.peaks["CPU"].before
    assert diff.calls is not None
    changes = (diff.calls.total_after - diff.calls.total_before)[diff.calls.parent < 0]
    assert changes.sum() == pytest.approx(diff.step.after - diff.step.before, abs=1000)
    modules = {row["name"]: row for row in diff.calls.rows() if row["kind"] == "module"}
    wider = modules["Linear_1"]["total_after"] - modules["Linear_1"]["total_before"]
    assert wider > 0
    assert next(row["state"] for row in diff.calls.rows() if row["name"] == "aten::item") == "added"


def test_ranges_of_steps_of_one_training_are_alike(profiles: tuple[Path, Path]) -> None:
    profile = read_profile(profiles[0])
    first = int(profile.steps.number[0])
    diff = diff_profiles(profile, profile, (first, first + HALF - 1), (first + HALF, first + STEPS - 1))
    assert (diff.steps_before, diff.steps_after) == (HALF, HALF)
    assert {row["state"] for row in diff.operators.rows()} <= {"unchanged", "slower", "faster"}
