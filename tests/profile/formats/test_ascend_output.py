# SPDX-License-Identifier: Apache-2.0
"""Profiles of MindSpore from 2.3 on and of torch_npu, and what may be wrong with their files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_profiles import BASE_US, KERNEL_DETAILS, STEP_TRACE, ascend_output, write

from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import find_profiles, read_profile
from mindscope.profile.tables.memory import UNKNOWN_TIME
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.trace.arguments import ArgumentFile


def test_facts(tmp_path: Path) -> None:
    profile = read_profile(ascend_output(tmp_path))
    facts = profile.facts
    assert (profile.format, facts.framework, profile.rank, facts.worker) == ("ascend_output", "mindspore", 3, "host_71")
    assert [device.name for device in profile.devices] == ["CPU", "NPU 3"]
    assert facts.properties["ms_version"] == "2.9"
    assert facts.origin_ns == BASE_US * 1000
    assert profile.trace is not None
    assert profile.trace.slices.start.tolist() == [0, 120_000, 10_250], "stamps are exact, and count from the first"
    assert profile.trace.slices.duration.tolist() == [110_000, 90_500, 18_400]
    assert read_profile(ascend_output(tmp_path / "b", "host_9_20270115080000000_ascend_pt")).facts.framework == "torch"


def test_steps(tmp_path: Path) -> None:
    steps = read_profile(ascend_output(tmp_path)).steps
    assert steps.number.tolist() == [5, 6]
    assert steps.start.tolist() == [0, 120_000], "of the marks in the trace"
    assert steps.duration.tolist() == [110_000, 90_500]
    assert steps.compute.tolist() == [81_500, 60_000]
    assert steps.part("communication").tolist() == [20_000, 20_500]
    assert steps.idle.tolist() == [8_500, 10_000]
    assert steps.extra["preparing"].tolist() == [500, 1_250]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("content", "above", "listed", "numbers"),
    [
        ('{"mindscope": {"steps": [104, 105]}}', "any", (104, 105), [104, 105]),
        ('{"mindscope": {"steps": [104]}}', "rank0_start7_stop9", (104, 104), [5, 6]),
        ('{"mindscope": {"steps": [104, "x"]}}', "rank0_start7_stop9", (7, 9), [5, 6]),
        ('{"mindscope": 3}', "rank0_start9_stop7", None, [5, 6]),
        ("{", "rank12_start0_stop0", (0, 0), [5, 6]),
        (None, "start1_stop2", None, [5, 6]),
    ],
)
def test_steps_of_the_run(
    tmp_path: Path, content: str | None, above: str, listed: tuple[int, int] | None, numbers: list[int]
) -> None:
    root = ascend_output(tmp_path / above)
    if content is not None:
        write(root / "mindscope.json", content)
    (found,) = find_profiles(tmp_path)
    assert found.format.steps(found.path) == listed
    assert found.read().steps.number.tolist() == numbers


def test_steps_of_the_older_header_without_marks(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    (root / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").unlink()
    header = "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Other"
    write(
        root / "ASCEND_PROFILER_OUTPUT" / "step_trace_time.csv",
        f"\ufeff{header}\r\n1,5,1,0,1,4,77,66,1\r\n2,6,1,0,1,3,99,88,1\r\n".encode(),
    )
    profile = read_profile(root)
    assert profile.trace is None
    assert profile.steps.duration.tolist() == [10_000, 10_000], "Stage of one version is computed from other rows"
    assert profile.steps.start.tolist() == [0, 10_000]


def test_kernels_and_operators(tmp_path: Path) -> None:
    profile = read_profile(ascend_output(tmp_path))
    kernels = {row["name"]: row for row in profile.kernels.rows()}
    matmul = kernels["Default/network-Net/fc1-Dense/MatMul-op4"]
    assert (matmul["count"], matmul["total"], matmul["min"], matmul["max"]) == (2, 40_000, 18_400, 21_600)
    assert (matmul["kind"], matmul["core"], matmul["stream"]) == ("compute", "AI_CORE", "2")
    assert matmul["shape"] == "8,64;64,10"
    assert kernels["hcom_allReduce__844_2_1"]["kind"] == "communication"
    operators = list(profile.operators.rows())
    assert [row["device_self"] for row in operators] == [40_000, 30_000, 24_000]
    assert [(row["type"], row["phase"]) for row in operators[:2]] == [
        ("MatMulV2", "forward"),
        ("MatMulV2", "backward"),
    ]
    assert {row["module"] for row in operators[:2]} == {"network-Net/fc1-Dense"}
    assert profile.facts.properties["problems"] == {"kernel_details.csv": "1 row could not be read."}


def test_modules(tmp_path: Path) -> None:
    modules = list(read_profile(ascend_output(tmp_path)).modules.rows())
    assert [(row["path"], row["parent"], row["count"]) for row in modules] == [
        ("network-Net", -1, 2),
        ("network-Net/fc1-Dense", 0, 2),
    ]
    assert [(row["device_total"], row["device_self"]) for row in modules] == [(70_000, 0), (70_000, 70_000)]


def test_memory(tmp_path: Path) -> None:
    memory = read_profile(ascend_output(tmp_path)).memory
    assert memory.curve.time.tolist() == [10_000, 20_000]
    assert memory.curve.allocated.tolist() == [1 << 19, 3 << 19]
    assert set(memory.curve.device) == {"NPU 3"}
    blocks = memory.blocks
    assert blocks is not None
    assert blocks.size.tolist() == [512 << 10, 1 << 20]
    assert blocks.freed_at.tolist() == [30_000, UNKNOWN_TIME]
    assert [row["operator"] for row in blocks.live_at(25_000).rows()] == ["aten::empty", "aten::mm"]


def test_communication(tmp_path: Path) -> None:
    profile = read_profile(ascend_output(tmp_path))
    assert list(profile.communication.rows()) == [
        {
            "name": "hcom_allReduce__844_2_1", "kind": "allreduce", "group": "8440", "sequence": 2, "step": 5,
            "device": "NPU 3", "start": 50_000, "duration": 24_000, "transit": 14_000, "wait": 10_000,
            "synchronization": 4_000, "size": 2_000_000, "sdma_time": 20_000, "sdma_size": 2_000_000,
        }
    ]  # fmt: skip
    (link,) = profile.links.rows()
    assert (link["source"], link["destination"], link["kind"], link["step"]) == (3, 4, "HCCS", 5)
    assert link["size"] / link["transit"] == 100.0


def test_operators_of_calls_come_first(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    write(
        root / "ASCEND_PROFILER_OUTPUT" / "operator_details.csv",
        "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),Device Self Duration(us),"
        "Device Total Duration(us)\n"
        'aten::mm,"8,64;64,10","a.py(3): f;\r\nb.py(4): g;\r\n",5.5,7,18.4,18.4\n'
        'aten::mm,"8,64;64,10","a.py(3): f;\r\nb.py(4): g;\r\n",4.5,6,21.6,21.6\n',
    )
    (row,) = read_profile(root).operators.rows()
    assert (row["count"], row["host_self"], row["device_self"], row["max"]) == (2, 10_000, 40_000, 21_600)
    assert (row["type"], row["stack"]) == ("mm", "a.py(3): f;b.py(4): g")


def test_types_where_nothing_else_is_recorded(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    output = root / "ASCEND_PROFILER_OUTPUT"
    (output / "kernel_details.csv").unlink()
    write(
        output / "op_statistic.csv",
        "Device_id,OP Type,Core Type,Count,Total Time(us),Max Time(us)\n3,Add,AI_CORE,4,8,3\n",
    )
    profile = read_profile(root)
    (row,) = profile.operators.rows()
    assert (row["type"], row["count"], row["device_self"]) == ("Add", 4, 8_000)
    assert "kernel_details.csv is missing" in profile.missing[Part.KERNELS].reason


def test_tables_cut_into_slices(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    output = root / "ASCEND_PROFILER_OUTPUT"
    header, *rows = KERNEL_DETAILS.splitlines()
    (output / "kernel_details.csv").unlink()
    for number, row in enumerate(rows[:3]):
        write(output / f"kernel_details_slice_{number * 5}.csv", f"{header}\n{row}\n")
    kernels = read_profile(root).kernels
    assert int(kernels.count.sum()) == 3


FILES = ("step_trace_time.csv", "kernel_details.csv", "memory_record.csv", "communication.json", "trace_view.json")
DAMAGED = (
    b"", b"\n\n", b"a,b,c\n", b"\x00\xff\xfe\x00", b"{", b"[1, 2]", b'{"step1": {"collective": {"a": 3}}}', b'"' * 1000,
    b"\xef\xbb\xbf", b"Step\n",
)  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_leaves_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, content: bytes
) -> None:
    root = ascend_output(tmp_path)
    write(root / "ASCEND_PROFILER_OUTPUT" / name, content)
    profile = read_profile(root)
    missing = profile.missing
    assert len([each for each in missing.values() if each.code not in ("not_in_format", "not_in_steps")]) <= 4
    assert all(found.reason for found in missing.values())
    if name != "kernel_details.csv":
        assert len(profile.kernels) == 3
    if name not in ("step_trace_time.csv", "trace_view.json"):
        assert profile.steps.number.tolist() == [5, 6]
    assert caplog.records == [], "the profile names its problems"


@pytest.mark.parametrize("size", range(0, len(STEP_TRACE), 7))
def test_a_file_that_is_still_written(tmp_path: Path, size: int) -> None:
    root = ascend_output(tmp_path)
    write(root / "ASCEND_PROFILER_OUTPUT" / "step_trace_time.csv", STEP_TRACE[:size])
    read_profile(root).part(Part.STEPS)


def test_names_in_gbk_and_of_markup(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    text = KERNEL_DETAILS.replace("network-Net", "网络-Net").replace("fc1-Dense", "<b>-Dense")
    write(root / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv", text.encode("gb18030"))
    assert "Default/网络-Net/<b>-Dense/MatMul-op4" in set(read_profile(root).kernels.name)


def test_durations_that_are_no_numbers_count_as_nothing(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    header = "Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
    write(
        root / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv",
        header + "a,A,AI_CORE,1,N/A\na,A,AI_CORE,2,inf\na,A,AI_CORE,3,-7\na,A,AI_CORE,,1e400\na,A,AI_CORE,4,2\n",
    )
    (row,) = read_profile(root).kernels.rows()
    assert (row["count"], row["total"]) == (5, 2_000)


def test_a_profile_is_found_below_a_run(tmp_path: Path) -> None:
    root = ascend_output(tmp_path / "run")
    assert [found.path for found in find_profiles(tmp_path)] == [root]
    empty = tmp_path / "empty" / "x_ascend_ms" / "ASCEND_PROFILER_OUTPUT"
    empty.mkdir(parents=True)
    profile = read_profile(empty.parent)
    assert profile.trace is None
    assert profile.missing.keys() == set(Part) - {Part.FURTHER_TABLES}
    assert np.isclose(len(profile.facts.properties["problems"]), 0)


def test_timeline_with_arguments(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    trace = read_profile(root).trace
    assert trace is not None
    timeline = build_timeline(trace, root)
    (row,) = np.flatnonzero(timeline.args_size)
    read = ArgumentFile(root).read(int(timeline.args_offset[row]), int(timeline.args_size[row]))
    assert read == {"Task Type": "AI_CORE", "Stream Id": 2}
    (root / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").unlink()
    assert ArgumentFile(root).read(-1, 0) == {}
