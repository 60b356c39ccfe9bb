# SPDX-License-Identifier: Apache-2.0
"""MindSpore's plan of memory, in profiles before 2.3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.tables.memory import UNKNOWN_TIME
from mindscope.table.columns import TextColumn
from tests.profile.formats.test_mindspore_profiles import SCOPE, ascend, profiler

GIB = 1 << 30

TYPES = "kernel_type,total_time,execution_frequency,percent\nCast,2.5,30,7.1\n"


def node(id: int, name: str) -> dict[str, Any]:
    return {"node_id": id, "name": name, "fullname": f"{SCOPE}/{name}", "size": 0.5}


def tensor(name: str, size: float, start: int, end: int) -> dict[str, Any]:
    return {
        "tensor_name": name, "size": size, "type": "output", "data_type": "FLOAT16", "shape": [8, 64],
        "life_start": start, "life_end": end,
    }  # fmt: skip


def plan(step: int) -> dict[str, Any]:
    """Four operators, of which one in ``step`` is listed, and a graph after them."""
    long, short = tensor("MatMul-op0:0", 1.0, 0, 4 * step), tensor("Cast-op1:0", 0.5, step, 2 * step)
    names = ["MatMul-op0", "Cast-op1", "Add-op2", "Mul-op3"]
    return {
        "11": {
            "graph_id": 11, "static_mem": 0.25, "nodes": [node(step * each, name) for each, name in enumerate(names)],
            "lines": [1.25, 1.75, 1.75, 1.25], "fp_start": 0, "bp_end": 3,
            "breakdowns": [[long], [long, short], [long, short], [long]],
        },
        "12": {"graph_id": 12, "nodes": {"0": node(0, "Sub-op9")}, "lines": [0.125], "breakdowns": [[]]},
        "13": {},
    }  # fmt: skip


@pytest.mark.parametrize("step", [1, 3])
def test_a_plan_of_memory(tmp_path: Path, step: int) -> None:
    summary = {"capacity": 30, "allocations": 2, "deallocations": 2, "peak_mem": 1.75, "static_mem": 0.25}
    root = ascend(
        tmp_path, memory_usage_details_1__json=json.dumps(plan(step)), memory_usage_summary_1__json=json.dumps(summary)
    )
    profile = read_profile(root)
    memory = profile.memory
    assert memory.plan is not None
    assert list(memory.plan.rows()) == [
        {
            "graph": 11, "device": "NPU 1", "first": 0, "operators": 4 * step, "static": GIB // 4, "peak": 7 * GIB // 4,
            "peak_at": step, "sampled": step,
        },
        {
            "graph": 12, "device": "NPU 1", "first": 4 * step, "operators": 1, "static": 0, "peak": GIB // 8,
            "peak_at": 4 * step, "sampled": 1,
        },
    ]  # fmt: skip
    assert memory.curve.time.tolist() == [0, step, 2 * step, 3 * step, 4 * step]
    assert memory.curve.allocated.tolist() == [5 * GIB // 4, 7 * GIB // 4, 7 * GIB // 4, 5 * GIB // 4, GIB // 8]
    assert memory.blocks is not None
    for place in range(4):
        live = memory.blocks.live_at(place * step)
        assert int(live.size.sum()) == int(memory.curve.allocated[place]), "blocks and curve agree"
    (peak,) = overview_of(profile).peaks
    assert peak.by_category == {"output": 3 * GIB // 2, "static": GIB // 4}
    (cast,) = [each for each in memory.blocks.rows() if each["tensor"] == "Cast-op1:0"]
    assert (cast["operator"], cast["module"], cast["freed_at"]) == (
        f"{SCOPE}/Cast-op1", "network-Net/fc1-Dense", 2 * step + 1,
    )  # fmt: skip
    assert profile.facts.properties["memory_plan"]["capacity"] == 30 * GIB
    assert profile.devices[1].memory == 30 * GIB
    assert UNKNOWN_TIME not in memory.blocks.allocated_at


def test_what_was_measured_comes_before_a_plan(tmp_path: Path) -> None:
    root = ascend(
        tmp_path, memory_usage_details_1__json=json.dumps(plan(1)),
        cpu_ms_memory_record_1__txt="Timestamp,Total Allocated,Total Reserved\n180,4096,8192\n",
    )  # fmt: skip
    assert read_profile(root).memory.plan is None


@pytest.mark.parametrize("size", range(0, 700, 9))
def test_a_plan_that_is_still_written(tmp_path: Path, size: int) -> None:
    root = profiler(
        tmp_path, memory_usage_details_0__json=json.dumps(plan(1))[:size], aicore_intermediate_0_type__csv=TYPES
    )
    profile = read_profile(root)
    assert profile.part(Part.MEMORY).code == "mindspore_memory"
    assert "memory_usage_details_0.json" in profile.facts.properties["problems"]
    assert isinstance(profile.operators.type, TextColumn)
