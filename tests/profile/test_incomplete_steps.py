# SPDX-License-Identifier: Apache-2.0
"""The last steps of a trace whose kernels are cut count for no mean, by TensorBoard's rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from tests.profile.kineto_events import Events


def steps(directory: Path, kernels: list[int], **properties: object) -> Profile:
    """Steps of 100 us, each with some kernels of 5 us."""
    events, correlation = Events(), 0
    for number, count in enumerate(kernels):
        at = 100 * number
        events.step(number, at, 100)
        events.op("aten::mm", at, 60, External_id=number + 1)
        for place in range(count):
            correlation += 1
            events.launch(at + place, 0.5, correlation)
            events.kernel("k", at + 10 + 6 * place, 5, correlation)
    return events.read(directory, **properties)


@pytest.mark.parametrize(
    ("kernels", "complete"),
    [
        ([10, 10, 10], 3), ([10, 10, 8], 3), ([10, 10, 7], 2), ([10, 10, 0, 0], 2), ([10, 10, 7, 0], 2), ([10, 0], 1),
        ([10, 7], 1), ([7], 1), ([0, 0], 2), ([10, 0, 10], 3),
    ],
)  # fmt: skip
def test_which_steps_are_incomplete(tmp_path: Path, kernels: list[int], complete: int) -> None:
    profile = steps(tmp_path, kernels)
    assert len(profile.steps) == len(kernels)
    assert profile.steps.complete.number.tolist() == list(range(complete))


def test_means_advice_and_differences_leave_them_out(tmp_path: Path) -> None:
    profile = steps(tmp_path, [10, 10, 2])
    overview = overview_of(profile)
    assert (overview.steps, overview.incomplete, overview.device_busy) == (2, [2], 0.5)
    assert not [each for each in overview.advice if each.code == "low_device_use"]
    same = profile.diff(profile)
    assert (same.steps_before, same.step.before) == (2, 100_000)
    assert same.kernels is not None
    (kernel,) = same.kernels.rows()
    assert kernel["count_before"] == 10
    assert profile.diff(profile, None, (2, 2)).steps_after == 1, "chosen by number"


def test_the_recorder_of_mindscope_ends_its_steps(tmp_path: Path) -> None:
    profile = steps(tmp_path, [10, 2], mindscope={"rank": 0})
    assert profile.steps.is_incomplete is None
