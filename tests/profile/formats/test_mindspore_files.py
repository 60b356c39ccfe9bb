# SPDX-License-Identifier: Apache-2.0
"""Files of MindSpore before 2.3 beside those of operators and steps: FLOPs, plans of memory, shapes, strategies."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.errors import FormatError, ProfilePartError
from mindscope.profile.advice import advise
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import find_profiles, read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.tables.columns import TextColumn
from mindscope.profile.tables.memory import UNKNOWN_TIME
from tests.profile.formats.test_mindspore_profiles import SCOPE, STEP_HEADER, ascend, profiler
from tests.profile.made_profiles import write

GIB = 1 << 30
TWO_UNITS = "MFLOPs(10^6 cube), GFLOPS(10^9 cube), FLOPS utilization(cube), MFLOPs(10^6 vector), GFLOPS(10^9 vector), "
TYPES = "kernel_type,total_time,execution_frequency,percent\nCast,2.5,30,7.1\n"


@pytest.mark.parametrize(
    ("header", "row", "flops", "utilization", "vector"),
    [
        ("full_kernel_name, FLOPs, FLOPS, FLOPS utilization", "2.5, 300, 12", 7_500_000, 0.12, None),
        ("op_full_name, MFLOPs(10^6), GFLOPS(10^9), FLOPS utilization(%) ", "2.5, 300, 12", 7_500_000, 0.12, None),
        (
            f"full_kernel_name, {TWO_UNITS}FLOPS utilization(vec)",
            "2, 100, 12, 0.5, 9, 3",
            7_500_000,
            0.12,
            1_500_000,
        ),
        ("full_kernel_name, MFLOPs cube, GFLOPS cube, MFLOPs vector, GFLOPS vector", "2,9,0.5,7", 7_500_000, None,
         1_500_000),
    ],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_flops(
    tmp_path: Path, header: str, row: str, flops: int, utilization: float | None, vector: int | None, encoding: str
) -> None:
    lines = f"{header}\r\n{SCOPE}/MatMul-op4, {row}\r\nDefault/Gone-op7, {row}\r\n{SCOPE}/MatMul-op4, 1\r\n"
    root = ascend(tmp_path)
    write(root / "flops_1.txt", lines.encode(encoding))
    profile = read_profile(root)
    rows = {each["name"]: each for each in profile.operators.rows()}
    matmul = rows[f"{SCOPE}/MatMul-op4"]
    assert matmul["flops"] == flops, "three runs"
    assert matmul["flops_rate"] == flops / 60_000
    assert matmul.get("utilization") == (None if utilization is None else pytest.approx(utilization))
    assert matmul.get("vector_flops") == vector
    assert rows["Default/Cast-op1"]["flops"] == 0
    merged = {each["type"]: each for each in profile.operators.group_by("type").rows()}
    assert merged["MatMul"]["flops"] == flops
    assert {each["path"]: each["flops"] for each in profile.modules.rows()} == {
        "network-Net": flops,
        "network-Net/fc1-Dense": flops,
    }
    problems = dict(profile.facts.properties["problems"])
    del problems["step_trace_raw_1_detail_time.csv"]
    assert problems == {
        "flops_1.txt": "1 row could not be read.",
        "flops_1.txt (2)": "1 of its 2 operators are not in the table of operators.",
    }


@pytest.mark.parametrize(
    ("summary", "found"),
    [
        (
            {"FLOPs": 3, "FLOPS": 400, "FLOPS_Utilization": 12.5},
            {"operations": 3e6, "per_second": 4e11, "utilization": 0.125},
        ),
        (
            {"cube_FLOPs": 3, "cube_FLOPS": 4, "vec_FLOPs": 1, "vec_FLOPS": 2},
            {
                "cube_operations": 3e6, "cube_per_second": 4e9, "vector_operations": 1e6, "vector_per_second": 2e9,
                "operations": 4e6, "per_second": 6e9,
            },
        ),
    ],
)  # fmt: skip
def test_summary_of_flops(tmp_path: Path, summary: dict[str, float], found: dict[str, float]) -> None:
    profile = read_profile(ascend(tmp_path, flops_summary_1__json=json.dumps(summary)))
    assert profile.facts.properties["flops"] == found
    figures = overview_of(profile).flops
    assert figures is not None
    assert (figures.operations, figures.per_second) == (found["operations"], found["per_second"])
    assert figures.utilization == found.get("utilization")


def test_flops_of_scopes(tmp_path: Path) -> None:
    def link(source: str, target: str, value: float) -> dict[str, Any]:
        return {"source": source, "target": target, "value": value}

    links = [
        link("Total", "Default", 3.0), link("Default", "network-Net(1_Default)", 2.5),
        link("network-Net(1_Default)", "fc1-Dense(2_Default)", 1.5), link("Total", "Gradients", 4.0),
        link("Gradients", "Default(1_Gradients)", 4.0), link("Default(1_Gradients)", "network-Net(2_Gradients)", 4.0),
        link("network-Net(2_Gradients)", "fc1-Dense(3_Gradients)", 4.0),
        link("fc1-Dense(3_Gradients)", "gradDense(4_Gradients)", 4.0), {"source": "Total"},
    ]  # fmt: skip
    content = {"data": {"nodes": [], "links": links}, "max_scope_num": 4}
    root = ascend(tmp_path, flops_scope_1__json=json.dumps(content))
    (root / "flops_1.txt").unlink()
    assert {each["path"]: each["flops"] for each in read_profile(root).modules.rows()} == {
        "network-Net": 6_500_000,
        "network-Net/fc1-Dense": 5_500_000,
    }


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


def test_a_parallel_strategy(tmp_path: Path) -> None:
    content: dict[str, Any] = {
        "config": {
            "rankId": "1", "stageId": "0", "parallelType": "semi_auto_parallel",
            "stageDevices": [{"dim": [{"size": "0"}, {"size": "1"}]}, {"dim": [{"size": "2"}, {"size": "3"}]}],
        },
        "graph": {
            "node": [
                {
                    "name": "MatMul-op4", "opType": "MatMul", "scope": SCOPE,
                    "attribute": [{"name": "in_strategy", "value": "((2, 1), (1, 4))"}],
                },
                {"name": "Cast-op1", "scope": "Default", "attribute": []},
            ]
        },
    }  # fmt: skip
    profile = read_profile(ascend(tmp_path, parallel_strategy_1__json=json.dumps(content)))
    assert profile.facts.properties["parallel_strategy"] == {
        "parallel_type": "semi_auto_parallel", "stage": 0, "rank": 1, "stage_devices": [[0, 1], [2, 3]],
    }  # fmt: skip
    found = {each["name"]: each["shard_strategy"] for each in profile.operators.rows()}
    assert found[f"{SCOPE}/MatMul-op4"] == "((2, 1), (1, 4))"
    assert found["Default/Cast-op1"] == ""


DETAIL = """====================op compute time====================
optype_name   compute_time(ms, per-step)   called_times(per-step)   percent
-----------   --------------------------   ----------------------   -------
MatMul        0.07                         2                        70.0
Cast          0.03                         1                        30.0

