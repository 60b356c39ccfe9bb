# SPDX-License-Identifier: Apache-2.0
"""Rules of traces with a device, on hand-made traces: links, steps, tables, splits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.profile.open import read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from tests.profile.kineto_events import AUTOGRAD, Events


def by_name(table: Any) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in table.rows()}


def test_a_kernel_belongs_to_the_operator_of_its_launch(tmp_path: Path) -> None:
    events = Events()
    events.op("aten::linear", 0, 100, External_id=1)
    events.op("aten::addmm", 10, 50, External_id=2)
    events.launch(20, 5, 77, External_id=2)
    events.kernel("gemm", 200, 30, 77, External_id=2, grid=[4, 1, 1], block=[128, 1, 1])
    profile = events.read(tmp_path)
    kernel = by_name(profile.kernels)["gemm"]
    assert (kernel["operator"], kernel["device"], kernel["stream"]) == ("aten::addmm", "GPU 0", "stream 7")
    assert (kernel["count"], kernel["total"], kernel["shape"]) == (1, 30_000, "grid [4,1,1] block [128,1,1]")
    rows = by_name(profile.operators)
    assert (rows["aten::addmm"]["device_self"], rows["aten::addmm"]["device_total"]) == (30_000, 30_000)
    assert (rows["aten::linear"]["device_self"], rows["aten::linear"]["device_total"]) == (0, 30_000)
    assert rows["aten::addmm"]["device"] == rows["aten::linear"]["device"] == "GPU 0"
    # The call of the runtime is a child, as in torch's tables.
    assert rows["aten::addmm"]["host_self"] == 45_000
    assert rows["aten::linear"]["host_self"] == 50_000


def test_a_launch_without_an_external_id_belongs_to_the_operator_around_it(tmp_path: Path) -> None:
    events = Events()
    events.op("outer", 0, 100, External_id=1)
    events.op("inner", 10, 50, External_id=2)
    events.launch(20, 5, 77, External_id=0)
    events.kernel("k", 200, 30, 77)
    assert by_name(events.read(tmp_path).kernels)["k"]["operator"] == "inner"


def test_the_id_of_an_annotation_names_no_operator(tmp_path: Path) -> None:
    events = Events()
    events.op("outer", 0, 100, External_id=1)
    events.add("user_annotation", "mine", 10, 50, External_id=2)
    events.launch(20, 5, 77, External_id=2)
    events.kernel("k", 200, 30, 77, External_id=2)
    events.launch(120, 5, 78, External_id=9)
    events.kernel("alone", 240, 30, 78, External_id=9)
    kernels = by_name(events.read(tmp_path).kernels)
    assert kernels["k"]["operator"] == "outer"
    assert kernels["alone"]["operator"] == ""


def test_an_only_call_of_the_same_name_gives_its_kernels_to_the_outer_one(tmp_path: Path) -> None:
    events = Events()
    events.op("aten::div", 0, 100, External_id=1)
    events.op("aten::div", 10, 50, External_id=2)
    events.launch(20, 5, 77, External_id=2)
    events.kernel("k", 200, 30, 77, External_id=2)
    row = by_name(events.read(tmp_path).operators)["aten::div"]
    assert (row["count"], row["device_self"], row["device_total"]) == (1, 30_000, 30_000)


def test_a_graph_has_many_kernels_of_one_launch(tmp_path: Path) -> None:
    events = Events()
    events.op("replay", 0, 100, External_id=1)
    events.add("cuda_runtime", "cudaGraphLaunch", 20, 5, correlation=5, External_id=1)
    for place in range(3):
        events.kernel("k", 200 + 40 * place, 30, 5)
    profile = events.read(tmp_path)
    assert by_name(profile.kernels)["k"]["count"] == 3
    assert by_name(profile.operators)["replay"]["device_self"] == 90_000


def test_a_kernel_whose_launch_precedes_the_profile_has_none(tmp_path: Path) -> None:
    events = Events()
    events.op("aten::mm", 0, 100, External_id=1)
    events.kernel("early", 5, 30, 3)
    profile = events.read(tmp_path)
    assert by_name(profile.kernels)["early"]["operator"] == ""
    assert by_name(profile.operators)["aten::mm"]["device_total"] == 0


def two_steps(tmp_path: Path) -> Profile:
    """Step 1 launches a kernel that runs until within step 2."""
    events = Events()
    events.step(1, 0, 100)
    events.step(2, 100, 100)
    events.op("a", 10, 50, External_id=1)
    events.launch(20, 5, 1, External_id=1)
    events.kernel("k1", 60, 80, 1)
    events.op("b", 110, 50, External_id=2)
    events.launch(120, 5, 2, External_id=2)
    events.kernel("k2", 150, 70, 2)
    return events.read(tmp_path)


def test_a_step_ends_with_the_last_kernel_that_it_launched(tmp_path: Path) -> None:
    steps = two_steps(tmp_path).steps
    assert steps.number.tolist() == [1, 2]
    assert steps.start.tolist() == [0, 140_000]
    assert steps.duration.tolist() == [140_000, 80_000]
    assert steps.compute.tolist() == [80_000, 70_000]
    assert steps.device_busy is not None
    assert steps.device_busy.tolist() == [80_000, 70_000]


def test_each_moment_of_a_step_counts_once(tmp_path: Path) -> None:
    events = Events()
    events.step(1, 0, 200)
    events.add("user_annotation", "enumerate(DataLoader)#_Iter.__next__", 0, 20)
    events.op("a", 20, 30, External_id=1)
    events.launch(22, 2, 1, External_id=1)
    events.launch(25, 2, 2, External_id=1)
    events.launch(28, 2, 3, External_id=1)
    events.launch(31, 2, 4, External_id=1)
    events.kernel("gemm", 60, 40, 1)
    events.kernel("gemm", 80, 40, 2, stream=8)
    events.kernel("ncclDevKernel_AllReduce_Sum_f32", 90, 60, 3, stream=20)
    events.kernel("Memcpy DtoH (Device -> Pinned)", 140, 30, 4, cat="gpu_memcpy")
    steps = events.read(tmp_path).steps
    # Host 20-50, waiting 0-20, compute 60-120, communication 120-150, copy 150-170, nothing 50-60 and 170-200.
    assert steps.duration.tolist() == [200_000]
    assert {name: steps.part(name).tolist() for name in ("compute", "communication", "copy")} == {
        "compute": [60_000], "communication": [30_000], "copy": [20_000],
    }  # fmt: skip
    assert {name: steps.part(name).tolist() for name in ("data_waiting", "host", "idle")} == {
        "data_waiting": [20_000], "host": [30_000], "idle": [40_000],
    }  # fmt: skip
    assert steps.overlapped is not None
    assert steps.overlapped.tolist() == [30_000]
    assert steps.device_busy is not None
    assert steps.device_busy.tolist() == [110_000]


def test_steps_are_found_where_they_overlap_python_frames(tmp_path: Path) -> None:
    events = Events()
    events.add("python_function", "train.py(1): <module>", 0, 150)
    events.step(1, 10, 100)
    events.step(2, 110, 60)
    events.add("python_function", "train.py(9): step", 100, 40)
    events.op("a", 20, 10)
    assert events.read(tmp_path).steps.number.tolist() == [1, 2]


def test_a_small_process_id_is_no_device(tmp_path: Path) -> None:
    events = Events()
    events.add("cpu_op", "a", 0, 100, tid=7, pid=0, External_id=1)
    events.add("cuda_runtime", "cudaLaunchKernel", 10, 5, tid=7, pid=0, correlation=1, External_id=1)
    events.kernel("k", 20, 30, 1)
    profile = events.read(tmp_path)
    assert by_name(profile.operators)["a"]["host_self"] == 95_000
    assert by_name(profile.kernels)["k"]["operator"] == "a"


def test_processes_and_threads_may_be_texts(tmp_path: Path) -> None:
    events = Events()
    events.add("cpu_op", "a", 0, 100, tid="main", pid="python")
    events.add("kernel", "k", 20, 30, tid="stream 13", pid="GPU 2")
    row = next(iter(events.read(tmp_path).kernels.rows()))
    assert (row["device"], row["stream"]) == ("GPU 2", "stream 13")


def test_traces_before_2021_have_other_names(tmp_path: Path) -> None:
    """Whole microseconds since 1970, other categories and arguments; children end a microsecond after parents."""
    events, zero = Events(), 1_600_000_000_000_000
    events.add("Operator", "ProfilerStep#3", zero, 100)
    events.add("Operator", "aten::linear", zero + 10, 50, **{"external id": 1, "Input dims": [[2, 3]]})
    events.add("Operator", "aten::mm", zero + 20, 41, **{"external id": 2, "Input dims": [[2, 3], [3, 4]]})
    events.add("Runtime", "cudaLaunchKernel", zero + 22, 5, **{"external id": 2, "correlation": 4})
    events.add("Kernel", "gemm", zero + 70, 20, tid=7, pid=1, **{"external id": 2, "correlation": 4, "stream": 7})
    profile = events.read(tmp_path, baseTimeNanoseconds=None)
    assert profile.steps.number.tolist() == [3]
    rows = by_name(profile.operators)
    assert rows["aten::linear"]["host_self"] == 10_000
    assert rows["aten::linear"]["device_total"] == 20_000
    assert rows["aten::mm"]["shapes"] == "[[2,3],[3,4]]"
    assert rows["aten::mm"]["flops"] == 48
    assert by_name(profile.kernels)["gemm"]["device"] == "GPU 1"


def test_the_backward_pass_is_linked_by_sequence_numbers(tmp_path: Path) -> None:
    events = Events()
    events.add("python_function", "nn.Module: Net_0", 0, 50)
    events.add("python_function", "nn.Module: Linear_0", 5, 40)
    events.op("aten::t", 6, 2, External_id=1, Sequence_number=4, Fwd_thread_id=0)
    events.op("aten::addmm", 10, 20, External_id=2, Sequence_number=4, Fwd_thread_id=0)
    name = "autograd::engine::evaluate_function: AddmmBackward0"
    events.op(name, 60, 30, AUTOGRAD, External_id=3, Sequence_number=4, Fwd_thread_id=1)
    events.op("aten::mm", 65, 20, AUTOGRAD, External_id=4)
    events.op("aten::other", 95, 5, External_id=5)
    rows = by_name(events.read(tmp_path).operators)
    assert {key: (row["module"], row["phase"]) for key, row in rows.items()} == {
        "aten::t": ("Net_0/Linear_0", "forward"),
        "aten::addmm": ("Net_0/Linear_0", "forward"),
        name: ("Net_0/Linear_0", "backward"),
        "aten::mm": ("Net_0/Linear_0", "backward"),
        "aten::other": ("", ""),
    }


def test_modules_have_the_times_of_their_kernels(tmp_path: Path) -> None:
    events = Events()
    events.add("python_function", "nn.Module: Net_0", 0, 100)
    for place, name in enumerate(("Linear_0", "Linear_1")):
        events.add("python_function", f"nn.Module: {name}", 10 + 40 * place, 30)
        events.op("aten::mm", 15 + 40 * place, 20, External_id=place + 1)
        events.launch(20 + 40 * place, 2, place + 1, External_id=place + 1)
        events.kernel("gemm", 200 + 40 * place, 10 * (place + 1), place + 1)
    modules = events.read(tmp_path).modules
    assert [(row["path"], row["parent"], row["host_total"], row["host_self"]) for row in modules.rows()] == [
        ("Net_0", -1, 100_000, 40_000), ("Net_0/Linear_0", 0, 30_000, 30_000), ("Net_0/Linear_1", 0, 30_000, 30_000),
    ]  # fmt: skip
    assert [(row["device_total"], row["device_self"]) for row in modules.rows()] == [
        (30_000, 0), (10_000, 10_000), (20_000, 20_000),
    ]  # fmt: skip


def test_kernels_without_occupancy_do_not_lower_that_of_others(tmp_path: Path) -> None:
    """A copy has none: it is no kernel that uses nothing of the device."""
    events = Events()
    figures: dict[str, Any] = {"blocks per SM": 2.0, "est. achieved occupancy %": 50}
    events.kernel("gemm", 0, 100, **figures)
    events.kernel("Memcpy HtoD", 200, 100, cat="gpu_memcpy", bytes=4096)
    profile = events.read(tmp_path)
    rows = {row["name"]: row for row in profile.kernels.rows()}
    assert rows["gemm"]["occupancy"] == 0.5
    assert np.isnan(rows["Memcpy HtoD"]["occupancy"])
    (stream,) = profile.kernels.group_by("stream").rows()
    assert (stream["occupancy"], stream["blocks_per_sm"], stream["total"]) == (0.5, 2, 200_000)
    assert overview_of(profile).occupancy == 0.5


def test_kernels_have_means_weighted_by_time(tmp_path: Path) -> None:
    events = Events()
    figures: dict[str, Any] = {"blocks per SM": 2.0, "est. achieved occupancy %": 50}
    events.kernel("sm80_xmma_gemm_f16f16", 0, 30, **figures)
    events.kernel("sm80_xmma_gemm_f16f16", 40, 10, **{**figures, "est. achieved occupancy %": 10})
    events.kernel("elementwise", 60, 10)
    rows = by_name(events.read(tmp_path).kernels)
    gemm = rows["sm80_xmma_gemm_f16f16"]
    assert (gemm["occupancy"], gemm["blocks_per_sm"], gemm["core"]) == (pytest.approx(0.4), 2.0, "tensor_core")
    assert (gemm["min"], gemm["max"], gemm["mean"], gemm["share"]) == (10_000, 30_000, 20_000, 0.8)
    assert rows["elementwise"]["core"] == ""


def test_communication_has_group_and_size(tmp_path: Path) -> None:
    events = Events()
    events.step(5, 0, 100)
    events.launch(10, 5, 1)
    arguments: dict[str, Any] = {
        "Collective name": "_allgather_base", "dtype": "BFloat16", "In msg nelems": 1000, "Group size": 8,
        "Process Group Name": "1", "Process Group Description": "data_parallel", "Seq": 12,
    }  # fmt: skip
    events.kernel("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 20, 30, 1, **arguments)
    events.kernel("ncclKernel_AllReduce_RING", 60, 30)
    first, second = events.read(tmp_path).communication.rows()
    assert first["kind"] == "allgather"
    assert {name: first[name] for name in ("group", "sequence", "group_size", "step", "size", "dtype")} == {
        "group": "data_parallel", "sequence": 12, "group_size": 8, "step": 5, "size": 2000, "dtype": "BFloat16",
    }  # fmt: skip
    assert (second["kind"], second["size"], second["sequence"]) == ("allreduce", -1, -1)


def test_memory_of_devices_has_curve_and_blocks(tmp_path: Path) -> None:
    events = Events()
    events.step(1, 0, 100)
    events.op("aten::relu", 10, 20, External_id=1)
    events.op("aten::empty", 12, 5, External_id=2)
    events.memory(13, 512, 64, 512, device=0)
    events.memory(50, -512, 64, 0, device=0)
    events.memory(60, -100, 7, -100)  # born before the profile
    events.memory(70, 256, 64, 256, device=0)
    events.memory(80, 256, 64, 512, device=0)  # its free is not in the trace
    memory = events.read(tmp_path).memory
    assert [(row["time"], row["device"], row["allocated"]) for row in memory.curve.rows()] == [
        (13_000, "GPU 0", 512), (50_000, "GPU 0", 0), (60_000, "CPU", -100), (70_000, "GPU 0", 256),
        (80_000, "GPU 0", 512),
    ]  # fmt: skip
    assert memory.blocks is not None
    unknown = -(2**63)
    assert [(row["size"], row["allocated_at"], row["freed_at"]) for row in memory.blocks.rows()] == [
        (100, unknown, 60_000), (512, 13_000, 50_000), (256, 70_000, unknown), (256, 80_000, unknown),
    ]  # fmt: skip
    assert list(memory.blocks.operator or [])[1] == "aten::relu"
    assert memory.blocks.live_at(20_000, "GPU 0").size.tolist() == [512]


def test_waits_of_a_stream_are_those_of_hta(tmp_path: Path) -> None:
    events = Events()
    for correlation, ts in ((1, 0), (2, 3), (3, 100), (4, 104)):
        events.launch(ts, 2, correlation)
    events.kernel("a", 10, 20, 1)
    events.kernel("b", 35, 20, 2)  # 5 us after a, launched before its end: kernel wait
    events.kernel("c", 120, 1, 3)  # launched after b ended: host wait
    events.kernel("d", 200, 20, 4)  # launched before c began, 79 us: other
    events.kernel("e", 10, 20, stream=8)
    streams = events.read(tmp_path).streams
    row = next(row for row in streams.rows() if row["stream"] == "stream 7")
    assert (row["kernel_wait"], row["host_wait"], row["other_wait"]) == (5_000, 65_000, 79_000)
    assert (row["busy"], row["kernels"], row["launches"], row["short"], row["overlaps"]) == (61_000, 4, 4, 1, 0)
    assert row["delay"] == (10 - 2 + 35 - 5 + 120 - 102 + 200 - 106) * 1000


def test_kernel_waits_follow_their_threshold(tmp_path: Path) -> None:
    events = Events()
    for place, ts in enumerate([100, 115.5, 160.5, 2_000]):  # gaps of 5.5, 35 and 1,829.5 us
        events.launch(place, 0.5, place + 1)
        events.kernel("k", ts, 10, place + 1)
    profile = events.read(tmp_path)
    for threshold, waits in ((0, (0, 1_870)), (6, (5.5, 1_864.5)), (35, (5.5, 1_864.5)), (36, (40.5, 1_829.5))):
        found = profile.streams_by(threshold)
        assert (found.kernel_wait[0], found.other_wait[0]) == tuple(1000 * wait for wait in waits)
    assert next(profile.streams_by(30).rows()) == next(profile.streams.rows())
    with pytest.raises(ValueError, match="want 0 to 1000"):
        profile.streams_by(1001)


def test_slow_launches_are_counted(tmp_path: Path) -> None:
    events = Events()
    for correlation, (call, delay) in enumerate([(50, 100), (50.001, 100.001), (10, 90)], 1):
        at = 1_000 * correlation
        events.launch(at, call, correlation)
        events.kernel("k", at + call + delay, 20, correlation)
    row = next(events.read(tmp_path).streams.rows())
    assert (row["launches"], row["short"], row["long_calls"], row["late"]) == (3, 2, 1, 1)


def test_annotations_have_the_kernels_that_were_launched_in_them(tmp_path: Path) -> None:
    events = Events()
    events.step(1, 0, 100)
    events.add("user_annotation", "augment", 0, 50)
    events.op("aten::mul", 10, 20, External_id=1)
    events.launch(12, 2, 1, External_id=1)
    events.kernel("k", 60, 30, 1)
    events.add("gpu_user_annotation", "augment", 60, 30, 7, 0)
    (row,) = events.read(tmp_path).annotations.rows()
    assert (row["name"], row["count"], row["host_total"], row["host_self"]) == ("augment", 1, 50_000, 30_000)
    assert row["device_total"] == 30_000


def test_a_queue_has_the_kernels_that_were_launched_and_wait(tmp_path: Path) -> None:
    events = Events()
    for place in range(1_100):
        events.launch(place, 0.5, place + 1)
        events.kernel("k", 2_000 + place, 1, place + 1)
    row = next(events.read(tmp_path).streams.rows())
    assert row["queue_peak"] == 1_100
    # From launch 1,024 at 1,023 us to the start of kernel 77 at 2,076 us.
    assert row["queue_full"] == 1_053_000


def blocks(per_multiprocessor: float | str) -> dict[str, Any]:
    return {"blocks per SM": per_multiprocessor}


def test_the_efficiency_of_multiprocessors_counts_blocks_in_flight(tmp_path: Path) -> None:
    events = Events()
    events.step(1, 0, 100)
    events.kernel("half", 0, 40, **blocks(0.5))
    events.kernel("much", 20, 20, stream=8, **blocks(8))
    events.kernel("unknown", 60, 40, **blocks("inf"))
    efficiency = events.read(tmp_path).steps.sm_efficiency
    assert efficiency is not None
    assert efficiency.tolist() == [pytest.approx(0.3)]


def test_copies_have_a_bandwidth(tmp_path: Path) -> None:
    events = Events()
    events.kernel("Memcpy HtoD (Pinned -> Device)", 0, 10, cat="gpu_memcpy", bytes=200_000)
    events.kernel("Memcpy HtoD (Pinned -> Device)", 20, 10, cat="gpu_memcpy", bytes=100_000)
    row = next(events.read(tmp_path).kernels.rows())
    assert (row["size"], row["bandwidth"], row["kind"]) == (300_000, 15.0, "copy")


def test_overlapping_kernels_are_busy_once(tmp_path: Path) -> None:
    events = Events()
    events.kernel("a", 0, 30)
    events.kernel("b", 10, 5)
    events.kernel("c", 20, 20)
    row = next(events.read(tmp_path).streams.rows())
    assert (row["busy"], row["overlaps"], row["host_wait"], row["kernel_wait"]) == (40_000, 2, 0, 0)


def test_damaged_arguments_lose_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '{"schemaVersion": 1, "baseTimeNanoseconds": 1, "traceEvents": ['
        '{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 9, "args": {"External id": N/A, '
        '"Sequence number": 99999999999999999999999, "Input Dims": [[1, 2]]}},'
        '{"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 1, "ts": 2, "dur": 3, "args": {"External id": "7", '
        '"Comms Id": 18446744073709551615, "Input Dims": [["]"]]}},'
        '{"ph": "X", "cat": "kernel", "name": "k, \\"x\\" <b>", "pid": 0, "tid": 7, "ts": 9, "dur": 4, "args": '
        '{"External id": 7, "correlation": -1}}]}'
    )
    profile = read_profile(path)
    assert by_name(profile.kernels)['k, "x" <b>']["operator"] == "b"


def test_an_empty_trace_misses_everything(tmp_path: Path) -> None:
    profile = Events().read(tmp_path)
    assert {part.value for part in profile.missing} == {
        "steps", "operators", "kernels", "modules", "memory", "data_pipeline", "communication", "links", "streams",
        "annotations", "call_tree", "stream_gaps", "step_rows", "functions",
    }  # fmt: skip
    assert all(found.reason for found in profile.missing.values())
