# SPDX-License-Identifier: Apache-2.0
"""Directories of MindSpore before 2.3, made by hand: on Ascend, GPU and CPU, in the layouts of several versions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from made_profiles import write

from mindscope.profile.advice import advise
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import find_profiles, read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile

TICKS_MS = 100_000
SCOPE = "Default/network-Net/fc1-Dense"
STEP_HEADER = "step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail"
OP_INFO = json.dumps(
    {
        "input_0": {"format": "ND", "data_type": "NUMBER_TYPE_FLOAT16", "shape": "8,64"},
        "input_1": {"format": "ND", "data_type": "FLOAT32", "shape": [64, 10]},
        "output_0": {"shape": "8,10"},
    }
).replace('"', '""')


def profiler(directory: Path, **files: str | bytes) -> Path:
    """Files by name with ``__`` for the dot."""
    root = directory / "profiler"
    for name, content in files.items():
        write(root / name.replace("__", "."), content)
    return root


def ascend(directory: Path, **files: str | bytes) -> Path:
    ends = 1_000_000
    return profiler(
        directory,
        aicore_intermediate_1_detail__csv=f"full_kernel_name,execution_time,execution_frequency\n{SCOPE}/MatMul-op4,0.02,3\n"
        f"Gradients/{SCOPE}/gradDense/MatMul-op9,0.05,2\nDefault/Cast-op1,1e-05,2\n",
        framework_raw_1__csv="task_id,stream_id,block_dim,full_kernel_name,op_name,kernel_name,kernel_type,subgraph,op_info,"
        f'graph_id\n4,7,1,{SCOPE}/MatMul-op4,a,MatMul-op4,MatMul,Default,"{OP_INFO}",1\n',
        output_timeline_data_1__txt="op_name, stream_id, start_time(ms), duration(ms)\n"
        f"{SCOPE}/MatMul-op4,7,10.00001,0.03\n{SCOPE}/MatMul-op4,7,11,0.01\n{SCOPE}/AllReduce-op6,8,11.5,0.2\n",
        step_trace_raw_1_detail_time__csv=f"{STEP_HEADER},stream_8_parallel_0_start_point,stream_8_parallel_0_end_point,"
        "stream_8_parallel_0\n"
        f"1,{ends},{ends + 300},300,{ends + 50},{ends + 200},50,150,100,{ends + 180},{ends + 250},70\n"
        f"2,{ends + 300},{ends + 600},300,{ends + 300},{ends + 500},0,200,100,0,0,0\n"
        f"3,{ends + 600},0,0,0,0,0,0,0,0,0,0\n-,{ends},{ends},300,0,0,25,175,100,0,0,0\n",
        aicpu_intermediate_1__csv="serial_number,kernel_type,total_time,dispatch_time,execution_time,run_start,run_end\n"
        "1,GetNext,0.9,0.1,0.8,10500,10900\n2,GetNext-op3,0.1,0.1,0.0,11000,11100\n",
        flops_1__txt=f"full_kernel_name, FLOPs, FLOPS, FLOPS utilization\n{SCOPE}/MatMul-op4, 2.5, 300, 12\n",
        hccl_raw_1__csv="step_num,communication_cost,wait_cost,link_info\n"
        '1,2,1,"{""0-1"": {""SDMA"": [0.5, 1000, 9e9]}, ""1-1"": {""SDMA"": [1, 1, 1]}}"\n-,2,1,"{}"\n',
        **files,
    )


def test_steps_of_ascend(tmp_path: Path) -> None:
    profile = read_profile(ascend(tmp_path))
    assert (profile.format, profile.rank) == ("mindspore_profile", 1)
    steps = profile.steps
    assert steps.number.tolist() == [1, 2], "not the average, and not the step that lacks its end"
    assert steps.duration.tolist() == [3_000, 3_000]
    assert overview_of(profile).warm_up == [1], "as in the averages of MindSpore"
    assert steps.part("data_waiting").tolist() == [500, 0]
    assert steps.part("communication").tolist() == [500, 0], "what follows the backward pass"
    assert steps.part("overlapped").tolist() == [200, 0]
    assert steps.compute.tolist() == [2_000, 3_000]
    parts = [steps.part(name) for name in ("compute", "communication", "data_waiting", "idle")]
    assert np.sum(parts, axis=0).tolist() == steps.duration.tolist()
    assert steps.part("forward_backward").tolist() == [1_500, 2_000]
    (reduce,) = profile.communication.rows()
    assert (reduce["kind"], reduce["step"], reduce["duration"]) == ("allreduce", 1, 700)


def test_operators_of_ascend(tmp_path: Path) -> None:
    profile = read_profile(ascend(tmp_path))
    rows = {row["name"]: row for row in profile.operators.rows()}
    matmul = rows[f"{SCOPE}/MatMul-op4"]
    assert (matmul["count"], matmul["device_self"], matmul["flops"]) == (3, 60_000, 7_500_000)
    assert (matmul["shapes"], matmul["dtypes"]) == ("[8,64]; [64,10]", "float16; float32")
    assert rows[f"Gradients/{SCOPE}/gradDense/MatMul-op9"]["phase"] == "backward"
    assert (rows["GetNext"]["count"], rows["GetNext"]["device_self"], rows["GetNext"]["core"]) == (
        2,
        1_000_000,
        "AI_CPU",
    )
    assert [row["path"] for row in profile.modules.rows()] == ["network-Net", "network-Net/fc1-Dense"]
    kernels = {row["name"]: row for row in profile.kernels.rows()}
    assert kernels[f"{SCOPE}/AllReduce-op6"]["kind"] == "communication"
    assert (kernels[f"{SCOPE}/MatMul-op4"]["total"], kernels[f"{SCOPE}/MatMul-op4"]["max"]) == (40_000, 30_000)
    (link,) = profile.links.rows()
    assert (link["source"], link["destination"], link["size"], link["transit"]) == (0, 1, 1_000_000, 500_000)


def test_timeline_of_ascend(tmp_path: Path) -> None:
    trace = read_profile(ascend(tmp_path)).trace
    assert trace is not None
    assert [track.thread_name for track in trace.tracks] == [
        "Steps", "Phases", "Stream 8, communication", "Stream 7", "Stream 8", "AI CPU",
    ]  # fmt: skip
    names = [trace.names[code] for code in trace.slices.name.tolist()]
    assert names[0] == "ProfilerStep#1"
    starts = dict(zip(names, trace.slices.start.tolist(), strict=True))
    assert starts["ProfilerStep#1"] == 0, "the steps begin first: 1,000,000 ticks of 10 ns are 10 ms"
    assert starts[f"{SCOPE}/MatMul-op4"] == 1_000_000, "the second run"
    assert trace.slices.start.tolist()[names.index(f"{SCOPE}/MatMul-op4")] == 10, "10.00001 ms"
    phases = [
        place for place, track in enumerate(trace.slices.track.tolist()) if trace.tracks[track].thread == "Phases"
    ]
    assert [(names[place], int(trace.slices.duration[place])) for place in phases] == [
        ("Interval", 500), ("Forward and backward", 1_500), ("Tail", 1_000), ("Forward and backward", 2_000),
        ("Tail", 1_000),
    ]  # fmt: skip
    assert trace.origin_ns is None


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("full_op_name,execution_time", f"{SCOPE}/MatMul-op4,0.02"),
        ("full_kernel_time,task_duration,execution_frequency,task_type", f"{SCOPE}/MatMul-op4,0.02,2,AI_CORE"),
    ],
)
def test_columns_of_other_versions(tmp_path: Path, header: str, row: str) -> None:
    root = ascend(tmp_path)
    write(root / "aicore_intermediate_1_detail.csv", f"{header}\r\n{row}\r\n".encode("utf-8-sig"))
    found = {row["name"]: row for row in read_profile(root).operators.rows()}
    assert (found[f"{SCOPE}/MatMul-op4"]["count"], found[f"{SCOPE}/MatMul-op4"]["device_self"]) == (2, 40_000)


def test_types_alone(tmp_path: Path) -> None:
    root = profiler(
        tmp_path,
        aicore_intermediate_0_type__csv="kernel_type,total_time,execution_frequency,percent\nCast,2.5,30,7.1\n",
    )
    (row,) = read_profile(root).operators.rows()
    assert (row["type"], row["count"], row["device_self"]) == ("Cast", 30, 2_500_000)


def test_reduces_with_their_sum_first(tmp_path: Path) -> None:
    columns = "stream_8_0_AllGather-op3,stream_8_0_AllGather-op3_start_point,stream_8_0_AllGather-op3_end_point"
    root = profiler(
        tmp_path,
        step_trace_raw_0_detail_time__csv=f"{STEP_HEADER},{columns}\n1,100,400,300,150,300,50,150,100,60,320,380\n",
    )
    profile = read_profile(root)
    assert (profile.steps.part("communication").tolist(), profile.communication.kind[0]) == ([600], "allgather")


def test_gpu(tmp_path: Path) -> None:
    root = profiler(
        tmp_path,
        gpu_op_detail_info_0__csv="op_side,op_type,op_name,op_full_name,op_occurrences,op_total_time(us),op_avg_time(us),"
        "total_proportion,cuda_activity_cost_time(us),cuda_activity_call_count\n"
        f"Device,MatMul,MatMul-op4,{SCOPE}/MatMul-op4,2,50,25,0.5,30.5,2\n",
        gpu_activity_data_0__csv="name,type,op_full_name,stream_id,block_dim,grid_dim,occurrences,total_duration(us),"
        "avg_duration(us),max_duration(us),min_duration(us)\n"
        f'"void gemm<float, 4>(int, int)",cuLaunchKernel,{SCOPE}/MatMul-op4,7,"256,1,1","4,1,1",2,30.5,15.25,20,10.5\n',
        gpu_op_execute_timestamp_0__txt=f"{SCOPE}/MatMul-op4;GpuOps;1800000000000000123,25 1800000000000100123,25\n",
        activity_execute_timestamp_0__txt="gemm<float>;7;1800000000000000500;10.5\n",
    )
    profile = read_profile(root)
    (operator,) = profile.operators.rows()
    assert (operator["host_self"], operator["device_self"], operator["count"]) == (50_000, 30_500, 2)
    (kernel,) = profile.kernels.rows()
    assert (kernel["name"], kernel["shape"]) == ("void gemm<float, 4>(int, int)", "grid 4,1,1 block 256,1,1")
    assert profile.trace is not None
    assert profile.trace.origin_ns == 1_800_000_000_000_000_123
    assert profile.trace.slices.start.tolist() == [0, 100_000, 377]
    assert profile.trace.slices.duration.tolist() == [25_000, 25_000, 10_500]


def test_dynamic_shapes_of_a_gpu(tmp_path: Path) -> None:
    run = {
        "step": 1,
        "op_side": "Device",
        "op_type": "MatMul",
        "op_name": "MatMul-op4",
        "dur": 2.5,
        "shape_info": ["[2,3]"],
    }
    content = {"operator": {"1": [run, run], "2": [{**run, "shape_info": ["[4,3]"], "dur": 9}]}}
    profile = read_profile(profiler(tmp_path, dynamic_shape_info_0__json=json.dumps(content)))
    assert [(row["shapes"], row["count"], row["host_self"]) for row in profile.operators.rows()] == [
        ("[4,3]", 1, 9_000),
        ("[2,3]", 2, 5_000),
    ]


def test_cpu(tmp_path: Path) -> None:
    root = profiler(
        tmp_path,
        cpu_op_detail_info_0__csv="op_side,op_type,op_name,full_op_name,op_occurrences,op_total_time(ms),op_avg_time(ms),"
        f"total_proportion,subgraph,pid\nHost,MatMul,MatMul-op0,{SCOPE}/MatMul-op0,2,0.0811,0.04055,1,Default,7\n",
        cpu_op_execute_timestamp_0__txt=f"{SCOPE}/MatMul-op0;HostCpuOps;"
        "1800000000000000123,0.0412,0 1800000000002000456,0.0399,1 \n",
        cpu_ms_memory_record_0__txt="Timestamp,Total Allocated,Total Reserved\n1800000000000000200,4096,8192\n",
    )
    profile = read_profile(root)
    (row,) = profile.operators.rows()
    assert (row["host_self"], row["device"], row["module"]) == (81_100, "CPU", "network-Net/fc1-Dense")
    assert profile.trace is not None
    assert profile.trace.slices.duration.tolist() == [41_200, 39_900]
    assert [track.thread_name for track in profile.trace.tracks] == ["HostCpuOps 0", "HostCpuOps 1"]
    assert profile.memory.curve.allocated.tolist() == [4096]
    assert profile.missing.keys() == {
        Part.STREAM_GAPS, Part.STEP_ROWS,
        Part.STEPS, Part.KERNELS, Part.DATA_PIPELINE, Part.COMMUNICATION, Part.LINKS, Part.STREAMS,
        Part.ANNOTATIONS, Part.CALL_TREE, Part.FUNCTIONS,
    }  # fmt: skip


def node(id: int, kind: str, sizes: list[int] | None, children: list[int] | None = None) -> dict[str, object]:
    queue = None if sizes is None else {"output_queue": {"size": sizes, "length": 10}}
    return {"op_id": id, "op_type": kind, "num_workers": 4, "children": children, "metrics": queue}


def pipeline(directory: Path, leaf: list[int], middle: list[int], batch: list[int], **files: str) -> Profile:
    operations = [
        node(3, "ImageFolderOp", leaf), node(2, "MapOp", middle, [3]), node(1, "BatchOp", batch, [2]),
        node(0, "EpochCtrlOp", None, [1]),
    ]  # fmt: skip
    content = json.dumps({"sampling_interval": 10, "op_info": operations})
    return read_profile(profiler(directory, pipeline_profiling_0__json=content, **files))


def test_impossible_counts_of_the_pipeline_cost_only_themselves(tmp_path: Path) -> None:
    queue = {"size": [1, 10**30], "length": 10**30}
    nodes = [{"op_id": 1, "op_type": "Map", "num_workers": 10**30, "metrics": {"output_queue": queue}}]
    content = json.dumps(
        {"sampling_interval": 10**30, "op_info": [{"op_id": 0, "op_type": "Batch", "children": [1]}, *nodes]}
    )
    found = read_profile(profiler(tmp_path, pipeline_profiling_0__json=content)).data_pipeline.operations
    assert found is not None
    assert sorted(found.workers.tolist()) == [0, 0]


def advice(profile: Profile) -> dict[str, dict[str, object]]:
    return {each.code: dict(each.values) for each in advise(profile)}


@pytest.mark.parametrize(
    ("leaf", "middle", "batch", "found"),
    [
        ([9, 9], [1, 1], [1, 0], {"pipeline_map": "MapOp_2", "slow_consumer": "MapOp_2"}),
        ([1, 1], [1, 1], [1, 1], {"pipeline_reader": "ImageFolderOp_3", "slow_reading": "ImageFolderOp_3"}),
        ([9, 9], [9, 9], [9, 9], {"pipeline_consumer": "EpochCtrlOp_0"}),
        ([9, 9], [9, 9], [5, 5], {"pipeline_batch": "BatchOp_1"}),
        ([5, 5], [1, 1], [0, 0], {"pipeline_reader": "ImageFolderOp_3", "pipeline_map": "MapOp_2"}),
    ],
)
def test_bottlenecks(
    tmp_path: Path, leaf: list[int], middle: list[int], batch: list[int], found: dict[str, str]
) -> None:
    profile = pipeline(tmp_path, leaf, middle, batch)
    operations = profile.data_pipeline.operations
    assert operations is not None
    assert list(operations.name) == ["ImageFolderOp_3", "MapOp_2", "BatchOp_1", "EpochCtrlOp_0"]
    assert operations.parent.tolist() == [1, 2, 3, -1]
    samples = profile.data_pipeline.operation_queues
    assert samples is not None
    assert [row["size"] for row in samples.rows() if row["queue"] == "MapOp_2"] == middle
    assert [row["time"] for row in samples.rows() if row["queue"] == "MapOp_2"] == [0, 10_000_000]
    assert {code: values["operations"] for code, values in advice(profile).items()} == found


@pytest.mark.parametrize(
    ("sizes", "requests", "code"),
    [
        ([0, 0, 5, 9], [1, 2], "device_queue_empty"),
        ([0, 64, 5, 9], [0, 2], "transmission"),
        ([0, 64, 5, 9], [1, 2], ""),
    ],
)
def test_queues_to_the_device(tmp_path: Path, sizes: list[int], requests: list[int], code: str) -> None:
    lines = [f"1 64 {batch} {size} {1000 + batch}" for batch, size in enumerate(sizes, 11)]
    times = enumerate((2, 1, 3))
    waits = [f"0 {what} {batch} {ms + batch - 11} {1000 + batch}" for what, ms in times for batch in (11, 12)]
    next_lines = [f"GetNext_dequeue_wait {start} {start + 5} {size}" for start, size in enumerate(requests)]
    profile = read_profile(
        profiler(
            tmp_path,
            device_queue_profiling_0__txt="\n".join(lines + waits),
            minddata_aicpu_0__txt="\n".join([*next_lines, "Other 1 2 0", "GetNext_dequeue_wait 7 8"]),
            step_trace_raw_0_detail_time__csv="",
        )
    )
    assert set(advice(profile)) == ({code} if code else set())
    batches = profile.data_pipeline.batches
    assert batches is not None
    assert (batches.step.tolist(), batches.wait.tolist()) == ([1, 2], [2_000_000, 3_000_000])
    assert batches.push is not None
    assert batches.whole is not None
    assert (batches.push.tolist(), batches.whole.tolist()) == ([1_000_000, 2_000_000], [3_000_000, 4_000_000])


@pytest.mark.parametrize(("interval_ms", "is_slow"), [(0.4, False), (0.6, True)])
def test_a_long_interval(tmp_path: Path, interval_ms: float, is_slow: bool) -> None:
    ticks = round(interval_ms * TICKS_MS)
    row = f"1,100,{100 + 50 * TICKS_MS},1,{100 + ticks},{100 + 49 * TICKS_MS},1,1,1"
    profile = read_profile(profiler(tmp_path, step_trace_raw_0_detail_time__csv=f"{STEP_HEADER}\n{row}\n"))
    assert ("step_interval" in advice(profile)) == is_slow


def test_an_iterator_gives_the_time_between_batches(tmp_path: Path) -> None:
    lines = "\n".join(f"1 64 {batch} 0 {stamp}" for batch, stamp in ((1, 100), (2, 130), (3, 140)))
    profile = read_profile(
        profiler(tmp_path, dataset_iterator_profiling_0__txt=lines, step_trace_raw_0_detail_time__csv="")
    )
    batches = profile.data_pipeline.batches
    assert batches is not None
    assert batches.wait.tolist() == [30_000_000, 10_000_000]


def test_the_table_of_a_pipeline(tmp_path: Path) -> None:
    root = profiler(
        tmp_path,
        minddata_pipeline_raw_0__csv="op_id,op_type,num_workers,output_queue_size,output_queue_average_size,"
        "output_queue_length,output_queue_usage_rate,sample_interval,parent_id,children_id\n"
        '0,Batch,4,,,,,10,,[1]\n1,TFReader,2,"[' + ",".join(["10"] * 100_000) + ']",10,64,0.15625,10,0,\n',
    )
    operations = read_profile(root).data_pipeline.operations
    assert operations is not None
    assert list(operations.name) == ["TFReader_1", "Batch_0"]
    assert operations.queue_usage is not None
    assert operations.queue_usage[0] == 0.15625


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"x", b"a,b\n1\n", b"\xff\xfe\x00", b"{}", b"[]", b"1 2 3 4\n" * 3, b'{"op_info": [3]}']
)
def test_damaged_files_never_raise(tmp_path: Path, content: bytes) -> None:
    whole = ascend(tmp_path / "whole")
    names = [file.name for file in whole.iterdir()]
    for name in [
        *names,
        "pipeline_profiling_1.json",
        "device_queue_profiling_1.txt",
        "minddata_cpu_utilization_1.json",
    ]:
        root = ascend(tmp_path / name)
        write(root / name, content)
        profile = read_profile(root)
        assert all(found.reason for found in profile.missing.values())


def test_a_directory_named_profiler_without_such_files_is_searched(tmp_path: Path) -> None:
    write(tmp_path / "profiler" / "notes.txt", "x")
    assert not list(find_profiles(tmp_path))
