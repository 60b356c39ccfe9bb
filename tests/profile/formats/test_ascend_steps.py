# SPDX-License-Identifier: Apache-2.0
"""Ranges of steps of profiles that have no tree of calls: by step ids, else by time."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.errors import ProfilePartError
from mindscope.profile.compare import diff_profiles
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.parts_file import columns_of, open_parts, save_parts
from mindscope.profile.profile import Profile
from mindscope.profile.texts import Missing
from tests.profile.made_profiles import BASE_US, TRACE_VIEW, ascend_output, write

HEAD = "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us)"


def by_ids(directory: Path) -> Path:
    root = ascend_output(directory)
    rows = [("5", "MatMul-op1", 20), ("5", "Add-op2", 5), ("6", "MatMul-op1", 30), ("", "Cast-op3", 7)]
    lines = [f"{step},Default/net-Net/{name},T,AI_CORE,{BASE_US},{duration}" for step, name, duration in rows]
    write(root / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv", "\n".join([HEAD, *lines]))
    return root


def totals(profile: Profile) -> dict[str, int]:
    merged = profile.kernels.group_by("name")
    return {name.rpartition("/")[2]: total for name, total in zip(merged.name, merged.total.tolist(), strict=True)}


def test_step_ids_tell_the_step(tmp_path: Path) -> None:
    profile = read_profile(by_ids(tmp_path))
    assert totals(profile) == {"MatMul-op1": 50_000, "Add-op2": 5_000, "Cast-op3": 7_000}
    first = profile.select_steps(5, 5)
    assert totals(first) == {"MatMul-op1": 20_000, "Add-op2": 5_000}
    assert first.steps.number.tolist() == [5]
    assert first.operators.count.tolist() == [1, 1]
    assert list(first.modules.path) == ["net-Net"]
    assert totals(profile.select_steps(5, 6)) == {"MatMul-op1": 50_000, "Add-op2": 5_000}
    assert first.communication.name.values[0].startswith("hcom_allReduce")
    assert profile.select_steps(6, 6).part(Part.COMMUNICATION).code == "not_in_steps"
    with pytest.raises(ProfilePartError, match="no step from 8 to 9"):
        profile.select_steps(8, 9)


def test_steps_differ(tmp_path: Path) -> None:
    profile = read_profile(by_ids(tmp_path))
    rows = {
        row["name"].rpartition("/")[2]: row for row in diff_profiles(profile, profile, (5, 5), (6, 6)).operators.rows()
    }
    assert (rows["MatMul-op1"]["before"], rows["MatMul-op1"]["after"]) == (20_000, 30_000)
    assert rows["Add-op2"]["state"] == "gone"


def test_times_within_marked_steps_tell_the_step(tmp_path: Path) -> None:
    profile = read_profile(ascend_output(tmp_path))  # without ids: steps at 0 and 120 us, kernels at 10, 130, 150 us
    assert profile.select_steps(5, 5).kernels.total.tolist() == [24_000, 18_400]
    assert sorted(profile.select_steps(6, 6).kernels.total.tolist()) == [21_600, 30_000]


def test_steps_without_marks_are_not_guessed(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    write(root / "ASCEND_PROFILER_OUTPUT" / "trace_view.json", TRACE_VIEW[:2])
    with pytest.raises(ProfilePartError, match="no tables of single steps"):
        read_profile(root).select_steps(5, 5)


def test_ids_of_the_profiler_follow_the_numbers_of_the_run(tmp_path: Path) -> None:
    root = by_ids(tmp_path)
    write(root / "mindscope.json", {"mindscope": {"steps": [40, 41]}})
    profile = read_profile(root)
    assert profile.steps.number.tolist() == [40, 41]
    assert totals(profile.select_steps(41, 41)) == {"MatMul-op1": 30_000}


def test_saved_parts_can_be_restricted(tmp_path: Path) -> None:
    profile = read_profile(by_ids(tmp_path))
    save_parts(columns_of(profile, 0), tmp_path / "parts", "key")
    saved = open_parts(tmp_path / "parts", "key")
    assert saved is not None
    assert totals(saved.profile.select_steps(6, 6)) == {"MatMul-op1": 30_000}
    assert isinstance(saved.profile.part(Part.CALL_TREE), Missing)
