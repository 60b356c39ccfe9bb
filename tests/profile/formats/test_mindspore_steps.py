# SPDX-License-Identifier: Apache-2.0
"""Steps of profiles of MindSpore before 2.3: traces of steps, and shapes that change."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from mindscope.errors import ProfilePartError
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from tests.profile.formats.test_mindspore_profiles import SCOPE, STEP_HEADER, ascend, profiler


def run(step: int, shape: str, duration: float, **more: object) -> dict[str, object]:
    return {
        "step": step, "op_side": "Device", "op_type": "MatMul", "op_name": "MatMul-op4", "dur": duration,
        "shape_info": [shape], **more,
    }  # fmt: skip


DYNAMIC = {
    "operator": {"1": [run(1, "[2,3]", 2.5), run(1, "[2,3]", 2.5)], "2": [run(2, "[4,3]", 9)], "odd": [3]},
    "kernel": {
        "2": [
            {
                "step": 2, "op_type": "cuLaunchKernel", "op_name": "gemm<4, 2>", "op_full_name": "Default/MatMul-op4",
                "dur": 7.5, "block_dim": "256,1,1", "grid_dim": "4,1,1",
            }
        ]
    },
    "operator_type": {"1": {"MatMul": [5.0, 2, 2.5]}, "2": {"MatMul": [9, 1, 9]}},
}  # fmt: skip


def test_shapes_that_change(tmp_path: Path) -> None:
    profile = read_profile(profiler(tmp_path, dynamic_shape_info_0__json=json.dumps(DYNAMIC)))
    assert (profile.steps.number.tolist(), profile.steps.duration.tolist()) == ([1, 2], [5_000, 9_000])
    assert profile.steps.start.tolist() == [0, 5_000]
    rows = [(each["shapes"], each["step"], each["count"], each["host_self"]) for each in profile.operators.rows()]
    assert rows == [("[4,3]", 2, 1, 9_000), ("[2,3]", 1, 2, 5_000)]
    assert profile.operators.to_pandas()["step"].tolist() == [2, 1]
    (kernel,) = profile.kernels.rows()
    assert (kernel["name"], kernel["total"], kernel["shape"]) == ("gemm<4, 2>", 7_500, "grid 4,1,1 block 256,1,1")
    second = profile.select_steps(2, 2)
    assert second.operators.shapes is not None
    assert list(second.operators.shapes) == ["[4,3]"]
    assert profile.select_steps(1, 1).part(Part.KERNELS).code == "mindspore_kernels"
    change = {(each["before"], each["after"]) for each in profile.select_steps(1, 1).diff(second).operators.rows()}
    assert change == {(5_000, 9_000)}


def test_types_of_steps_on_an_ascend(tmp_path: Path) -> None:
    content = json.dumps({"op_type": DYNAMIC["operator_type"]})
    profile = read_profile(
        profiler(tmp_path, dynamic_shape_info_0__json=content, output_data_preprocess_aicpu_0__txt="")
    )
    assert [(each["type"], each["count"], each["device_self"]) for each in profile.operators.rows()] == [
        ("MatMul", 1, 9_000),
        ("MatMul", 2, 5_000),
    ]


def test_a_profile_without_runs_of_steps_can_not_select_them(tmp_path: Path) -> None:
    without_timeline = ascend(tmp_path)
    (without_timeline / "output_timeline_data_1.txt").unlink()
    with pytest.raises(ProfilePartError, match="no tables of single steps"):
        read_profile(without_timeline).select_steps(1, 1)


def test_times_within_the_step_trace_tell_the_step(tmp_path: Path) -> None:
    (kernel,) = read_profile(ascend(tmp_path)).select_steps(1, 1).kernels.rows()
    assert (kernel["name"].rpartition("/")[2], kernel["count"], kernel["total"]) == ("MatMul-op4", 1, 30_000)


STEPS_BY_LINE = """\
GetNext-op0,1000 Default/Cast-op1,1500 Default/Mul-op7,3000 Default/Assign-op9,4000 Default/AllReduce-op5,3100,3600
GetNext-op0,4000 Default/Cast-op1,4100 Default/Mul-op7,5000 Default/Assign-op9,6000 Default/AllReduce-op5,5100,5200
GetNext-op0,7000
"""

STEPS_BY_POINT = """\
Default/Cast-op1 100,110 410,420
Default/Mul-op7 290,300 490,500
Default/Assign-op9 390,400 590,600
Default/AllReduce-op5 310,360 510,520
"""


@pytest.mark.parametrize(
    ("text", "durations", "intervals", "tails"),
    [
        (STEPS_BY_LINE, [3_000, 2_000], [500, 100], [1_000, 1_000]),
        (STEPS_BY_POINT, [3_000, 2_000], [0, 100], [1_000, 1_000]),
    ],
)
def test_steps_of_a_gpu(
    tmp_path: Path, text: str, durations: list[int], intervals: list[int], tails: list[int]
) -> None:
    profile = read_profile(profiler(tmp_path, step_trace_profiling_0__txt=text))
    steps = profile.steps
    assert (steps.number.tolist(), steps.duration.tolist()) == ([1, 2], durations)
    assert steps.interval is not None
    assert steps.tail is not None
    assert (steps.interval.tolist(), steps.tail.tolist()) == (intervals, tails)
    reduces = list(profile.communication.rows())
    assert [(each["kind"], each["device"], each["step"], each["duration"]) for each in reduces] == [
        ("allreduce", "GPU 0", 1, 500),
        ("allreduce", "GPU 0", 2, 100),
    ]
    assert profile.facts.properties["problems"] == (
        {"step_trace_profiling_0.txt": "1 step lacks a point."} if text == STEPS_BY_LINE else {}
    )


def test_reduces_by_stream_and_step(tmp_path: Path) -> None:
    names = ["stream_12_parallel_0", "stream_8_3_AllGather-op3"]
    columns = ",".join(f"{name}_start_point,{name}_end_point,{name}" for name in names)
    root = profiler(
        tmp_path,
        step_trace_raw_0_detail_time__csv=f"{STEP_HEADER},{columns}\n"
        "1,0,400,300,150,300,0,150,100,310,340,30,320,380,60\n2,400,700,300,450,600,50,150,100,610,640,0,0,680,60\n",
        output_timeline_data_0__txt=f"op_name,stream_id,start_time(us),duration(ms)\n{SCOPE}/MatMul-op4,7,1.5,0.001\n",
    )
    profile = read_profile(root)
    rows = [(each["stream"], each["kind"], each["step"], each["duration"]) for each in profile.communication.rows()]
    assert rows == [("12", "allreduce", 1, 300), ("8", "allgather", 1, 600)], "the second step has none"
    assert profile.communication.start is not None
    assert profile.communication.start.tolist() == [1_600, 1_700]
    assert profile.steps.duration.tolist() == [2_500, 3_000], "the first one begins with its forward pass"
    assert profile.trace is not None
    tracks = [track.thread_name for track in profile.trace.tracks if track.process == "Steps"]
    assert tracks == ["Steps", "Phases", "Stream 8, communication", "Stream 12, communication"]


def test_steps_of_graphs_within_a_network(tmp_path: Path) -> None:
    root = profiler(
        tmp_path,
        step_trace_raw_0_detail_time__csv="step_num,graph_id,start_point,end_point,total\n1,3,100,400,300\n1,4,400,450,50\n",
    )
    steps = read_profile(root).steps
    assert steps.interval is None
    assert (steps.duration.tolist(), steps.compute.tolist()) == ([3_000, 500], [3_000, 500])
    assert np.asarray(steps.extra["graph"]).tolist() == [3, 4]


def test_steps_of_an_inference(tmp_path: Path) -> None:
    root = profiler(
        tmp_path,
        step_trace_raw_0_detail_time__csv="step_num,start_point,end_point,total,fp_point,iteration_interval,fp\n"
        "1,100,400,300,150,50,250\n0,100,400,300,150,50,250\n",
    )
    steps = read_profile(root).steps
    assert steps.forward_backward is not None
    assert steps.tail is not None
    assert (steps.forward_backward.tolist(), steps.tail.tolist()) == ([2_500], [0])


@pytest.mark.parametrize("counter", ["438.0", "0.00438"])
def test_steps_of_a_profile_whose_timeline_is_a_trace(tmp_path: Path, counter: str) -> None:
    event = {"name": "MatMul-op4", "ph": "X", "pid": "0", "tid": "7", "ts": 0.5, "dur": 1}
    root = profiler(
        tmp_path,
        ascend_timeline_display_0__json=json.dumps([event]),
        min_cycle_counter_0__txt=counter,
        step_trace_raw_0_detail_time__csv=f"{STEP_HEADER}\n1,448,748,300,498,648,50,150,100\n",
    )
    assert read_profile(root).steps.start.tolist() == [100], "10 ns after the timeline begins"


def test_a_huge_counter_is_not_read(tmp_path: Path) -> None:
    event = {"name": "MatMul-op4", "ph": "X", "pid": "0", "tid": "7", "ts": 0.5, "dur": 1}
    root = profiler(tmp_path, ascend_timeline_display_0__json=json.dumps([event]), min_cycle_counter_0__txt="438.0")
    os.truncate(root / "min_cycle_counter_0.txt", 4 << 30)  # sparse
    problems = dict(read_profile(root).facts.properties["problems"])
    assert problems["min_cycle_counter_0.txt"].code == "profile_file_large"
