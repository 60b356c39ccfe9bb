# SPDX-License-Identifier: Apache-2.0
"""The overview of a profile, and the difference of two."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindscope.errors import ProfilePartError
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from tests.profile.kineto_events import Events


def training(
    directory: Path, *, product: float = 20, others: tuple[str, ...] = ("aten::add",), steps: int = 2
) -> Profile:
    """Steps of 100 us: ``aten::mm`` in a module, and other operators of 10 us."""
    events = Events()
    for step in range(steps):
        begin = 100 * step
        events.step(step, begin, 100)
        events.add("python_function", "nn.Module: Linear_0", begin, product + 1)
        events.op("aten::mm", begin, product)
        for place, name in enumerate(others):
            events.op(name, begin + 50 + 12 * place, 10)
    directory.mkdir(exist_ok=True)
    return events.read(directory)


def test_an_overview_has_the_split_and_the_greatest_operators(tmp_path: Path) -> None:
    overview = overview_of(training(tmp_path))
    assert (overview.steps, overview.step_time) == (2, 100_000)
    assert overview.parts["compute"] == pytest.approx(0.3)
    assert sum(overview.parts.values()) == pytest.approx(1)
    assert overview.operators is not None
    assert [(row["name"], row["host_self"], row["share"]) for row in overview.operators.rows(1)] == [
        ("aten::mm", 40_000, pytest.approx(2 / 3))
    ]
    assert overview.kernels is None
    found = json.loads(json.dumps(overview.to_json(top=1)))
    assert [row["share"] for row in found["operators"]] == [pytest.approx(2 / 3)], "of all, not of the listed"
    assert found["missing"]["kernels"]["remedy"].startswith("activities=")


def test_a_peak_says_what_lives_then(tmp_path: Path) -> None:
    events = Events()
    events.add("user_annotation", "Optimizer.step#Adam.step", 0, 30)
    events.op("aten::zeros_like", 1, 10)
    events.memory(2, 300, 64, 300, device=0)
    events.memory(40, 100, 128, 400, device=0)
    events.memory(50, -300, 64, 100, device=0)
    (peak,) = overview_of(events.read(tmp_path)).peaks
    assert (peak.device, peak.time, peak.allocated) == ("GPU 0", 40_000, 400)
    assert peak.by_category == {"optimizer_state": 300, "other": 100}


def test_a_difference_names_what_was_added_and_what_became_slower(tmp_path: Path) -> None:
    before = training(tmp_path / "a", product=20, others=("aten::add", "aten::gone"))
    after = training(tmp_path / "b", product=30, others=("aten::add", "aten::new"), steps=4)
    found = before.diff(after)
    got = {row["name"]: (row["state"], row["module"], row["change"], row["share"]) for row in found.operators.rows()}
    assert got == {
        "aten::mm": ("slower", "Linear_0", 10_000, pytest.approx(0.1)),
        "aten::gone": ("gone", "", -10_000, pytest.approx(-0.1)),
        "aten::new": ("added", "", 10_000, pytest.approx(0.1)),
        "aten::add": ("unchanged", "", 0, 0),
    }
    assert found.parts["compute"] == (40_000, 50_000, 0)
    assert {row["state"] for row in after.diff(before).operators.rows()} == {"added", "gone", "faster", "unchanged"}


def test_steps_of_a_profile_are_a_profile(tmp_path: Path) -> None:
    events = Events()
    events.add("python_function", "train.py(1): <module>", 0, 400)
    for step in range(4):
        begin = 100 * step
        events.step(step, begin, 100)
        events.op("aten::mm", begin + 10, 20 if step < 2 else 40, External_id=step + 1)
        events.launch(begin + 15, 2, step + 1, External_id=step + 1)
        events.kernel("gemm", begin + 90, 20 if step < 2 else 40, step + 1)  # ends in the next step
        events.memory(begin + 16, 64, 64 * (step + 1), 64)
    profile = events.read(tmp_path)
    first, second = profile.select_steps(0, 1), profile.select_steps(2, 3)
    assert first.steps.number.tolist() == [0, 1]
    assert first.kernels.total.tolist() == [40_000]
    assert second.kernels.total.tolist() == [80_000]
    assert first.operators.device_total is not None
    assert first.operators.device_total.tolist() == [40_000]
    assert first.operators.count.tolist() == [2]
    assert first.operators.stack is not None
    assert list(first.operators.stack) == ["train.py(1): <module>"]
    assert len(first.memory.curve) == 2
    changes = first.diff(second).operators
    assert [(row["name"], row["state"], row["change"]) for row in changes.rows()] == [("aten::mm", "slower", 20_000)]
    with pytest.raises(ProfilePartError, match="has no step from 7 to 8: it has 0 to 3"):
        profile.select_steps(7, 8)


def test_profiles_without_operators_have_no_difference(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(ProfilePartError, match="has no operators"):
        Events().read(tmp_path / "a").diff(training(tmp_path / "b"))


def test_a_range_of_the_timeline_has_the_slices_that_touch_it(tmp_path: Path) -> None:
    profile = training(tmp_path)
    whole = profile.timeline()
    assert len(whole) == len(profile.trace.slices if profile.trace else [])
    part = profile.timeline(10_000, 20_000)
    assert sorted(part.name) == ["ProfilerStep#0", "aten::mm", "nn.Module: Linear_0"]
    assert set(part.category) == {"user_annotation", "cpu_op", "python_function"}
    assert part.to_pandas()["duration"].max() == 100_000
