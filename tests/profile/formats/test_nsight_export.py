# SPDX-License-Identifier: Apache-2.0
"""Exports of Nsight Systems: counts and sums of the tables, links, steps, oddities, damage."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from mindscope.errors import FormatError, ProfilePartError
from mindscope.profile.formats.step_names import step_numbers
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.open_arguments import open_arguments
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from mindscope.profile.tables.steps import PARTS
from mindscope.profile.texts import Missing
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.table.columns import TextColumn
from tests.fuzz.mutations import FILE_MUTATIONS, mutate
from tests.profile.nsight_events import BACKWARD, EPOCH, MAIN, SCHEMA, US, Export, tid, training
from tests.profile.slice_arguments import all_arguments, arguments_of_timeline

ROUNDS = int(os.environ.get("MINDSCOPE_FUZZ_ROUNDS", "3")) * 10
FIRST_SEED = int(os.environ.get("MINDSCOPE_FUZZ_SEED", "0"))
EVENTS = (
    "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "NVTX_EVENTS", "OSRT_API", "GPU_METRICS",
    "CUDA_GPU_MEMORY_USAGE_EVENTS",
)  # fmt: skip


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return training().write(tmp_path / "report.sqlite")


@pytest.fixture
def profile(export: Path) -> Profile:
    return read_profile(export)


def query(path: Path, text: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as file:
        return file.execute(text).fetchall()


def read_and_skipped(profile: Profile) -> int:
    assert profile.trace is not None
    return profile.trace.read + sum(each.count for each in profile.trace.skipped.values())


def test_all_events_are_read_or_counted(export: Path, profile: Profile) -> None:
    assert profile.trace is not None
    assert read_and_skipped(profile) == sum(query(export, f"SELECT count(*) FROM {name}")[0][0] for name in EVENTS)
    assert profile.trace.skipped == {}
    assert profile.trace.origin_ns == EPOCH + 500 * US
    assert profile.facts.properties["unread_tables"] == {"SCHED_EVENTS": 1}
    assert [(each.name, each.model, each.memory) for each in profile.devices] == [
        ("CPU", "", 0), ("GPU 0", "NVIDIA H200", 150 << 30),
    ]  # fmt: skip


def test_counts_and_sums_of_kernels_are_those_of_the_tables(export: Path, profile: Profile) -> None:
    want = query(
        export,
        "SELECT s.value, streamId, count(*), sum(end - start), max(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL "
        "JOIN StringIds s ON s.id = demangledName GROUP BY 1, 2",
    )
    kernels = profile.kernels.group_by("name", "stream")
    found = {
        (row["name"], row["stream"]): (row["count"], row["total"], row["max"]) for row in kernels.rows()
    }  # fmt: skip
    assert {(name, f"stream {stream}"): rest for name, stream, *rest in want} == {
        key: list(row) for key, row in found.items() if not key[0].startswith("Mem")
    }
    assert found["Memcpy HtoD (Pageable -> Device)", "stream 7"] == (3, 150 * US, 50 * US)
    (copied,) = [row for row in kernels.rows() if row["kind"] == "copy"]
    assert copied["size"] == 3 << 20


def test_a_kernel_belongs_to_the_operator_around_its_launch(profile: Profile) -> None:
    of = {(row["operator"], row["name"].split("(")[0]): row["total"] for row in profile.kernels.rows()}
    assert of["aten::addmm", "void gemm_f32"] == 450 * US
    assert of["aten::mm", "void gemm_f32"] == 600 * US
    operators = {row["name"]: row for row in profile.operators.group_by("name").rows()}
    assert operators["aten::linear"]["device_total"] == operators["aten::addmm"]["device_self"] == 450 * US
    assert operators["aten::mm"]["phase"] == "backward"
    assert operators["aten::addmm"]["phase"] == "forward"
    assert operators["aten::addmm"]["shapes"] == "[[10],[64,128],[128,10]]"
    assert operators["aten::addmm"]["count"] == 3
    assert operators["aten::mm"]["flops"] == 3 * 2 * 64 * 10 * 128


def test_each_nanosecond_of_a_step_has_one_part(profile: Profile) -> None:
    steps = profile.steps
    assert steps.number.tolist() == [0, 1, 2]
    assert (steps.duration == 980 * US).all()
    assert np.sum([steps.part(part) for part in PARTS], axis=0).tolist() == steps.duration.tolist()
    assert (steps.compute == 350 * US).all()
    assert steps.communication is not None
    assert (steps.communication == 50 * US).all()
    assert steps.overlapped is not None
    assert (steps.overlapped == 50 * US).all()
    assert steps.copy is not None
    assert (steps.copy == 50 * US).all()
    assert steps.data_waiting is not None
    assert (steps.data_waiting == 40 * US).all()
    assert steps.device_busy is not None
    assert (steps.device_busy == 450 * US).all()


def test_streams_wait_for_launches(profile: Profile) -> None:
    streams = {row["stream"]: row for row in profile.streams.rows()}
    assert set(streams) == {"stream 7", "stream 9"}
    assert streams["stream 7"]["kernels"] == 9
    assert streams["stream 7"]["launches"] == 9
    assert streams["stream 7"]["busy"] == 3 * 400 * US
    assert streams["stream 9"]["host_wait"] == 2 * 900 * US


def test_occupancy_is_estimated_from_the_limits_of_the_device(profile: Profile) -> None:
    """264 blocks of 8 warps on 132 multiprocessors: two blocks of 256 threads among 2048."""
    overview = overview_of(profile)
    gemm = profile.kernels.select(profile.kernels.name.is_any_of(lambda name: "gemm" in name))
    assert gemm.blocks_per_sm == pytest.approx(2)
    assert gemm.occupancy == pytest.approx(0.25)
    assert overview.occupancy is not None


def test_overview_and_advice(profile: Profile) -> None:
    overview = overview_of(profile)
    assert overview.steps == 3
    assert overview.device_busy == pytest.approx(450 / 980)
    assert overview.overlap == pytest.approx(0.5)
    assert overview.peaks[0].allocated == 1 << 20
    codes = {each.code for each in overview.advice}
    assert {"pageable_copies", "no_tensor_cores", "host_bound"} <= codes | {"low_device_use"}
    assert {"pageable_copies", "no_tensor_cores"} <= codes


def test_memory_annotations_communication_and_batches(profile: Profile) -> None:
    assert profile.memory.blocks is not None
    assert profile.memory.blocks.size.tolist() == [1 << 20] * 3
    names = set(profile.annotations.name.values)
    assert {"Optimizer.step#SGD.step", "checkpoint"} <= names
    assert not any(name.startswith("ProfilerStep") for name in profile.annotations.name)
    assert profile.communication.kind.values == ["allreduce"]
    assert len(profile.communication) == 3
    assert profile.data_pipeline.batches is not None
    assert profile.data_pipeline.batches.wait.tolist() == [40 * US] * 3


def test_the_timeline_has_a_row_for_each_stream_and_thread(profile: Profile, export: Path) -> None:
    assert profile.trace is not None
    timeline = build_timeline(profile.trace, export)
    names = {(each.process_name, each.thread_name) for each in timeline.tracks}
    assert {
        ("GPU 0", "stream 7"), ("GPU 0", "stream 9"), ("python3.11", f"thread {MAIN}"),
        ("python3.11", f"thread {BACKWARD} (pt_autograd_0)"), ("python3.11", "ProfilerStep"),
    } <= names  # fmt: skip
    assert len(timeline.flows.source) == 12
    assert timeline.flows.unbound == 0
    launch, kernel = int(timeline.flows.source[0]), int(timeline.flows.target[0])
    assert timeline.names[int(timeline.name[launch])] == "cudaMemcpyAsync"
    assert timeline.names[int(timeline.name[kernel])].startswith("Memcpy HtoD")
    counters = {each.name: each.values.tolist() for each in timeline.counters}
    assert counters["SMs Active [Throughput %]"] == [40, 41, 42]
    assert counters["GPU 0 allocated"] == [1 << 20, 0] * 3
    assert [timeline.names[int(name)] for name in timeline.marks.name] == ["epoch ends"]


def test_slices_have_the_cells_of_their_rows(profile: Profile, export: Path, tmp_path: Path) -> None:
    found = dict(reversed(all_arguments(profile, export, tmp_path)))  # the first of each name
    kernel = found["void gemm_f32(float*, float const*)"]
    assert kernel == {
        "grid": [264, 1, 1], "block": [256, 1, 1], "deviceId": 0, "contextId": 1, "streamId": 7, "correlationId": 2,
        "demangledName": "void gemm_f32(float*, float const*)", "shortName": "void", "registersPerThread": 32,
        "staticSharedMemory": 0, "dynamicSharedMemory": 1024,
    }  # fmt: skip
    copy = found["Memcpy HtoD (Pageable -> Device)"]
    assert (copy["bytes"], copy["copyKind"], copy["srcKind"], copy["dstKind"], copy["correlationId"]) == (
        1 << 20, "HtoD", "Pageable", "Device", 1,
    )  # fmt: skip
    assert found["cudaMemcpyAsync"]["nameId"] == "cudaMemcpyAsync_v3020"
    assert found["aten::to"] == {"eventType": 59, "textId": "aten::to, op_id = 3", "domainId": 0}
    assert found["ProfilerStep#0"]["text"] == "ProfilerStep#0"
    assert found["Context Sync"]["syncType"] == "Context Sync"
    assert found["read"]["nameId"] == "read"


def test_payloads_and_odd_cells_of_rows(tmp_path: Path) -> None:
    made = training(1)
    made.range("payload", 1, 1)
    made.change(int64Value=-7, doubleValue=0.5, jsonText='{"a": 1}', binaryData=bytes(range(40)), text2="")
    made.range("odd", 2, 1)
    made.change(int64Value="seven", doubleValue=float("inf"), jsonText="x" * (2 << 20), domainId=None)
    made.kernel("k", 10, 5, 77, gridX=None, registersPerThread=1 << 62, shortName=987654)
    payload = "textId INTEGER, int64Value, doubleValue, jsonText, binaryData, text2, domainId"
    schema = SCHEMA.replace("textId INTEGER, domainId", payload)
    path = made.write(tmp_path / "odd.sqlite", schema)
    found = dict(all_arguments(read_profile(path), path, tmp_path))
    assert found["payload"] == {
        "eventType": 59, "text": "payload", "int64Value": -7, "doubleValue": 0.5, "jsonText": '{"a": 1}',
        "binaryData": bytes(range(32)).hex(" ") + " ... (40 bytes)", "domainId": 0,
    }  # fmt: skip
    assert (found["odd"]["int64Value"], found["odd"]["doubleValue"]) == ("seven", "inf")
    assert len(found["odd"]["jsonText"]) == (1 << 20) + 3
    assert "domainId" not in found["odd"]
    kernel = found["k"]
    assert (kernel["gridY"], kernel["registersPerThread"], kernel["shortName"]) == (1, 1 << 62, 987654)
    assert kernel.keys().isdisjoint(("grid", "gridX"))


def test_rows_that_are_gone_have_no_arguments(profile: Profile, export: Path) -> None:
    assert profile.trace is not None
    timeline = build_timeline(profile.trace, export)
    with closing(sqlite3.connect(export)) as file, file:
        file.execute("DROP TABLE StringIds")
        file.execute("DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY")
    found = dict(arguments_of_timeline(timeline, export))
    assert found["Memcpy HtoD (Pageable -> Device)"] == {}
    assert found["void gemm_f32(float*, float const*)"]["registersPerThread"] == 32
    assert isinstance(found["cudaMemcpyAsync"]["nameId"], int)
    export.write_bytes(b"no database")
    with pytest.raises(FormatError):
        open_arguments(export, timeline).read(1, 0)


def test_tables_without_numbers_of_rows_have_no_arguments(tmp_path: Path) -> None:
    schema = SCHEMA.replace("nameId INTEGER, returnValue INTEGER);", "nameId INTEGER, returnValue INTEGER, PRIMARY KEY"
                            " (start, correlationId)) WITHOUT ROWID;", 1)  # fmt: skip
    path = training().write(tmp_path / "report.sqlite", schema)
    found = dict(all_arguments(read_profile(path), path, tmp_path))
    assert found["cudaLaunchKernel"] == {}
    assert found["aten::linear"]["text"].startswith("aten::linear, seq = ")


def test_a_range_of_steps(profile: Profile) -> None:
    part = profile.select_steps(1, 1)
    assert part.steps.number.tolist() == [1]
    assert part.kernels.count.sum() == 4
    assert part.operators.count.sum() * 3 == profile.operators.count.sum()


@pytest.mark.parametrize("name", ["step {}", "train_step_{}", "Iteration #{}", "iter: {}"])
def test_steps_by_other_names_keep_them(tmp_path: Path, name: str) -> None:
    made = training(name=name)
    made.range("validate batch 3", 510, 10)
    profile = read_profile(made.write(tmp_path / "report.sqlite"))
    assert profile.steps.number.tolist() == [0, 1, 2]
    assert profile.trace is not None
    assert name.format(1) in profile.trace.names
    assert "validate batch 3" in set(profile.annotations.name)
    path = tmp_path / "report.sqlite"
    assert read_and_skipped(profile) == sum(query(path, f"SELECT count(*) FROM {name}")[0][0] for name in EVENTS)


def test_no_range_that_is_no_step_counts() -> None:
    names = TextColumn.of(["Optimizer.step#SGD.step", "aten::mm", "layer 3", "stepping stone"])
    assert step_numbers(names, np.ones(4, np.int64)).tolist() == [-1] * 4


def test_processes_may_use_the_same_numbers_of_launches(tmp_path: Path) -> None:
    made = training(1)
    other = 1 << 56 | 99 << 24
    made.kernel("other", 400, 10, 2, globalPid=other)
    made.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=390 * US, end=391 * US, globalTid=other | 99, correlationId=2,
             nameId=made.string("cuLaunchKernel"))  # fmt: skip
    profile = read_profile(made.write(tmp_path / "report.sqlite"))
    assert {row["operator"] for row in profile.kernels.rows() if row["name"] == "other"} == {""}
    assert profile.trace is not None
    assert sum(track.thread.startswith("stream 7") for track in profile.trace.tracks) == 2


def test_rows_without_times_are_counted(tmp_path: Path) -> None:
    made = training(1)
    path = made.write(tmp_path / "before.sqlite")
    before = read_profile(path)
    made.kernel("cut", 1, 1, 7)
    made.change(start=None)
    made.kernel("text", 1, 1, 7)
    made.change(end="soon")
    made.kernel("numeric text", 1, 1, 7)
    made.change(start="1000", end="3000")
    made.kernel("negative", 10, -5, 7)
    made.kernel("overflow", 10, 8 * 86_400 * 1_000_000, 7)
    made.add("NVTX_EVENTS", start=5, end=None, eventType=59, text="open", globalTid=tid(MAIN))
    made.add("NVTX_EVENTS", start=5, end=None, eventType=75, text="a domain", globalTid=tid(MAIN))
    profile = read_profile(made.write(tmp_path / "after.sqlite"))
    assert profile.trace is not None
    assert before.trace is not None
    assert {name: each.count for name, each in profile.trace.skipped.items()} == {
        "no_time": 2, "bad_duration": 2, "unpaired": 1, "other_phase": 1,
    }  # fmt: skip
    assert profile.trace.read == before.trace.read + 1
    (row,) = [row for row in profile.kernels.rows() if row["name"] == "numeric text"]
    assert row["total"] == 2000


@pytest.mark.parametrize("table", EVENTS)
def test_a_missing_table_loses_nothing_else(tmp_path: Path, table: str) -> None:
    path = training().write(tmp_path / "report.sqlite")
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(f"DROP TABLE {table}")
    profile = read_profile(path)
    overview = overview_of(profile)
    assert read_and_skipped(profile) == sum(
        query(path, f"SELECT count(*) FROM {name}")[0][0] for name in EVENTS if name != table
    )
    assert overview.missing.keys() <= {
        Part.MODULES, Part.LINKS, Part.STEPS, Part.OPERATORS, Part.MEMORY, Part.ANNOTATIONS, Part.DATA_PIPELINE,
        Part.KERNELS, Part.COMMUNICATION, Part.STREAMS,
    }  # fmt: skip


def test_views_triggers_and_generated_columns_are_not_run(tmp_path: Path) -> None:
    path = training(1).write(tmp_path / "report.sqlite")
    with closing(sqlite3.connect(path)) as file, file:
        file.executescript(
            """
            ALTER TABLE OSRT_API RENAME TO other;
            CREATE VIEW OSRT_API AS SELECT randomblob(1000000000) AS start, 1 AS end, 1 AS nameId, 1 AS globalTid;
            CREATE TRIGGER t INSTEAD OF INSERT ON OSRT_API BEGIN DELETE FROM other; END;
            DROP TABLE GPU_METRICS;
            CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER,
              value INTEGER AS (length(zeroblob(100000000))));
            INSERT INTO GPU_METRICS (timestamp, typeId, metricId) VALUES (1, 1, 1);
            """
        )
    profile = read_profile(path)
    assert profile.trace is not None
    assert "read" not in profile.trace.names
    assert profile.trace.skipped["no_time"].count == 1  # the metric has no value


def test_other_shapes_of_tables(tmp_path: Path) -> None:
    schema = SCHEMA.replace("NVTX_EVENTS (start INTEGER", "NVTX_EVENTS (Start TEXT").replace(
        "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
        "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value BLOB) WITHOUT ROWID",
    )
    assert read_profile(training().write(tmp_path / "a.sqlite", schema)).steps.number.tolist() == [0, 1, 2]


def test_a_column_that_is_missing_has_no_value(tmp_path: Path) -> None:
    path = training(1).write(tmp_path / "report.sqlite")
    with closing(sqlite3.connect(path)) as file, file:
        for column in ("gridX", "streamId", "globalPid", "demangledName"):
            file.execute(f"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN {column}")
    kernels = read_profile(path).kernels
    assert "void" in set(kernels.name)  # the short name


def test_a_journal_beside_the_file_is_noted(export: Path) -> None:
    export.with_name("report.sqlite-wal").write_bytes(b"x" * 100)
    profile = read_profile(export)
    assert "report.sqlite-wal" in profile.facts.properties["problems"]
    assert profile.kernels.name.values != []


def test_a_locked_file_is_read(export: Path) -> None:
    with closing(sqlite3.connect(export)) as file:
        file.execute("BEGIN EXCLUSIVE")
        assert len(read_profile(export).steps) == 3
    assert sorted(path.name for path in export.parent.iterdir()) == ["report.sqlite"]


def test_what_is_no_export_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.sqlite").write_bytes(b"SQLite format 3\x00" + bytes(100))
    (tmp_path / "text.sqlite").write_text("CREATE TABLE StringIds")
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as file, file:
        file.execute("CREATE TABLE bookmarks (url TEXT)")
    for name in ("notes", "text", "other"):
        with pytest.raises(FormatError, match="no profile"):
            read_profile(tmp_path / f"{name}.sqlite")


def test_an_export_without_events(tmp_path: Path) -> None:
    profile = read_profile(Export().write(tmp_path / "empty.sqlite"))
    assert overview_of(profile).steps == 0
    assert all(isinstance(profile.part(part), Missing) for part in Part if part is not Part.FURTHER_TABLES)
    with pytest.raises(ProfilePartError, match=re.escape('record it by with torch.cuda.nvtx.range(f"step {step}"):')):
        _ = profile.steps


def test_streams_and_devices_of_odd_numbers(tmp_path: Path) -> None:
    made = Export()
    for stream in (-1, 0xFFFFFFFF, 1 << 62, -(1 << 63)):
        made.kernel("k", 10, 5, 0, stream)
        made.kernel("k", 10, 5, 0, 7, deviceId=stream, globalPid=stream)
    profile = read_profile(made.write(tmp_path / "odd.sqlite"))
    assert profile.kernels.count.sum() == 8


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + ROUNDS))
def test_damaged_files_give_errors_of_ours_or_what_is_left(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    data = training(2).write(tmp_path / "whole.sqlite").read_bytes()
    broken = mutate(data, FILE_MUTATIONS, random)
    path = tmp_path / "broken.sqlite"
    path.write_bytes(broken)
    try:
        profile = read_profile(path)
    except FormatError:
        return
    overview_of(profile)
    if profile.trace is not None:
        with suppress(FormatError):
            arguments_of_timeline(build_timeline(profile.trace, path), path)
