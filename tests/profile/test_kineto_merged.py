# SPDX-License-Identifier: Apache-2.0
"""Traces of several ranks in one file, and devices of other makers: told apart, or said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mindscope.profile.memory import UNKNOWN_TIME
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from tests.profile.kineto_events import HOST, Events

OTHER = 1900
"""The process of the other rank."""


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


def test_a_trace_that_is_there_twice_says_so(tmp_path: Path) -> None:
    problems = merged(tmp_path, HOST).facts.properties["problems"]
    assert not problems
    made = Events()
    made.events = [*rank_events(HOST, 0), *rank_events(HOST, 0)]
    found = made.read(tmp_path).facts.properties["problems"].values()
    assert [(each.code, each.values) for each in found] == [("profile_steps_repeated", {"count": 1})]


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
