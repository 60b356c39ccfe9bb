# SPDX-License-Identifier: Apache-2.0
"""Values of any type and size: they cost what they are in, and nothing else."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

from mindscope.errors import FormatError, ProfilePartError
from mindscope.profile.formats.torch_trace import TORCH_TRACE
from mindscope.profile.model.profile_data import Part, ProfileFacts
from mindscope.profile.open import FoundProfile, read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.parts_file import columns_of
from mindscope.profile.profile import Profile
from mindscope.profile.texts import Missing
from mindscope.profile.timeline.build_timeline import build_timeline

OPERATOR = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2}
HUGE = 10**400


def trace_with(directory: Path, *events: dict[str, Any], **fields: Any) -> Profile:
    file = directory / "a.pt.trace.json"
    file.write_text(json.dumps({"schemaVersion": 1, **fields, "traceEvents": [OPERATOR, *events]}))
    return read_profile(file)


@pytest.mark.parametrize(
    "event",
    [
        {**OPERATOR, "cat": "user_annotation", "name": "gloo:all_reduce",
         "args": {"Input Dims": [[99999999999] * 5], "Input type": ["float"]}},
        {**OPERATOR, "cat": "kernel", "name": "ncclKernel", "pid": 0,
         "args": {"In msg nelems": 2**62, "dtype": "Float", "Group size": -5, "est. achieved occupancy %": 1e308,
                  "blocks per SM": -1e300, "device": 2**63, "stream": -(2**63)}},
        {"ph": "C", "name": "queue", "pid": 1, "ts": 1, "args": {"size": HUGE, "low": -HUGE}},
        {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 2, "args": {"Bytes": 2**63, "Total Allocated": HUGE}},
        {**OPERATOR, "name": "\ud800 half", "pid": "\udfff", "args": {"Input Dims": "\ud800"}},
    ],
)  # fmt: skip
def test_odd_arguments_of_an_event_cost_no_part(tmp_path: Path, event: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        profile = trace_with(tmp_path, event)
        columns_of(profile, 0)
        assert not [part for part, missing in profile.missing.items() if missing.code == "damaged"]
        assert profile.trace is not None
        build_timeline(profile.trace, tmp_path / "a.pt.trace.json")
    json.dumps(overview_of(profile).to_json(), ensure_ascii=False).encode()


def test_odd_facts_of_a_trace_cost_no_part(tmp_path: Path) -> None:
    group = {"pg_size": HUGE, "ranks": [HUGE], "pg_desc": 5}
    profile = trace_with(
        tmp_path,
        {**OPERATOR, "cat": "user_annotation", "name": "gloo:all_reduce", "args": {"Input Dims": [[8]]}},
        distributedInfo={"rank": 10**30, "world_size": 10**30, "pg_config": [group]},
        mindscope={"rank": -1, "steps": {"1": 10**30}},
    )
    assert profile.rank is None
    assert profile.communication.columns()["group_size"][0] == -1


def test_a_damaged_part_is_missing_with_its_error_and_costs_no_other() -> None:
    def broken() -> Any:
        raise OverflowError("too large")

    facts = ProfileFacts(name="a", path="a", format="torch_trace")
    profile = Profile(facts, None, {Part.MEMORY: broken, Part.STEPS: Missing("torch_steps")})
    assert profile.missing[Part.MEMORY] == Missing("damaged", {"error": "OverflowError: too large"})
    with pytest.raises(ProfilePartError, match="no memory: the profile is damaged: OverflowError: too large"):
        _ = profile.memory
    columns_of(profile, 0)


def test_what_a_reader_did_not_expect_is_an_error_of_the_format(tmp_path: Path) -> None:
    def read(path: Path, on_progress: Any) -> Profile:
        raise TypeError("int is no list")

    found = FoundProfile(tmp_path / "x.json", TORCH_TRACE.__class__("x", "X", lambda _: True, read))
    with pytest.raises(FormatError, match=r"x\.json can't be read: TypeError: int is no list"):
        found.read()


SEGMENT: dict[str, Any] = {"device": 0, "address": 1 << 20, "total_size": 100, "allocated_size": 50, "stream": 0}


SNAPSHOTS: list[dict[str, Any]] = [
    {"device_traces": 5}, {"device_traces": {"a": 1}}, {"device_traces": [5, None, [5]]},
    {"segments": [{**SEGMENT, "device": -1}]}, {"segments": [{**SEGMENT, "device": 10**30}]},
    {"segments": [{**SEGMENT, "address": 10**40, "total_size": 10**40}]},
    {"device_traces": [[{"action": {}}, {"action": ["x"]}, {"action": "alloc", "addr": None, "size": "x"}]]},
    {"device_traces": [[{"action": "alloc", "addr": 1, "size": 1, "frames": [{"filename": "\ud800"}]}]]},
]  # fmt: skip


@pytest.mark.parametrize("content", SNAPSHOTS)
def test_odd_snapshots_of_memory_are_read(tmp_path: Path, content: dict[str, Any]) -> None:
    file = tmp_path / "a.pickle"
    file.write_bytes(pickle.dumps({"segments": [SEGMENT], "device_traces": [[]], **content}))
    memory = read_profile(file).memory
    assert memory.blocks is not None
    for text in memory.blocks.stack or ():
        text.encode()
