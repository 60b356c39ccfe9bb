# SPDX-License-Identifier: Apache-2.0
"""Traces of several ranks in one file, and devices of other makers: told apart, or said."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, cast

import pytest

from mindscope.profile.kineto.categories import STEP_NAME
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from mindscope.profile.tables.memory import UNKNOWN_TIME
from mindscope.profile.trace.repeated_events import REPEATED
from tests.profile.kineto_events import HOST, Events

OTHER = 1900
"""The process of the other rank."""
SMALL_CUDA = Path(__file__).parents[1] / "data" / "small_cuda.pt.trace.json.gz"


def rank_events(process: int, shift: float) -> list[dict[str, Any]]:
    """A step with a forward and a backward operator, a kernel, and a block that is freed."""
    made = Events()
    made.step(1, 0 + shift, 90)
    made.op(f"aten::mm_{process}", 5 + shift, 20, External_id=1, Sequence_number=3)
    made.launch(6 + shift, 4, 1, External_id=1)
    made.kernel("gemm", 30 + shift, 10, 1, External_id=1)
    made.op("autograd::engine::evaluate_function: MmBackward0", 60 + shift, 9, Sequence_number=3, Fwd_thread_id=1)
    made.memory(10 + shift, 64, 4096, 64, device=0)
    made.memory(50 + shift, -64, 4096, 0, device=0)
    return [{**each, "pid": process} if each["pid"] == HOST else each for each in made.events]


def merged(tmp_path: Path, *processes: int) -> Profile:
    made = Events()
    for number, process in enumerate(processes):
        made.events += rank_events(process, 3.0 * number)
    return made.read(tmp_path)


def test_blocks_of_merged_ranks_are_paired_by_process(tmp_path: Path) -> None:
    """Both ranks use the same address at the same time."""
    memory = merged(tmp_path, HOST, OTHER).memory
    assert memory.blocks is not None
    rows = [(row["device"], row["allocated_at"], row["freed_at"]) for row in memory.blocks.rows()]
    assert rows == [
        (f"GPU 0 (process {HOST})", 10_000, 50_000),
        (f"GPU 0 (process {OTHER})", 13_000, 53_000),
    ]
    assert UNKNOWN_TIME not in memory.blocks.freed_at


def test_a_file_of_several_processes_says_so(tmp_path: Path) -> None:
    problems = merged(tmp_path, HOST, OTHER).facts.properties["problems"]
    assert [each.code for each in problems.values()] == ["profile_several_processes"]
    assert f"2 processes ({HOST}, {OTHER})" in str(next(iter(problems.values())))


def test_ids_that_several_processes_use_link_nothing(tmp_path: Path) -> None:
    profile = merged(tmp_path, HOST, OTHER)
    assert {row["device_total"] for row in profile.operators.rows()} == {0}
    assert overview_of(profile).unlinked == 1.0
    assert int(profile.kernels.count.sum()) == 2


def test_a_trace_of_one_process_is_whole(tmp_path: Path) -> None:
    profile = merged(tmp_path, HOST)
    assert not profile.facts.properties["problems"]
    assert profile.memory.blocks is not None
    assert list(profile.memory.blocks.device) == ["GPU 0"]
    operators = {row["name"]: row for row in profile.operators.rows()}
    assert operators[f"aten::mm_{HOST}"]["device_total"] == 10_000
    assert operators[f"aten::mm_{HOST}"]["phase"] == "forward"


@pytest.mark.parametrize("has_steps", [True, False])
@pytest.mark.parametrize("copies", [2, 3])
def test_events_that_are_there_several_times_count_once(tmp_path: Path, has_steps: bool, copies: int) -> None:
    """A real trace of a GPU, merged with itself, with its steps or without."""
    whole = json.loads(gzip.decompress(SMALL_CUDA.read_bytes()))
    events = whole["traceEvents"]
    if not has_steps:
        events = [each for each in events if not each.get("name", "").startswith("ProfilerStep")]
    path = tmp_path / "merged.pt.trace.json"
    path.write_text(json.dumps({**whole, "traceEvents": events}))
    right = read_profile(path)
    assert not right.facts.properties["problems"]
    path.write_text(json.dumps({**whole, "traceEvents": events * copies}))
    found = read_profile(path)
    (problem,) = found.facts.properties["problems"].values()
    lasting = sum(each["ph"] not in "M" for each in events)
    assert (problem.code, problem.values) == ("profile_events_repeated", {"count": (copies - 1) * lasting})
    assert list(found.operators.rows()) == list(right.operators.rows())
    assert list(found.kernels.rows()) == list(right.kernels.rows())
    assert list(found.memory.curve.rows()) == list(right.memory.curve.rows())
    assert overview_of(found).step_time == overview_of(right).step_time


def test_a_trace_that_holds_a_part_twice_says_so(tmp_path: Path) -> None:
    """As two windows of one training that overlap, and are merged."""
    whole = json.loads(gzip.decompress(SMALL_CUDA.read_bytes()))
    path = tmp_path / "merged.pt.trace.json"
    events = whole["traceEvents"]
    path.write_text(json.dumps({**whole, "traceEvents": events + events[len(events) // 2 :]}))
    found, right = read_profile(path), read_profile(SMALL_CUDA)
    assert [each.code for each in found.facts.properties["problems"].values()] == ["profile_events_repeated"]
    assert list(found.kernels.rows()) == list(right.kernels.rows())


@pytest.mark.parametrize("phases", ["X", "BE"])
def test_a_doubled_trace_of_another_program_is_drawn_once(tmp_path: Path, phases: str) -> None:
    times = [10 * number for number in range(40)]
    whole = [{"ph": "X", "name": f"work {ts % 3}", "pid": 1, "tid": 1, "ts": ts, "dur": 5} for ts in times]
    pairs = [
        {"ph": phase, "name": f"work {ts % 3}", "pid": 1, "tid": 1, "ts": ts + late}
        for ts in times
        for phase, late in (("B", 0), ("E", 5))
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": (whole if phases == "X" else pairs) * 2}))
    trace = read_profile(path).trace
    assert trace is not None
    assert len(trace.slices) == 40
    assert trace.skipped[REPEATED].count == 40


def test_equal_events_of_a_healthy_trace_stay(tmp_path: Path) -> None:
    """With a clock of whole microseconds a few short kernels of one name begin at once."""
    made = Events()
    for number in range(100, 300):
        made.kernel("short", 10 * number, 1, number)
    made.kernel("short", 1000, 1, 300)
    profile = made.read(tmp_path)
    assert not profile.facts.properties["problems"]
    assert int(profile.kernels.count.sum()) == 201
    made.events *= 2
    assert int(made.read(tmp_path).kernels.count.sum()) == 201, "twice in the original, four times in the file"


def work(name: str, ts: float, args: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": 5} | ({} if args is None else {"args": args})


@pytest.mark.parametrize(
    "events",
    [
        [work("a", 0), work("b", 10)] * 2,
        [work("a", 0), work("a", 0), work("b", 10), work("b", 10)],
        [work(name, 10 * ts) for ts in range(100) for name in ("step", "step")],  # marked by two decorators
        [work("step", 10 * ts, {"step": ts}) for ts in range(100) for _ in range(2)],
        [work("short", 10 * (number // 3), {"correlation": number}) for number in range(300)],  # a clock of 10 us
        [work(name, 10 * ts) for ts in range(100) for name in "abcabc"],
    ],
)
@pytest.mark.parametrize("schema", [{}, {"schemaVersion": 1}])
def test_a_program_that_repeats_equal_slices_loses_none(
    tmp_path: Path, events: list[dict[str, Any]], schema: dict[str, int]
) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({**schema, "traceEvents": events}))
    profile = read_profile(path)
    assert profile.trace is not None
    assert len(profile.trace.slices) == len(events)
    assert not profile.facts.properties["problems"]


@pytest.mark.parametrize("part", [1.0, 0.3])
def test_a_merged_trace_that_is_sorted_by_time_is_known_by_its_ids(tmp_path: Path, part: float) -> None:
    """Equal events follow each other there, as where a program repeats them."""
    whole = json.loads(gzip.decompress(SMALL_CUDA.read_bytes()))
    events = whole["traceEvents"]
    path = tmp_path / "merged.pt.trace.json"
    merged = sorted(events + events[: int(part * len(events))], key=lambda each: each.get("ts", 0))
    path.write_text(json.dumps({**whole, "traceEvents": merged}))
    found, right = read_profile(path), read_profile(SMALL_CUDA)
    assert [each.code for each in found.facts.properties["problems"].values()] == ["profile_events_repeated"]
    assert overview_of(found).step_time == overview_of(right).step_time
    for part in (Part.KERNELS, Part.OPERATORS):
        rows = [sorted(map(str, cast("Any", each.part(part)).rows())) for each in (found, right)]
        assert rows[0] == rows[1]


def shifted(events: list[dict[str, Any]], microseconds: float, step: int = 0) -> list[dict[str, Any]]:
    """The events later, and their steps by other numbers."""
    found = [{**each, "ts": each["ts"] + microseconds} if "ts" in each else each for each in events]
    return [
        {**each, "name": f"ProfilerStep#{int(mark[1]) + step}"}
        if (mark := STEP_NAME.fullmatch(str(each.get("name", ""))))
        else each
        for each in found
    ]


@pytest.mark.parametrize(
    ("later", "step", "steps", "overlap"),
    [
        (137.3, 0, 3, True),  # two ranks, whose times overlap
        (137.3, 3, 0, True),  # of other steps
        (1_000_000, 0, 3, False),  # two runs, one after the other
        (1_000_000, 3, 0, False),  # two cycles of one training, one after the other
    ],
)
def test_ranks_under_one_process_are_only_drawn(
    tmp_path: Path, later: float, step: int, steps: int, overlap: bool
) -> None:
    whole = json.loads(gzip.decompress(SMALL_CUDA.read_bytes()))
    events = whole["traceEvents"]
    path = tmp_path / "merged.pt.trace.json"
    path.write_text(json.dumps({**whole, "traceEvents": events + shifted(events, later, step)}))
    profile = read_profile(path)
    found = list(profile.facts.properties["problems"].values())
    if not steps and not overlap:
        assert not found
        assert len(profile.steps) == 6
        return
    assert [(each.code, each.values["steps"]) for each in found] == [("profile_ranks_merged", steps)]
    assert (int(found[0].values["overlaps"]) > 50) == overlap
    overview = overview_of(profile)
    assert (overview.steps, overview.step_time, overview.advice) == (0, None, [])
    assert overview.missing[Part.OPERATORS].code == overview.missing[Part.STEPS].code == "torch_merged"
    assert profile.trace is not None
    assert len(profile.trace.slices) == 2 * 1346


@pytest.mark.parametrize(("launches", "kernels", "is_said"), [(4, 0, True), (4, 1, True), (4, 2, False), (0, 0, False)])
def test_a_trace_without_its_kernels_says_so(tmp_path: Path, launches: int, kernels: int, is_said: bool) -> None:
    made = Events()
    made.step(1, 0, 90)
    made.op("aten::mm", 1, 80)
    for number in range(1, launches + 1):
        made.launch(10 * number, 4, number)
        if number <= kernels:
            made.kernel("gemm", 10 * number + 5, 3, number)
    found = made.read(tmp_path).facts.properties["problems"].values()
    said = ("profile_kernels_missing", {"launches": launches, "kernels": kernels})
    assert [(each.code, each.values) for each in found] == ([said] if is_said else [])


@pytest.mark.parametrize(
    ("category", "runtime", "type", "name", "kind"),
    [
        ("mtia_ccp_events", "mtia_runtime", 19, "MTIA 0", "mtia"),
        ("hpu_op", "cpu_op", 15, "HPU 0", "hpu"),
        ("kernel", "xpu_runtime", 12, "XPU 0", "xpu"),
        ("privateuse1_kernel", "privateuse1_runtime", 20, "NPU 0", "npu"),
        ("kernel", "cuda_runtime", 1, "GPU 0", "cuda"),
    ],
)
def test_devices_are_called_what_they_are(
    tmp_path: Path, category: str, runtime: str, type: int, name: str, kind: str
) -> None:
    made = Events()
    made.step(1, 0, 90)
    made.add(runtime, "launch", 5, 4, correlation=1)
    made.kernel("gemm", 30, 10, 1, cat=category)
    made.memory(10, 64, 4096, 64, device=0)
    made.events[-1]["args"]["Device Type"] = type
    profile = made.read(tmp_path, deviceProperties=[{"id": 0, "name": "a device"}])
    assert set(profile.kernels.device) == {name}
    assert set(profile.memory.curve.device) == {name}
    assert [(each.name, each.kind) for each in profile.devices] == [("CPU", "cpu"), (name, kind)]


def test_memory_without_the_type_of_its_device_is_not_called_a_gpu(tmp_path: Path) -> None:
    made = Events()
    made.step(1, 0, 90)
    for number, fields in enumerate(({"Device Type"}, {"Device Type", "Device Id"})):
        made.memory(10 + number, 64, 4096 + number, 64, device=1)
        made.events[-1]["args"] = {key: value for key, value in made.events[-1]["args"].items() if key not in fields}
    memory = made.read(tmp_path).memory
    assert list(memory.curve.device) == ["device 1", "device"]
    assert [(note.code, note.values) for note in memory.notes] == [
        ("torch_memory_devices", {"devices": "device 1, device"})
    ]
