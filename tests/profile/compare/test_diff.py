# SPDX-License-Identifier: Apache-2.0
"""Differences of profiles: of random programs, and of ones with a known change."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.errors import ProfilePartError
from mindscope.profile.compare import CallChanges, ProfileDiff, diff_profiles
from mindscope.profile.compare.alignment import NamedTree, align
from mindscope.profile.compare.states import states_of
from mindscope.profile.profile import Profile
from tests.profile.kineto_events import AUTOGRAD, Events


class Call(NamedTuple):
    name: str
    own: int
    """Microseconds."""
    inner: list[Any]
    """Calls within it."""


NAMES = ("aten::mm", "aten::add", "nn.Module: Linear_0", "nn.Module: Linear_1", "Optimizer.step#SGD.step")
calls = st.recursive(
    st.builds(Call, st.sampled_from(NAMES), st.integers(1, 9), st.just([])),
    lambda inner: st.builds(Call, st.sampled_from(NAMES), st.integers(1, 9), st.lists(inner, max_size=4)),
    max_leaves=8,
)
programs = st.tuples(st.lists(calls, min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 20))
"""The calls of a step, the number of steps, microseconds between calls."""
OPPOSITE = {"added": "gone", "gone": "added", "slower": "faster", "faster": "slower", "unchanged": "unchanged"}


def duration(call: Call) -> int:
    return call.own + sum(duration(each) for each in call.inner)


def add(events: Events, call: Call, begin: int) -> None:
    name = call.name
    category = "python_function" if name.startswith("nn.") else "user_annotation" if name.startswith("O") else "cpu_op"
    events.add(category, name, begin, duration(call))
    begin += call.own
    for inner in call.inner:
        add(events, inner, begin)
        begin += duration(inner)


def profile_of(program: tuple[list[Call], int, int]) -> Profile:
    """Every step begins with an operator, since a profile without any has no difference."""
    of_step, steps, pause = program
    events = Events()
    now = 0
    for step in range(steps):
        begin = now
        for call in [Call("aten::zero_", 3, []), *of_step]:
            add(events, call, now)
            now += duration(call) + pause
        events.step(step, begin, now - begin)
    with tempfile.TemporaryDirectory() as directory:
        found = events.read(Path(directory))
        _ = found.missing  # computes everything
    return found


def rows(diff: ProfileDiff) -> dict[tuple[str, str], list[tuple[str, int]]]:
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for row in diff.operators.rows():
        found.setdefault((row["name"], row["module"]), []).append((row["state"], row["change"]))
    return found


@given(programs)
def test_a_profile_does_not_differ_from_itself(program: tuple[list[Call], int, int]) -> None:
    profile = profile_of(program)
    diff = profile.diff(profile)
    assert diff.step.before == diff.step.after
    assert diff.calls is not None
    for changes in (diff.operators, diff.calls):
        assert set(changes.state) <= {"unchanged"}
        assert not changes.derived()["change"].any()  # type: ignore[union-attr]


@given(programs, programs)
def test_swapped_profiles_negate_the_difference(one: tuple[list[Call], int, int], two: Any) -> None:
    before, after = profile_of(one), profile_of(two)
    forth, back = before.diff(after), after.diff(before)
    assert forth.calls is not None
    assert back.calls is not None
    for there, here in ((forth.operators, back.operators), (forth.calls, back.calls)):
        got = sorted((row["name"][:7], row["state"], row["change"]) for row in there.rows())
        want = sorted((row["name"][:7], OPPOSITE[row["state"]], -row["change"]) for row in here.rows())
        assert got == want


@given(programs, programs)
def test_changes_of_calls_sum_to_the_change_of_the_step(one: tuple[list[Call], int, int], two: Any) -> None:
    diff = profile_of(one).diff(profile_of(two))
    assert diff.calls is not None
    change = diff.step.after - diff.step.before
    assert int((diff.calls.after - diff.calls.before).sum()) == pytest.approx(change, abs=len(diff.calls))
    roots = diff.calls.parent < 0
    assert int((diff.calls.total_after - diff.calls.total_before)[roots].sum()) == pytest.approx(
        change, abs=len(diff.calls)
    )
    assert sum(each.after - each.before for each in diff.parts.values()) == pytest.approx(change)
    assert (diff.calls.parent < np.arange(len(diff.calls))).all()


def test_an_inserted_module_is_the_only_one_that_is_added() -> None:
    def program(*modules: str) -> tuple[list[Call], int, int]:
        return [Call(f"nn.Module: {each}", 1, [Call("aten::mm", 20, [])]) for each in modules], 2, 0

    before = profile_of(program("Linear_0", "ReLU_0", "Linear_1"))
    after = profile_of(program("Linear_0", "ReLU_0", "Dropout_0", "Linear_1"))
    assert rows(before.diff(after)) == {
        ("aten::mm", "Dropout_0"): [("added", 20_000)],
        **{("aten::mm", name): [("unchanged", 0)] for name in ("Linear_0", "ReLU_0", "Linear_1")},
        ("aten::zero_", ""): [("unchanged", 0)],
    }
    # The number of an instance moves by the one before it; what it calls is still the same.
    moved = profile_of(program("Conv2d_0", "Linear_0", "ReLU_0", "Linear_1"))
    renamed = profile_of(program("Conv2d_0", "Linear_4", "ReLU_0", "Linear_5"))
    assert {state for each in rows(moved.diff(renamed)).values() for state, _ in each} == {"unchanged"}


def test_ranges_of_steps_are_compared_without_the_trace(tmp_path: Path) -> None:
    events = Events()
    for step in range(6):
        begin = 100 * step
        events.step(step, begin, 100)
        events.op("aten::mm", begin, 20 + step % 2 if step < 3 else 50 + step % 2, External_id=step + 1)
        events.launch(begin + 2, 2, step + 1, External_id=step + 1)
        events.kernel("gemm", begin + 10, 10 if step < 3 else 40, step + 1)
        events.memory(begin + 16, 64, 64 * (step + 1), 64 * (step + 1), device=0)
        if step >= 3:
            events.add("cuda_runtime", "cudaDeviceSynchronize", begin + 60, 30)
    profile = events.read(tmp_path)
    diff = diff_profiles(profile, profile, (0, 2), (3, 5))
    assert (diff.steps_before, diff.steps_after, diff.is_on_device) == (3, 3, True)
    assert diff.operators.row(0)["change"] == 30_000
    assert diff.kernels is not None
    assert [(row["name"], row["state"], row["before"], row["after"]) for row in diff.kernels.rows()] == [
        ("gemm", "slower", 10_000, 40_000)
    ]
    assert diff.peaks["GPU 0"][:2] == (192, 384)
    assert diff.calls is not None
    assert [row["state"] for row in diff.calls.rows() if row["name"] == "cudaDeviceSynchronize"] == ["added"]
    whole = diff_profiles(profile.select_steps(0, 2), profile.select_steps(3, 5))
    assert whole.step == diff.step
    assert rows(whole) == rows(diff)
    with pytest.raises(ProfilePartError, match="no step from 7 to 9: it has 0 to 5"):
        diff_profiles(profile, profile, (7, 9))


def test_calls_of_other_threads_have_their_own_part_of_the_tree(tmp_path: Path) -> None:
    events = Events()
    events.step(0, 0, 100)
    events.op("aten::mm", 0, 20)
    events.op("aten::mul", 30, 40, tid=AUTOGRAD)
    calls = (found := events.read(tmp_path)).diff(found).calls
    assert isinstance(calls, CallChanges)
    tree = {row["name"]: (row["kind"], row["parent"], row["before"]) for row in calls.rows()}
    assert tree["thread"] == ("thread", -1, 0)
    assert tree["aten::mul"] == ("operator", list(calls.name).index("thread"), 40_000)
    assert tree[""] == ("outside", -1, 80_000)


def test_a_change_within_the_spread_of_the_steps_is_none() -> None:
    there = np.ones(3, np.bool_)
    before, after = np.array([100.0, 100.0, 100.0]), np.array([120.0, 120.0, 104.0])
    states = states_of(there, there, before, after, 1000.0, np.array([0.0, 15.0, 0.0]))
    assert list(states) == ["slower", "unchanged", "unchanged"]


def test_notes_say_what_can_not_be_compared(tmp_path: Path) -> None:
    plain, device = Events(), Events()
    plain.op("aten::mm", 0, 20)
    device.step(0, 0, 100)
    device.op("aten::mm", 0, 20, External_id=1)
    device.launch(2, 2, 1, External_id=1)
    device.kernel("gemm", 10, 10, 1)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    properties = {"deviceProperties": [{"id": 0, "name": "NVIDIA H200"}]}
    diff = plain.read(tmp_path / "a").diff(device.read(tmp_path / "b", **properties))
    assert {each.code for each in diff.notes} == {"devices", "device_times", "no_steps", "no_modules", "few_steps"}
    assert any("cpu and NVIDIA H200" in each.text for each in diff.notes)
    assert not diff.is_on_device
    assert diff.kernels is None


@given(st.lists(st.sampled_from("abc"), max_size=7), st.lists(st.sampled_from("abc"), max_size=7))
def test_siblings_are_aligned_by_a_longest_common_sequence(one: list[str], two: list[str]) -> None:
    def tree(names: list[str]) -> NamedTree:
        return NamedTree(names, np.full(len(names), -1, np.int64), np.arange(len(names)))

    found = align(tree(one), tree(two))
    pairs = [(int(old), new) for new, old in enumerate(found) if old >= 0]
    assert pairs == sorted(pairs)
    assert all(one[old] == two[new] for old, new in pairs)
    best = np.zeros((len(one) + 1, len(two) + 1), int)
    for row, name in enumerate(one):
        for column, other in enumerate(two):
            best[row + 1, column + 1] = (
                best[row, column] + 1 if name == other else max(best[row, column + 1], best[row + 1, column])
            )
    assert len(pairs) == best[-1, -1]
