# SPDX-License-Identifier: Apache-2.0
"""Queues of streams and bandwidths of copies as counters of the timeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.profile.open import read_profile
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.launch_counters import summed
from mindscope.profile.timeline.timeline import Counter
from tests.profile.kineto_events import Events
from tests.profile.made_profiles import BASE_US, TRACE_VIEW, ascend_output, write

SAID: dict[str, Any] = {"memory bandwidth (GB/s)": 7.5}


def counters(path: Path) -> dict[str, Counter]:
    trace = read_profile(path).trace
    assert trace is not None
    return {each.name: each for each in build_timeline(trace, path).counters}


def test_a_launch_of_a_graph_queues_all_its_kernels(tmp_path: Path) -> None:
    events = Events()
    events.add("cuda_runtime", "cudaGraphLaunch", 10, 5, correlation=7)
    arrows: list[dict[str, Any]] = [{"ph": "s", "pid": 900, "tid": 900, "ts": 10}]
    for place in range(3):
        events.kernel("k", 20 + 10 * place, 5, 7)
        arrows.append({"ph": "f", "bp": "e", "pid": 0, "tid": 7, "ts": 20 + 10 * place})
    events.events += [{"cat": "ac2g", "name": "ac2g", "id": 7, **each} for each in arrows]
    queue = counters(events.write(tmp_path / "a.pt.trace.json"))["queue length"]
    assert list(zip(queue.times.tolist(), queue.values.tolist(), strict=True)) == [
        (10_000, 3), (20_000, 2), (30_000, 1), (40_000, 0),
    ]  # fmt: skip


def test_copies_of_one_kind_add_up(tmp_path: Path) -> None:
    events = Events()
    events.kernel("Memcpy HtoD (Pinned -> Device)", 0, 10, cat="gpu_memcpy", bytes=200_000)
    events.kernel("Memcpy HtoD (Pageable -> Device)", 5, 10, cat="gpu_memcpy", stream=8, bytes=100_000)
    events.kernel("Memcpy DtoH (Device -> Pinned)", 20, 0, cat="gpu_memcpy", bytes=5_000)
    events.kernel("Memset (Device)", 30, 2, cat="gpu_memset", **SAID)
    events.kernel("Memcpy DtoD (Device -> Device)", 40, 2, cat="gpu_memcpy")
    found = counters(events.write(tmp_path / "a.pt.trace.json"))
    assert {
        name: list(zip(each.times.tolist(), each.values.tolist(), strict=True)) for name, each in found.items()
    } == {
        "Memcpy HtoD bandwidth": [(0, 20), (5_000, 30), (10_000, 10), (15_000, 0)],
        "Memcpy DtoH bandwidth": [(20_000, 5), (21_000, 0)],
        "Memset bandwidth": [(30_000, 7.5), (32_000, 0)],
    }
    assert {each.unit for each in found.values()} == {"GB/s"}


def test_launches_of_an_npu(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    host = {"ph": "X", "name": "launch", "pid": 60, "tid": 1, "ts": f"{BASE_US + 2}.000", "dur": 3}
    arrow = {"cat": "HostToDevice", "name": "HostToDevice", "id": 88}
    ends = [
        {"ph": "s", "pid": 60, "tid": 1, "ts": f"{BASE_US + 2}.000", **arrow},
        {"ph": "f", "bp": "e", "pid": 71, "tid": 2, "ts": f"{BASE_US + 10}.250", **arrow},
    ]
    path = write(root / "ASCEND_PROFILER_OUTPUT" / "trace_view.json", [*TRACE_VIEW, host, *ends])
    assert json.loads(path.read_text())
    queue = counters(root)["queue length"]
    assert (queue.times.tolist(), queue.values.tolist()) == ([2_000, 10_250], [1, 0])


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20), st.integers(1, 9)), min_size=1, max_size=12))
def test_sums_are_those_of_the_copies_in_flight(copies: list[tuple[int, int, int]]) -> None:
    start, duration, rate = (np.array(column) for column in zip(*copies, strict=True))
    times, values = summed(start, start + duration, rate.astype(np.float64))
    for time, value in zip(times.tolist(), values.tolist(), strict=True):
        runs = (start <= time) & (time < start + duration)
        assert value == pytest.approx(rate[runs].sum())