Detail:
op_name       op_type   avg_execution_time   subgraph
-----------   -------   ------------------   ---------
MatMul-op4    MatMul    0.05                 Default
MatMul-op9    MatMul    0.02                 Gradients
Cast-op1      Cast      0.03                 Default
"""


@pytest.mark.parametrize("copies", [1, 3])
def test_operators_for_people_to_read(tmp_path: Path, copies: int) -> None:
    root = profiler(tmp_path, output_op_compute_time_detail_0__txt=copies * DETAIL)
    found = [
        (each["name"], each["type"], each["device_self"], each["phase"]) for each in read_profile(root).operators.rows()
    ]
    assert found == [
        ("MatMul-op4", "MatMul", 50_000, "forward"),
        ("Cast-op1", "Cast", 30_000, "forward"),
        ("MatMul-op9", "MatMul", 20_000, "backward"),
    ]
    write(root / "output_op_compute_time_detail_0.txt", re.sub(r"-+ .*\n", "", DETAIL.partition("Detail:")[0]))
    assert [(each["type"], each["count"]) for each in read_profile(root).operators.rows()] == [
        ("MatMul", 2),
        ("Cast", 1),
    ]
    write(
        root / "output_op_compute_time_0.txt",
        "=====op compute time=====\nop_name compute_time(ms) stream_id\n------- ----- ---\n"
        f"{SCOPE}/MatMul-op4 0.05 7\nbroken\ntotal op  0.05  0\n",
    )
    (row,) = read_profile(root).operators.rows()
    assert (row["name"], row["module"], row["device_self"]) == (f"{SCOPE}/MatMul-op4", "network-Net/fc1-Dense", 50_000)


def test_the_older_table_of_the_ai_cpu(tmp_path: Path) -> None:
    root = ascend(tmp_path)
    (root / "aicpu_intermediate_1.csv").unlink()
    write(
        root / "output_data_preprocess_aicpu_1.txt",
        "serial_number   node_type_name   total_time(ms)   dispatch_time(ms)   run_start   run_end\n"
        "-------------   --------------   --------------   -----------------   ---------   -------\n"
        "1               GetNext          0.9              0.1                 10500       10900\n"
        "2               GetNext          0.1              0.1                 11000       11100\n"
        "AI CPU Total Time(ms): 1.000000\n",
    )
    profile = read_profile(root)
    (row,) = [each for each in profile.operators.rows() if each["core"] == "AI_CPU"]
    assert (row["type"], row["count"], row["device_self"]) == ("GetNext", 2, 1_000_000)
    assert profile.trace is not None
    assert "AI CPU" in {track.thread_name for track in profile.trace.tracks}


def test_operators_of_pynative(tmp_path: Path) -> None:
    root = profiler(
        tmp_path,
        pynative_op_intermediate_0_type__csv="op_type,execution_time(ms),execution_frequency,percent\nMatMul,0.5,2,100\n",
    )
    (row,) = read_profile(root).operators.rows()
    assert (row["type"], row["count"], row["device_self"]) == ("MatMul", 2, 500_000)
    write(
        root / "pynative_op_intermediate_0_detail.csv", "op_name,execution_time(ms)\nMatMul-op1,0.25\nMatMul-op2,0.25\n"
    )
    assert [each["name"] for each in read_profile(root).operators.rows()] == ["MatMul-op1", "MatMul-op2"]


def test_findings_of_the_vendor(tmp_path: Path) -> None:
    root = ascend(tmp_path)
    folder = root / "msadvisor" / "device_1" / "recommendation"
    content: dict[str, Any] = {
        "model": {"AICPUModel": {"title": "AICPU", "data": [["op", "time"], ["GetNext", 900]]}, "Empty": []}
    }
    write(folder / "recommendation_20230101.json", content)
    profile = read_profile(root)
    assert profile.facts.properties["recommendations"] == [{"model": "AICPUModel", "text": "op | time\nGetNext | 900"}]
    (found,) = [each for each in advise(profile) if each.code == "vendor_finding"]
    assert "GetNext | 900" in found.finding


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


def two_ranks(directory: Path) -> Path:
    root = ascend(directory)
    for file in list(root.iterdir()):
        content = file.read_text("utf-8").replace("0.02,3", "0.04,3")
        write(root / file.name.replace("_1", "_10", 1), content)
    event = {"name": "x", "ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"rank": 10}}
    write(root / "ascend_timeline_display_10.json", json.dumps([event]))
    return root


def test_each_rank_is_a_profile(tmp_path: Path) -> None:
    root = two_ranks(tmp_path)
    found = list(find_profiles(tmp_path))
    assert [(each.key.name, each.rank) for each in found] == [("profiler#rank1", 1), ("profiler#rank10", 10)]
    times = [int(each.read().operators.self_time.max()) for each in found]
    assert times == [1_000_000, 1_000_000]
    name = f"{SCOPE}/MatMul-op4"
    rows = [{row["name"]: row for row in each.read().operators.rows()}[name] for each in found]
    assert [row["device_self"] for row in rows] == [60_000, 120_000]
    assert [row["device"] for row in rows] == ["NPU 1", "NPU 10"]
    with pytest.raises(FormatError, match=r"holds 2 profiles, choose one: profiler#rank1, profiler#rank10"):
        read_profile(root)
    with pytest.raises(FormatError, match=r"holds no profile of rank 3, it holds profiler#rank1, profiler#rank10"):
        read_profile(tmp_path, rank=3)
    assert read_profile(tmp_path, rank=10).rank == 10
    tenth = read_profile(f"{root}#rank10")
    assert (tenth.rank, tenth.name) == (10, f"{tmp_path.name}#rank10")
    assert read_profile(tenth.facts.path).rank == 10


def test_files_named_by_the_device_belong_to_the_only_rank(tmp_path: Path) -> None:
    root = ascend(tmp_path, profiler_info_8__json='{"rank_id": "8"}')
    profile = read_profile(root)
    assert (profile.rank, len(profile.operators)) == (8, 4)
    assert not find_profiles_of_several(root)


def find_profiles_of_several(root: Path) -> list[int]:
    return [each.rank for each in find_profiles(root) if each.rank is not None]


def test_a_newer_profile_within_an_older_one(tmp_path: Path) -> None:
    root = ascend(tmp_path)
    write(
        root / "rank-0_20270115080000000_ascend_ms" / "ASCEND_PROFILER_OUTPUT" / "step_trace_time.csv", "Computing\n1\n"
    )
    write(root / "PROF_000001_20270115080000000_ABCDEF" / "host.txt", "")
    assert [each.path.name for each in find_profiles(tmp_path)] == ["profiler", "rank-0_20270115080000000_ascend_ms"]


FILES = (
    "flops_1.txt", "flops_summary_1.json", "flops_scope_1.json", "memory_usage_details_1.json",
    "memory_usage_summary_1.json", "dynamic_shape_info_1.json", "parallel_strategy_1.json",
    "output_op_compute_time_1.txt", "output_op_compute_time_detail_1.txt", "output_data_preprocess_aicpu_1.txt",
    "step_trace_profiling_1.txt", "cpu_ms_memory_record_1.txt", "min_cycle_counter_1.txt",
    "msadvisor/device_1/recommendation/a.json",
)  # fmt: skip
DAMAGED = (
    b"", b"\n\n", b"a,b,c\n1,2\n", b"\x00\xff\xfe\x00", b"{", b"[1, 2]",
    b'{"1": 3, "data": {"links": [3]}, "graph": 4}', b'{"operator": {"1": [3]}, "config": {"stageDevices": [3]}}',
    b'{"1": {"nodes": [3], "lines": ["x"], "breakdowns": [[4]]}}',
    b"op_name op_type avg\nx y z\n", b"a,1 b,2 c,3 d,x\n", b'"' * 1000, "网络,1,2\r\n".encode("gb18030"),
)  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_leaves_the_others(tmp_path: Path, name: str, content: bytes) -> None:
    root = ascend(tmp_path)
    write(root / name, content)
    profile = read_profile(root)
    assert all(each.reason for each in profile.missing.values())
    advise(profile)
    assert len(profile.operators) == 4
    assert profile.steps.number.tolist() == [1, 2]
    problems = profile.facts.properties["problems"]
    if content == b"{" and name.endswith(".json"):
        assert Path(name).name in problems


@pytest.mark.parametrize("size", range(0, 700, 9))
def test_a_plan_that_is_still_written(tmp_path: Path, size: int) -> None:
    root = profiler(
        tmp_path, memory_usage_details_0__json=json.dumps(plan(1))[:size], aicore_intermediate_0_type__csv=TYPES
    )
    profile = read_profile(root)
    assert profile.part(Part.MEMORY).code == "mindspore_memory"
    assert "memory_usage_details_0.json" in profile.facts.properties["problems"]
    assert isinstance(profile.operators.type, TextColumn)
