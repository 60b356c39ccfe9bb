# SPDX-License-Identifier: Apache-2.0
"""Steps that a trace holds only in part count for no mean: by TensorBoard's rules, and by what a cut leaves."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from mindscope.profile.open import read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from mindscope.profile.tables.steps import UNKNOWN_DURATION
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.export_range import export_range
from mindscope.profile.trace.arguments import ArgumentFile
from tests.profile.kineto_events import Events

PHASES = ("interval", "forward_backward", "tail")
SMALL_CUDA = Path(__file__).parents[1] / "data" / "small_cuda.pt.trace.json.gz"


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


def cut(events: list[dict[str, Any]], begin: float, end: float, how: str) -> list[dict[str, Any]]:
    """The events that a tool keeps of a range of time."""
    kept: list[dict[str, Any]] = []
    for event in events:
        first = event.get("ts", begin)
        last = first + event.get("dur", 0)
        if event["ph"] == "M" or (begin <= first if how in ("begins", "inside") else last >= begin):
            kept += [event] if event["ph"] == "M" or (last <= end if how == "inside" else first <= end) else []
    if how != "shortens":
        return kept
    return [
        {**each, "ts": (first := max(each["ts"], begin)), "dur": min(each["ts"] + each["dur"], end) - first}
        if each["ph"] == "X"
        else each
        for each in kept
    ]


@pytest.mark.parametrize(
    ("how", "numbers", "incomplete", "is_unmarked"),
    [
        ("begins", [3, 4], [4], True),
        ("inside", [3], [], True),
        ("overlaps", [2, 3, 4], [2, 4], False),
        ("shortens", [2, 3, 4], [2, 4], False),
    ],
)
@pytest.mark.parametrize("has_facts", [True, False])
def test_a_real_trace_that_is_cut_within_its_first_and_last_step(
    tmp_path: Path, how: str, numbers: list[int], incomplete: list[int], is_unmarked: bool, has_facts: bool
) -> None:
    whole = json.loads(gzip.decompress(SMALL_CUDA.read_bytes()))
    facts = {name: value for name, value in whole.items() if has_facts or name != "mindscope"}
    annotations = [each for each in whole["traceEvents"] if each.get("cat") == "user_annotation"]
    marks = sorted((each for each in annotations if "ProfilerStep" in each["name"]), key=lambda each: each["ts"])
    begin, end = (each["ts"] + share * each["dur"] for each, share in ((marks[0], 0.2), (marks[-1], 0.8)))
    path = tmp_path / "cut.pt.trace.json"
    path.write_text(json.dumps({**facts, "traceEvents": cut(whole["traceEvents"], begin, end, how)}))
    profile = read_profile(path)
    overview = overview_of(profile)
    assert profile.steps.number.tolist() == numbers
    assert overview.incomplete == incomplete
    assert overview.steps == 1
    step = read_profile(SMALL_CUDA).steps
    assert overview.step_time == step.duration[step.number == 3][0]
    assert phases_of(profile) == {
        number: [UNKNOWN_DURATION] * 3 if number in incomplete else phases_of(read_profile(SMALL_CUDA))[3]
        for number in numbers
    }
    problems = [each.code for each in profile.facts.properties["problems"].values()]
    assert problems == (["profile_steps_unmarked"] if is_unmarked else [])


@pytest.mark.parametrize(("dropped", "incomplete"), [(3, [4]), (30, [4]), (250, [4])])
def test_a_last_step_that_lacks_its_last_calls_behind_a_whole_mark(
    tmp_path: Path, dropped: int, incomplete: list[int]
) -> None:
    """Cut between two calls of a real trace, so that nothing reaches out of the range."""
    whole = json.loads(gzip.decompress(SMALL_CUDA.read_bytes()))
    starts = sorted(each["ts"] for each in whole["traceEvents"] if each.get("cat") == "cpu_op")
    kept = [each for each in whole["traceEvents"] if each["ph"] == "M" or each["ts"] < starts[-dropped]]
    path = tmp_path / "cut.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": kept}))
    assert overview_of(read_profile(path)).incomplete == incomplete


def phases_of(profile: Profile) -> dict[int, list[int]]:
    """Step interval, forward and backward, tail by the number of the step."""
    return {row["number"]: [row[name] for name in PHASES] for row in profile.steps.rows()}


def test_a_step_without_a_backward_pass_leaves_the_others_their_phases(tmp_path: Path) -> None:
    """As where a training validates its network between two steps."""
    made = Events()
    for number, has_backward in enumerate([True, False, True]):
        made.step(number, 100 * number, 100)
        made.op("aten::mm", 100 * number + 10, 20, External_id=number + 1, Sequence_number=number)
        if has_backward:
            name = "autograd::engine::evaluate_function: MmBackward0"
            made.op(name, 100 * number + 50, 30, Sequence_number=number, Fwd_thread_id=1)
    assert phases_of(made.read(tmp_path)) == {
        0: [10_000, 70_000, 20_000], 1: [UNKNOWN_DURATION] * 3, 2: [10_000, 70_000, 20_000],
    }  # fmt: skip


def test_a_range_that_mindscope_exports_says_which_steps_are_whole(tmp_path: Path) -> None:
    profile = read_profile(SMALL_CUDA)
    assert profile.trace is not None
    timeline, steps = build_timeline(profile.trace, SMALL_CUDA), profile.steps
    begin, end = int(steps.start[0]) + 1, int(steps.start[2] + steps.duration[2])
    path = tmp_path / "range.pt.trace.json"
    file, tracks = ArgumentFile(SMALL_CUDA), range(len(timeline.tracks))
    path.write_bytes(b"".join(export_range(timeline, file, tracks, begin, end)))
    assert overview_of(read_profile(path)).incomplete == [2]


@pytest.mark.parametrize(
    "operators",
    [
        [(0, 5, 90), (0, 5, 90), (0, 5, 90)],
        [(0, 5, 90), (0, 5, 90), (0, 5, 20)],  # a checkpoint is written after the last operator
        [(60, 5, 90), (0, 5, 90), (0, 5, 90)],  # the first batch comes late
        [(0, 5, 90), (0, 9, 90), (0, 5, 88)],  # gradients are accumulated: every other step is shorter
        [(0, 5, 90), (0, 5, 90)],
        [(0, 5, 90)],
    ],
)
def test_steps_of_healthy_traces_are_whole(tmp_path: Path, operators: list[tuple[int, int, int]]) -> None:
    """Begin, count and end of the operators of each step of 100 us."""
    made = Events()
    for number, (begin, count, end) in enumerate(operators):
        made.step(number, 100 * number, 100)
        for place in range(count):
            made.op("aten::mm", 100 * number + begin + 1 + (end - begin) * place / count, 1)
    profile = made.read(tmp_path)
    assert profile.steps.is_incomplete is None
    assert not profile.facts.properties["problems"]


def test_a_step_that_ends_before_its_first_operator_is_incomplete(tmp_path: Path) -> None:
    """As where a loop ends: the profiler has begun the next step."""
    made = Events()
    for number in range(3):
        made.step(number, 100 * number, 100 if number < 2 else 3)
        made.add("user_annotation", "enumerate(DataLoader)", 100 * number, 2)
        if number < 2:
            made.op("aten::mm", 100 * number + 10, 80)
    assert overview_of(made.read(tmp_path)).incomplete == [2]
