# SPDX-License-Identifier: Apache-2.0
"""Results of CANN's own profiler, made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_profiles import write

from mindscope.errors import FormatError
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import find_profiles, read_profile

NAME = "PROF_000001_20270115080000000_ABCDEFGHIJKLMNOP"
SLICE = {"ph": "X", "name": "MatMul", "pid": 1, "tid": 2, "ts": "1800000000000010.250", "dur": 3, "args": {"a": 1}}
SUMMARY = """Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),\
Task Duration(us),Task Wait Time(us),Block Dim,Input Shapes
2,1,4,7,Default/network-Net/fc1-Dense/MatMul-op4,MatMulV2,static,AI_CORE,"1800000000000010.250\t",18.4,0,20,"8,64"
2,1,5,7,Default/network-Net/fc1-Dense/MatMul-op4,MatMulV2,static,AI_CORE,"1800000000000040.250\t",21.6,0,20,"8,64"
"""
TASKS = """Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)
2,MatMul_1,AI_CORE,7,4,5.5,1,6.5
2,N/A,EVENT_RECORD,7,5,0,7,7
"""


def msprof(directory: Path, folder: str = "mindstudio_profiler_output") -> Path:
    root = directory / NAME
    write(root / "info.json.2", {"rank_id": 2, "devices": "2"})
    write(root / folder / "msprof_20270115080001.json", [SLICE])
    write(root / folder / "msprof_20270115070001.json", [])
    write(root / folder / "op_summary_20270115080001.csv", SUMMARY)
    return root


@pytest.mark.parametrize("folder", ["mindstudio_profiler_output", "device_2/summary"])
def test_kernels_and_operators(tmp_path: Path, folder: str) -> None:
    profile = read_profile(msprof(tmp_path, folder))
    assert (profile.format, profile.rank) == ("msprof", 2)
    (kernel,) = profile.kernels.rows()
    assert (kernel["count"], kernel["total"], kernel["stream"], kernel["device"]) == (2, 40_000, "7", "NPU 2")
    (operator,) = profile.operators.rows()
    assert (operator["type"], operator["module"]) == ("MatMulV2", "network-Net/fc1-Dense")
    assert profile.trace is not None
    assert profile.trace.slices.start.tolist() == [1_800_000_000_000_010_250], "of the newest export"
    assert Part.STEPS in profile.missing


def test_files_of_single_iterations_are_all_read(tmp_path: Path) -> None:
    root = tmp_path / NAME
    write(root / "device_1" / "info.json.1", {"devices": "1"})
    write(root / "device_1" / "info.json.1.done", "")
    folder = root / "device_1" / "summary"
    for iteration in range(1, 11):
        write(folder / f"op_summary_1_1_{iteration}.csv", SUMMARY)
        write(root / "device_1" / "timeline" / f"msprof_1_1_{iteration}.json", [SLICE])
    write(folder / "op_summary_1_1_11.csv", "Other,Columns\n1,2\n")
    profile = read_profile(root)
    assert profile.rank == 1, "the number of its device, which the mark of the end does not hide"
    kernels = profile.kernels
    assert (int(kernels.count.sum()), int(kernels.total.sum())) == (20, 400_000)
    assert sorted(kernels.to_pandas()["step"]) == list(range(1, 11))
    assert profile.operators.group_by("name").count.tolist() == [20]
    problems = profile.facts.properties["problems"]
    assert problems["op_summary_1_1_11.csv"].code == "profile_columns_missing"
    (left_out,) = (each for each in problems.values() if each.code == "profile_timelines_left_out")
    assert left_out.values["count"] == 9


def test_slices_of_the_newest_export_are_one_table(tmp_path: Path) -> None:
    folder = msprof(tmp_path) / "mindstudio_profiler_output"
    (folder / "op_summary_20270115080001.csv").unlink()
    for name in ("slice_0_20270115080001", "slice_1_20270115080001", "slice_0_20270115070001"):
        write(folder / f"op_summary_{name}.csv", SUMMARY)
    kernels = read_profile(folder.parent).kernels
    assert (int(kernels.count.sum()), "step" in kernels.columns()) == (4, False)


def test_a_directory_of_another_name(tmp_path: Path) -> None:
    root = msprof(tmp_path).rename(tmp_path / "my_results")
    assert [(each.path, each.format.name) for each in find_profiles(tmp_path)] == [(root, "msprof")]


def test_tasks_where_no_summary_is(tmp_path: Path) -> None:
    root = msprof(tmp_path)
    (root / "mindstudio_profiler_output" / "op_summary_20270115080001.csv").unlink()
    write(root / "mindstudio_profiler_output" / "task_time_20270115080001.csv", TASKS)
    (kernel,) = read_profile(root).kernels.rows()
    assert (kernel["name"], kernel["total"]) == ("MatMul_1", 5_500)


def test_raw_data_alone(tmp_path: Path) -> None:
    (tmp_path / NAME / "device_2" / "data").mkdir(parents=True)
    profile = read_profile(tmp_path)
    assert profile.trace is None
    assert profile.missing.keys() == set(Part) - {Part.FURTHER_TABLES}


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"a,b\n1,2,3\n", b"{}"])
def test_damaged_files(tmp_path: Path, content: bytes) -> None:
    root = msprof(tmp_path)
    for file in [*root.glob("*/*"), root / "info.json.2"]:
        write(file, content)
    assert read_profile(root).missing


def test_results_of_a_single_operator_are_named(tmp_path: Path) -> None:
    root = tmp_path / "OPPROF_20270115080000000_ABCDEFGHIJKLMNOP"
    root.mkdir()
    assert len(list(find_profiles(tmp_path))) == 1
    with pytest.raises(FormatError, match="is of msprof op, which measures a single operator"):
        read_profile(root)
