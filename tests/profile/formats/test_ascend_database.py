# SPDX-License-Identifier: Apache-2.0
"""Databases of Ascend's profiler: alone, beside those of the analysis, in directories with and without text files."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest

from mindscope.errors import FormatError
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import find_profiles, read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from mindscope.profile.tables.memory import UNKNOWN_TIME
from mindscope.profile.tables.steps import PARTS
from mindscope.profile.texts import Missing
from mindscope.profile.timeline.build_timeline import build_timeline
from tests.fuzz.mutations import FILE_MUTATIONS, mutate
from tests.profile.ascend_databases import BASE_NS, MAIN_SCHEMA, US, Database, analysis, times, training
from tests.profile.made_profiles import ascend_output
from tests.profile.slice_arguments import all_arguments, arguments_of_timeline

ROUNDS = int(os.environ.get("MINDSCOPE_FUZZ_ROUNDS", "3")) * 10
FIRST_SEED = int(os.environ.get("MINDSCOPE_FUZZ_SEED", "0"))
NAME = "ascend_pytorch_profiler_3.db"
EVENTS = ("TASK", "COMMUNICATION_OP", "CANN_API", "PYTORCH_API", "STEP_TIME", "AICORE_FREQ")


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return read_profile(training().write(tmp_path / NAME))


def test_all_events_are_read(profile: Profile, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / NAME)) as file:
        want = sum(file.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in EVENTS)
    assert profile.trace is not None
    assert (profile.trace.read, profile.trace.skipped) == (want, {})
    assert profile.trace.origin_ns == BASE_NS
    assert profile.facts.properties["unread_tables"] == {"HBM": 2}
    assert (profile.rank, profile.facts.framework) == (3, "torch")
    assert [each.name for each in profile.devices] == ["CPU", "NPU 0"]


def test_steps_sum_to_their_duration(profile: Profile) -> None:
    steps = profile.steps
    assert steps.number.tolist() == [5, 6]
    assert np.sum([steps.part(part) for part in PARTS], axis=0).tolist() == steps.duration.tolist()
    assert steps.compute.tolist() == [40 * US] * 2
    assert steps.part("communication").tolist() == [10 * US] * 2
    assert steps.part("copy").tolist() == [0, 0]  # beside the communication
    assert steps.overlapped is not None
    assert steps.overlapped.tolist() == [10 * US] * 2


def test_a_kernel_belongs_to_the_innermost_operator_of_its_connection(profile: Profile) -> None:
    kernels = {row["name"]: row for row in profile.kernels.rows()}
    product = kernels["aclnnMm_MatMulV2"]
    assert (product["operator"], product["core"], product["shape"]) == ("aten::mm", "AI_CORE", "8,64;64,10")
    assert (product["count"], product["total"], product["stream"]) == (2, 80 * US, "stream 2")
    assert kernels["MEMCPY_ASYNC"]["kind"] == "copy"
    assert "EVENT_RECORD" not in kernels
    reduced = kernels["hcom_allReduce__844_0_1"]
    assert (reduced["kind"], reduced["core"], reduced["stream"]) == (
        "communication",
        "HCCL",
        "Group 8440 Communication",
    )
    operators = {row["name"]: row for row in profile.operators.group_by("name").rows()}
    assert operators["aten::linear"]["device_total"] == 80 * US
    assert operators["aten::mm"]["device_self"] == 80 * US
    assert operators["aten::mm"]["count"] == 2
    assert "ProfilerStep#5" not in operators


def test_streams_know_the_innermost_call_as_the_launch(profile: Profile) -> None:
    streams = {row["stream"]: row for row in profile.streams.rows()}
    assert streams["stream 2"]["launches"] == 2
    assert streams["stream 2"]["delay"] == 2 * 5 * US
    assert profile.communication.kind.values == ["allreduce"]


def test_memory(profile: Profile) -> None:
    curve, blocks = profile.memory.curve, profile.memory.blocks
    assert curve.allocated.tolist() == [512, 1024]
    assert curve.time.tolist() == [10 * US, 110 * US]
    assert set(curve.device) == {"NPU 0"}
    assert blocks is not None
    assert blocks.freed_at.tolist() == [UNKNOWN_TIME, 110 * US + 50]
    assert overview_of(profile).peaks[0].allocated == 1024


def test_the_timeline_has_streams_groups_and_threads(profile: Profile, tmp_path: Path) -> None:
    assert profile.trace is not None
    timeline = build_timeline(profile.trace, tmp_path / NAME)
    rows = {(track.process_name, track.thread_name) for track in timeline.tracks}
    assert {("NPU 0", "stream 2"), ("NPU 0", "Group 8440 Communication"), ("process 71", "thread 72")} <= rows
    assert len(timeline.flows.source) == 2
    assert [each.name for each in timeline.counters] == ["AI Core frequency", "queue length"]


def test_slices_have_the_cells_of_their_rows(tmp_path: Path) -> None:
    made = training(1)
    made.schema += (
        "CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY, name TEXT);"
        "CREATE TABLE ENUM_HCCL_DATA_TYPE (id INTEGER PRIMARY KEY, name TEXT);"
        "CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER, globalTaskId INTEGER, srcRank INTEGER, dataType INTEGER);"
    )
    made.add("ENUM_API_TYPE", id=10000, name="runtime")
    made.add("ENUM_HCCL_DATA_TYPE", id=4, name="FP32")
    made.add("COMMUNICATION_OP", **times(80, 5), opName=made.string("typed"), dataType=4, opType=999, deviceId=0)
    own = made.string("hcom_allReduce__844_0_1")
    made.add("COMMUNICATION_TASK_INFO", name=own, globalTaskId=2, srcRank=3, dataType=4)
    path = made.write(tmp_path / NAME)
    found = dict(all_arguments(read_profile(path), path, tmp_path))
    assert found["aclnnMm_MatMulV2"] == {
        "deviceId": 0, "connectionId": 1, "globalTaskId": 1, "taskType": "AI_CORE", "streamId": 2, "taskId": 1,
        "name": "aclnnMm_MatMulV2", "blockDim": 20, "opType": "MatMulV2", "inputShapes": "8,64;64,10",
    }  # fmt: skip
    assert found["aten::linear"]["inputShapes"] == "8,64;10,64"
    assert found["MEMCPY_ASYNC"] == {
        "deviceId": 0, "connectionId": 2, "globalTaskId": 2, "taskType": "MEMCPY_ASYNC", "streamId": 2, "taskId": 2,
        "name": "hcom_allReduce__844_0_1", "srcRank": 3, "dataType": "FP32",
    }  # fmt: skip
    assert found["launch"]["type"] == "runtime"
    assert found["KernelLaunch"]["type"] == 5000
    assert (found["hcom_allReduce__844_0_1"]["groupName"], found["hcom_allReduce__844_0_1"]["count"]) == ("8440", 1000)
    assert (found["typed"]["dataType"], found["typed"]["opType"]) == ("FP32", 999)
    assert found["ProfilerStep#5"] == {"id": 5}


def test_databases_of_the_analysis_are_parts_of_the_main_one(tmp_path: Path) -> None:
    training().write(tmp_path / NAME)
    analysis().write(tmp_path / "analysis.db")
    profile = read_profile(tmp_path)
    assert [each.path.name for each in find_profiles(tmp_path)] == [NAME]
    assert profile.steps.compute.tolist() == [40 * US] * 2  # of the trace
    (reduced,) = profile.communication.rows()
    assert (reduced["transit"], reduced["wait"], reduced["size"]) == (12 * US, 8 * US, 4_000_000)
    assert reduced["start"] == 70 * US
    (link,) = profile.links.rows()
    assert (link["source"], link["destination"], link["size"], link["transit"]) == (3, 4, 4_000_000, 10 * US)


def test_a_database_of_the_analysis_alone(tmp_path: Path) -> None:
    profile = read_profile(analysis().write(tmp_path / "analysis.db"))
    assert profile.trace is None
    assert profile.steps.number.tolist() == [5, 6]
    assert profile.steps.compute.tolist() == [40_500, 41_000]
    assert isinstance(profile.part(Part.KERNELS), Missing)
    assert overview_of(profile).steps == 2


def test_a_directory_with_databases_only(tmp_path: Path) -> None:
    root = tmp_path / "host_71_20270115080000000_ascend_pt"
    training().write(root / "ASCEND_PROFILER_OUTPUT" / NAME)
    analysis().write(root / "ASCEND_PROFILER_OUTPUT" / "analysis.db")
    (found,) = find_profiles(tmp_path)
    assert found.path == root
    profile = read_profile(tmp_path)
    assert profile.format == "ascend_output"
    assert profile.kernels.count.sum() == 6
    assert len(profile.steps) == 2
    assert profile.trace is not None
    assert profile.facts.origin_ns == BASE_NS
    assert [each.name for each in profile.devices] == ["CPU", "NPU 0"]
    assert build_timeline(profile.trace, root).read == profile.trace.read
    assert dict(all_arguments(profile, root, tmp_path))["aclnnMm_MatMulV2"]["opType"] == "MatMulV2"


def test_text_files_win_and_lend_their_origin(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    before = read_profile(root)
    training().write(root / "ASCEND_PROFILER_OUTPUT" / NAME)
    after = read_profile(root)
    for part in (Part.STEPS, Part.KERNELS, Part.OPERATORS, Part.COMMUNICATION, Part.LINKS):
        assert list(after.part(part).rows()) == list(before.part(part).rows())
    assert isinstance(before.part(Part.STREAMS), Missing)
    assert after.part(Part.STREAMS).kernels.sum() == 6
    (root / "ASCEND_PROFILER_OUTPUT/memory_record.csv").unlink()
    (root / "ASCEND_PROFILER_OUTPUT/operator_memory.csv").unlink()
    mixed = read_profile(root)
    assert mixed.facts.origin_ns is not None
    assert (mixed.memory.curve.time + mixed.facts.origin_ns).tolist() == [
        times(10, 0)["startNs"], times(110, 0)["startNs"],
    ]  # fmt: skip


def test_a_damaged_database_in_a_directory_is_noted(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    (root / "ASCEND_PROFILER_OUTPUT" / NAME).write_bytes(b"SQLite format 3\x00" + bytes(50))
    profile = read_profile(root)
    assert NAME in profile.facts.properties["problems"]
    assert len(profile.steps) == 2


def test_graph_mode_has_operators_of_kernels(tmp_path: Path) -> None:
    made = training(1)
    made.rows = [(table, cells) for table, cells in made.rows if table != "PYTORCH_API"]
    made.string("unused")
    path = made.write(tmp_path / "ascend_mindspore_profiler_0.db")
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(
            "UPDATE STRING_IDS SET value = 'Default/network-Net/fc1-Dense/MatMul-op4' WHERE value = 'aclnnMm_MatMulV2'"
        )
    profile = read_profile(path)
    row = next(row for row in profile.operators.rows() if row["module"])
    assert (row["module"], row["type"], row["phase"]) == ("network-Net/fc1-Dense", "MatMulV2", "forward")
    assert set(profile.modules.path) == {"network-Net", "network-Net/fc1-Dense"}
    assert profile.facts.framework == "mindspore"


@pytest.mark.parametrize("table", [*EVENTS, "COMPUTE_TASK_INFO", "STRING_IDS", "CONNECTION_IDS", "MEMORY_RECORD"])
def test_a_missing_table_loses_nothing_else(tmp_path: Path, table: str) -> None:
    path = training().write(tmp_path / NAME)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(f"DROP TABLE {table}")
        want = sum(file.execute(f"SELECT count(*) FROM {each}").fetchone()[0] for each in EVENTS if each != table)
    profile = read_profile(path)
    overview_of(profile)
    assert profile.trace is not None
    assert profile.trace.read == want


def test_cells_of_other_types(tmp_path: Path) -> None:
    made = training(1)
    made.add("TASK", startNs="soon", endNs=None, deviceId="x")
    made.add("TASK", startNs=BASE_NS + 10, endNs=BASE_NS, deviceId=0)
    made.add("TASK", **times(1, 1), deviceId=b"\xff", streamId=1.5, globalTaskId="1", connectionId="one")
    made.add("MEMORY_RECORD", component="text", timestamp="never", totalAllocated=None)
    profile = read_profile(made.write(tmp_path / NAME))
    overview_of(profile)
    assert profile.trace is not None
    assert {name: each.count for name, each in profile.trace.skipped.items()} == {"no_time": 1, "bad_duration": 1}


def test_an_empty_database(tmp_path: Path) -> None:
    profile = read_profile(Database(MAIN_SCHEMA).write(tmp_path / NAME))
    assert profile.trace is None
    assert set(Part) - profile.missing.keys() <= {Part.FURTHER_TABLES}
    (tmp_path / "other.db").write_bytes((tmp_path / NAME).read_bytes()[:100])
    with pytest.raises(FormatError, match="no profile"):
        read_profile(tmp_path / "other.db")


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + ROUNDS))
def test_damaged_files_give_errors_of_ours_or_what_is_left(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    data = training().write(tmp_path / "whole" / NAME).read_bytes()
    path = tmp_path / NAME
    path.write_bytes(mutate(data, FILE_MUTATIONS, random))
    try:
        profile = read_profile(path)
    except FormatError:
        return
    overview_of(profile)
    if profile.trace is not None:
        with suppress(FormatError):
            arguments_of_timeline(build_timeline(profile.trace, path), path)
