# SPDX-License-Identifier: Apache-2.0
"""Communication in hand-made traces: kernels of NCCL with their arguments, ranges of gloo on the host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mindscope.errors import ProfilePartError
from tests.profile.kineto_events import Events


def nccl(events: Events, ts: float, number: int, ranks: str | None = None) -> None:
    args: dict[str, Any] = {
        "Collective name": "allreduce", "dtype": "BFloat16", "In msg nelems": 1024, "Group size": 2, "Seq": number,
        "Process Group Name": "7", "Process Group Description": "mesh_tp",
        **({} if ranks is None else {"Process Group Ranks": ranks}),
    }  # fmt: skip
    events.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", ts, 20, stream=20, **args)


def test_kernels_name_their_group_by_its_ranks(tmp_path: Path) -> None:
    """Groups of a device mesh have one description."""
    events = Events()
    events.step(4, 0, 100)
    nccl(events, 10, 1, "[0, 1]")
    nccl(events, 40, 2, "[2, 3]")
    nccl(events, 70, 3)
    found = events.read(tmp_path).communication
    assert list(found.kind) == ["allreduce"] * 3
    assert found.group is not None
    assert found.group_ranks is not None
    assert found.sequence is not None
    assert found.size is not None
    assert found.step is not None
    assert list(found.group) == ["mesh_tp"] * 3
    assert list(found.group_ranks) == ["0,1", "2,3", ""]
    assert found.sequence.tolist() == [1, 2, 3]
    assert found.size.tolist() == [2048] * 3
    assert found.step.tolist() == [4] * 3


def test_ranges_of_gloo_are_communication(tmp_path: Path) -> None:
    events = Events()
    events.step(4, 0, 100)
    dims: dict[str, Any] = {"Input Dims": [[8, 4], []], "Input type": ["c10::BFloat16", ""]}
    events.add("user_annotation", "gloo:all_reduce", 10, 20, tid=7, **dims)
    events.add("user_annotation", "gloo:barrier", 150, 20, tid=7, **{"Input Dims": [[]], "Input type": [""]})
    events.add("user_annotation", "gloo:recv", 50, 20, tid=8)
    groups = [{"pg_desc": "default_pg", "pg_size": 3, "ranks": [0, 1, 2]}]
    found = events.read(tmp_path, distributedInfo={"rank": 1, "pg_config": groups}).communication
    assert list(found.kind) == ["allreduce", "receive", "barrier"]
    assert found.group_size is not None
    assert found.size is not None
    assert found.step is not None
    assert found.dtype is not None
    assert found.sequence is None
    assert found.group_size.tolist() == [3] * 3
    assert found.size.tolist() == [64, -1, -1]
    assert found.step.tolist() == [4, 4, -1]
    assert list(found.dtype) == ["c10::BFloat16", "", ""]
    several = events.read(tmp_path, distributedInfo={"rank": 1, "pg_config": groups * 2}).communication
    assert several.group is not None
    assert set(several.group) == {""}, "a range does not say which of several groups it is of"


def test_calls_of_the_host_are_no_communication_of_a_device(tmp_path: Path) -> None:
    events = Events()
    events.step(4, 0, 100)
    events.op("c10d::allreduce_", 10, 60)
    events.add("user_annotation", "nccl:all_reduce", 10, 60)
    events.kernel("gemm", 20, 40)
    steps = events.read(tmp_path).steps
    assert steps.communication is not None
    assert steps.overlapped is not None
    assert steps.device_busy is not None
    assert (steps.communication.tolist(), steps.overlapped.tolist()) == ([0], [0])
    assert steps.device_busy.tolist() == [40_000]
    events.kernel("ncclDevKernel_AllReduce", 50, 30, stream=9)
    steps = events.read(tmp_path).steps
    assert steps.communication is not None
    assert steps.overlapped is not None
    assert (steps.communication.tolist(), steps.overlapped.tolist()) == ([20_000], [10_000])


def test_gloo_communicates_beside_a_device_that_does_not(tmp_path: Path) -> None:
    events = Events()
    events.step(4, 0, 100)
    events.add("user_annotation", "gloo:all_reduce", 50, 30, tid=7)
    events.kernel("gemm", 20, 40)
    steps = events.read(tmp_path).steps
    assert steps.communication is not None
    assert steps.device_busy is not None
    assert (steps.communication.tolist(), steps.device_busy.tolist()) == ([20_000], [40_000])


def test_a_trace_without_communication(tmp_path: Path) -> None:
    events = Events()
    events.op("aten::mm", 0, 5)
    with pytest.raises(ProfilePartError, match="no communication"):
        _ = events.read(tmp_path).communication
