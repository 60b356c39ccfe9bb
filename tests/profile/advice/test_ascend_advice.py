# SPDX-License-Identifier: Apache-2.0
"""Advice on NPUs and their hosts, with the thresholds of msprof-analyze, from hand-made files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mindscope.profile.advice import advise
from mindscope.profile.open import read_profile
from tests.profile.formats.test_mindspore_profiles import ascend
from tests.profile.made_profiles import BASE_US, TRACE_VIEW, ascend_output, write

KERNELS = "Name,Type,Accelerator Core,Start Time(us),Duration(us)"


def found(directory: Path, **files: str | object) -> dict[str, dict[str, Any]]:
    """Advice by its code on an output with these files; ``__`` in a name stands for the dot."""
    root = ascend_output(directory)
    for name, content in files.items():
        write(root / "ASCEND_PROFILER_OUTPUT" / name.replace("__", "."), content)
    given = advise(read_profile(root))
    assert all(each.finding and each.remedy for each in given)
    return {each.code: {**each.values, "row_count": len(each.rows), "step_share": each.share} for each in given}


@pytest.mark.parametrize(("free", "is_found"), [(10, False), (12, True)])
def test_free_time(tmp_path: Path, free: int, is_found: bool) -> None:
    advice = found(
        tmp_path,
        step_trace_time__csv="Step,Computing,Communication(Not Overlapped),Free\n"
        f"1,{90 - free},10,{free}\n2,{90 - free},10,{free}\n",
    )
    assert ("free_time" in advice) == is_found
    if is_found:
        assert advice["free_time"]["share"] == 0.12
        assert advice["free_time"]["time"] == 12_000


@pytest.mark.parametrize(("duration", "is_found"), [(19.9, False), (20, True)])
def test_tasks_of_the_ai_cpu(tmp_path: Path, duration: float, is_found: bool) -> None:
    rows = f"Cast,Cast,AI_CPU,1,{duration}\nAdd,Add,AI_CORE,1,60\n"
    advice = found(tmp_path, kernel_details__csv=f"{KERNELS}\n{rows}")
    assert ("slow_ai_cpu" in advice) == is_found
    if is_found:
        assert (advice["slow_ai_cpu"]["name"], advice["slow_ai_cpu"]["share"]) == ("Cast", 0.25)


UNITS = ("aic_mac_ratio", "aic_mte2_ratio", "aiv_vec_ratio", "aiv_mte3_ratio")


@pytest.mark.parametrize(
    ("units", "duration", "codes"),
    [
        ((0.81, 0.5, 0, 0), 30, set[str]()),
        ((0.8, 0.5, "N/A", 0), 30, {"unbound_kernels"}),
        ((0.8, 0.5, 0, 0), 19, set[str]()),
        ((0.3, 0.96, "N/A", "N/A"), 30, {"cube_bound"}),
        ((0, 0, 0.75, 0.1), 30, {"vector_bound", "unbound_kernels"}),
        ((0, 0, 0.1, 0.9), 30, {"vector_bound"}),
        ((0, 0, 0, 0), 30, set[str]()),
        (("N/A", "", "inf", "N/A"), 30, set[str]()),
    ],
)
@pytest.mark.parametrize("older", [False, True])
def test_units_that_bound_kernels(
    tmp_path: Path, units: tuple[object, ...], duration: float, codes: set[str], older: bool
) -> None:
    names = [name.replace("aic_", "").replace("aiv_", "") if older else name for name in UNITS]
    row = f"MatMul,MatMulV2,AI_CORE,1,{duration},{','.join(map(str, units))}\n"
    advice = found(tmp_path, kernel_details__csv=f"{KERNELS},{','.join(names)}\n{row}{row}")
    assert advice.keys() & {"unbound_kernels", "cube_bound", "vector_bound"} == codes
    for code in codes:
        assert (advice[code]["kernels"], advice[code]["share"], advice[code]["step_share"]) == (1, 1.0, 1.0)


def trace_with(*events: Any) -> list[Any]:
    return [*TRACE_VIEW, *events]


@pytest.mark.parametrize(("low", "is_found"), [(1_666, False), (1_664, True)])
def test_a_lower_clock_rate(tmp_path: Path, low: int, is_found: bool) -> None:
    samples = [
        {"ph": "C", "name": "AI Core Freq", "pid": 90, "tid": 0, "ts": BASE_US + at, "args": {"MHz": rate}}
        for at, rate in ((0, 1_800), (50, low), (150, 1_800))
    ]
    advice = found(tmp_path, trace_view__json=trace_with(*samples))
    assert ("frequency_drop" in advice) == is_found
    if is_found:
        assert (advice["frequency_drop"]["mhz"], advice["frequency_drop"]["highest_mhz"]) == (1_709, 1_800)


@pytest.mark.parametrize(("milliseconds", "is_found"), [(1.0, False), (1.5, True)])
def test_garbage_collection(tmp_path: Path, milliseconds: float, is_found: bool) -> None:
    events = [
        {"ph": "M", "pid": 80, "name": "process_name", "args": {"name": "Python GC"}},
        {"ph": "X", "pid": 80, "tid": 1, "name": "GC", "ts": f"{BASE_US}.5", "dur": milliseconds * 1000},
    ]
    advice = found(tmp_path, trace_view__json=trace_with(*events))
    assert ("garbage_collection" in advice) == is_found
    if is_found:
        assert (advice["garbage_collection"]["runs"], advice["garbage_collection"]["time"]) == (1, 1_500_000)


def of_overlap(thread: str, start: float, duration: float) -> list[Any]:
    """A slice of ``Overlap Analysis``; microseconds since the trace begins."""
    number = {"Computing": 1, "Free": 2}[thread]
    return [
        {"ph": "M", "pid": 77, "name": "process_name", "args": {"name": "Overlap Analysis"}},
        {"ph": "M", "pid": 77, "tid": number, "name": "thread_name", "args": {"name": thread}},
        {"ph": "X", "pid": 77, "tid": number, "name": thread, "ts": f"{BASE_US + start}", "dur": duration},
    ]


@pytest.mark.parametrize(
    ("milliseconds", "calls", "is_recorded", "is_found"),
    [(200, 19, False, True), (200, 20, False, False), (199.9, 0, False, False), (200, 0, True, False)],
)
def test_a_quiet_host(tmp_path: Path, milliseconds: float, calls: int, *, is_recorded: bool, is_found: bool) -> None:
    events: list[Any] = [
        {"ph": "M", "pid": 81, "name": "process_name", "args": {"name": "CANN"}},
        {"ph": "M", "pid": 80, "name": "process_name", "args": {"name": "Python GC" if is_recorded else "Other"}},
        {"ph": "X", "pid": 80, "tid": 1, "name": "GC", "ts": BASE_US, "dur": 1},
    ]
    starts = [500.0, *(1000 + 10 * call for call in range(calls)), 1000 + milliseconds * 1000]
    events += [{"ph": "X", "pid": 81, "tid": 1, "name": "launch", "ts": BASE_US + at, "dur": 1} for at in starts]
    advice = found(tmp_path, trace_view__json=trace_with(*of_overlap("Free", 1000, milliseconds * 1000), *events))
    assert ("quiet_host" in advice) == is_found
    if is_found:
        assert (advice["quiet_host"]["runs"], advice["quiet_host"]["time"]) == (1, 200_000_000)


@pytest.mark.parametrize(("unaligned", "is_found"), [(2, False), (3, True)])
def test_unaligned_transfers(tmp_path: Path, unaligned: int, is_found: bool) -> None:
    sizes = [513] * unaligned + [1024] * (10 - unaligned)
    facts = [("SDMA", size) for size in sizes] + [("RDMA", 7), ("SDMA", 0), ("SDMA", None)]
    events: list[Any] = [
        {"ph": "M", "pid": 78, "name": "process_name", "args": {"name": "Communication"}},
        {"ph": "M", "pid": 78, "tid": 1, "name": "thread_name", "args": {"name": "Plane 0"}},
    ]
    events += [
        {"ph": "X", "pid": 78, "tid": 1, "name": "Memcpy", "ts": BASE_US + place, "dur": 0.5,
         "args": {"transport type": link, "size(Byte)": size}}
        for place, (link, size) in enumerate(facts)
    ]  # fmt: skip
    advice = found(tmp_path, trace_view__json=trace_with(*events))
    assert ("unaligned_transfers" in advice) == is_found
    if is_found:
        assert (advice["unaligned_transfers"]["transfers"], advice["unaligned_transfers"]["share"]) == (3, 0.3)


@pytest.mark.parametrize(
    ("megabytes", "milliseconds", "computing_us", "is_found"),
    [(16, 1.2, 700, True), (16, 1.1, 700, False), (15.9, 1.2, 700, False), (16, 1.2, 500, False)],
)
def test_transfers_beside_kernels(
    tmp_path: Path, megabytes: float, milliseconds: float, computing_us: float, is_found: bool
) -> None:
    content: dict[str, Any] = {
        "Communication Time Info": {"Start Timestamp(us)": BASE_US + 100.0, "Elapse Time(ms)": 1.2},
        "Communication Bandwidth Info": {
            "SDMA": {"Transit Size(MB)": megabytes, "Transit Time(ms)": milliseconds, "Bandwidth(GB/s)": 99}
        },
    }
    advice = found(
        tmp_path,
        communication__json={"step5": {"collective": {"hcom_allReduce__1_0_1@1": content}, "p2p": {}}},
        trace_view__json=trace_with(*of_overlap("Computing", 50, 50 + computing_us)),
    )
    assert ("bandwidth_contention" in advice) == is_found
    if is_found:
        assert (advice["bandwidth_contention"]["rate"], advice["bandwidth_contention"]["row_count"]) == ("13.3 GB/s", 1)


@pytest.mark.parametrize(("calls", "is_found"), [(20, False), (21, True)])
def test_synchronized_norms(tmp_path: Path, calls: int, is_found: bool) -> None:
    advice = found(tmp_path, kernel_details__csv=f"{KERNELS}\n" + "SyncBatchNormGatherStats,A,AI_CORE,1,2\n" * calls)
    assert ("synchronized_norms" in advice) == is_found


@pytest.mark.parametrize(("time", "waits", "codes"), [
    (5_000, 49, set[str]()), (5_001, 50, {"memory_calls", "stream_synchronization"}),
])  # fmt: skip
def test_calls_of_the_runtime(tmp_path: Path, time: int, waits: int, codes: set[str]) -> None:
    advice = found(
        tmp_path,
        api_statistic__csv="Level,API Name,Time(us),Count\n"
        f"acl,aclrtMalloc,5000,2\nacl,aclrtFreePhysical,{time},2\nacl,aclrtSynchronizeStream,1,{waits}\nnode,launch,1,100\n",
    )
    assert advice.keys() & {"memory_calls", "stream_synchronization"} == codes


def operation(**links: object) -> dict[str, object]:
    return {"Communication Time Info": {"Elapse Time(ms)": 1}, "Communication Bandwidth Info": links}


@pytest.mark.parametrize(("small", "codes"), [(2, set[str]()), (3, {"SDMA"})])
def test_small_packets(tmp_path: Path, small: int, codes: set[str]) -> None:
    sizes = {"Size Distribution": {"15.9": [small, 0.1], "16": [10 - small, 1.0], "odd": 3}}
    links = {"SDMA": sizes, "HCCS": {"Size Distribution": {"1": [99, 1]}}, "RDMA": {"Size Distribution": {"1": [9, 1]}}}
    content = {"step1": {"collective": {"hcom_allReduce__1_0_1@1": operation(**links)}, "p2p": {}}}
    advice = found(tmp_path, communication__json=content)
    assert {each["link"] for code, each in advice.items() if code == "small_packets"} == codes


@pytest.mark.parametrize(("milliseconds", "is_found"), [(4_000, False), (4_001, True)])
def test_retransmission(tmp_path: Path, milliseconds: int, is_found: bool) -> None:
    content = {"step1": {"p2p": {"hcom_send__1_0_1@1": operation(RDMA={"Transit Time(ms)": milliseconds})}}}
    assert ("retransmission" in found(tmp_path, communication__json=content)) == is_found


@pytest.mark.parametrize(("idle", "is_found"), [(20, False), (19, True)])
def test_load_of_the_host(tmp_path: Path, idle: int, is_found: bool) -> None:
    content: dict[str, Any] = {"device_info": {"idle_utilization": [idle, idle]}, "op_info": []}
    root = ascend(tmp_path, minddata_cpu_utilization_1__json=json.dumps(content))
    assert ("processor_load" in {each.code for each in advise(read_profile(root))}) == is_found


@pytest.mark.parametrize(
    ("percent", "workers", "kind", "code"),
    [
        (301, 4, "MapOp", "busy_workers"), (300, 4, "MapOp", ""), (79, 4, "MapOp", "idle_workers"),
        (80, 4, "MapOp", ""), (19, 1, "MapOp", ""), (1, 4, "ShuffleOp", ""),
    ],
)  # fmt: skip
def test_workers_of_the_pipeline(tmp_path: Path, percent: int, workers: int, kind: str, code: str) -> None:
    operations = {"op_info": [{"op_id": 1, "op_type": kind, "num_workers": workers, "children": None, "metrics": None}]}
    usage = {"op_info": [{"op_id": 1, "metrics": {"user_utilization": [percent], "sys_utilization": [0]}}]}
    root = ascend(
        tmp_path, pipeline_profiling_1__json=json.dumps(operations), minddata_cpu_utilization_1__json=json.dumps(usage)
    )
    codes = {each.code for each in advise(read_profile(root))} & {"busy_workers", "idle_workers"}
    assert codes == ({code} if code else set())
