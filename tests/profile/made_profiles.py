# SPDX-License-Identifier: Apache-2.0
"""Invented profiles of Ascend, small enough to compute every figure by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BASE_US = 1_800_000_000_000_000
"""Microseconds since 1970."""


def write(path: Path, content: str | bytes | object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


TRACE_VIEW = [
    {"ph": "M", "pid": 71, "name": "process_name", "args": {"name": "Ascend Hardware"}},
    {"ph": "M", "pid": 71, "tid": 2, "name": "thread_name", "args": {"name": "Stream 2"}},
    {"ph": "X", "name": "ProfilerStep#5", "pid": 70, "tid": 1, "ts": f"{BASE_US}.000", "dur": 110},
    {"ph": "X", "name": "ProfilerStep#6", "pid": 70, "tid": 1, "ts": f"{BASE_US + 120}.000", "dur": "90.5"},
    {
        "ph": "X", "name": "MatMulV2", "pid": 71, "tid": 2, "ts": f"{BASE_US + 10}.250", "dur": 18.4,
        "args": {"Task Type": "AI_CORE", "Stream Id": 2},
    },
]  # fmt: skip

STEP_TRACE = """Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,\
Communication(Not Overlapped and Exclude Receive),Preparing
3,6,60.0\t,20.5\t,4.0,24.5,10.0,90.5,0,20.5,1.25
3,5,81.5\t,20.0\t,4.0,24.0,8.5,110.0,0,20.0,0.5
"""

KERNEL_DETAILS = """Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),\
Duration(us),Wait Time(us),Block Dim,Input Shapes,Input Data Types
3,4294967295,40,2,Default/network-Net/fc1-Dense/MatMul-op4,MatMulV2,dynamic,AI_CORE,"1800000000000010.250\t",18.4,0,20,\
\"\"\"8,64;64,10\"\"\",FLOAT16;FLOAT16
3,4294967295,41,2,Default/network-Net/fc1-Dense/MatMul-op4,MatMulV2,dynamic,AI_CORE,"1800000000000130.250\t",21.6,0,20,\
\"\"\"8,64;64,10\"\"\",FLOAT16;FLOAT16
3,4294967295,42,2,Gradients/Default/network-Net/fc1-Dense/gradMatMul/MatMul-op9,MatMulV2,N/A,AI_CORE,\
"1800000000000150.250\t",30,0,20,N/A,N/A
3,4294967295,N/A,N/A,hcom_allReduce__844_2_1,hcom_allReduce_,N/A,HCCL,"1800000000000050.000\t",24,0,0,N/A,N/A
3,4294967295,44,2,broken row
"""

MEMORY_RECORD = """Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Stream Ptr,Device Type
PTA,1800000000000020.000\t,1.5,4,1,NPU:3
PTA,1800000000000010.000\t,0.5,2,1,NPU:3
PTA+GE,1800000000000020.000\t,1.5,4,1,NPU:3
"""

OPERATOR_MEMORY = """Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Device Type
aten::mm,512,1800000000000010.000\t,1800000000000030.000\t,20,NPU:3
aten::empty,1024,1800000000000020.000\t,,,NPU:3
"""

LINKS = {"Transit Size(MB)": 2.0, "Transit Time(ms)": 0.02, "Bandwidth(GB/s)": 100}
COMMUNICATION: dict[str, Any] = {
    "step5": {
        "p2p": {},
        "collective": {
            "hcom_allReduce__844_2_1@8440": {
                "Communication Time Info": {
                    "Start Timestamp(us)": BASE_US + 50.0, "Elapse Time(ms)": 0.024, "Transit Time(ms)": 0.014,
                    "Wait Time(ms)": 0.01, "Synchronization Time(ms)": 0.004, "Idle Time(ms)": 0.0,
                },
                "Communication Bandwidth Info": {"SDMA": LINKS, "HCCS": LINKS, "RDMA": {"Transit Size(MB)": 0}},
            },
            "Total Op Info": {"Communication Time Info": {}},
        },
    }
}  # fmt: skip
MATRIX: dict[str, Any] = {
    "step5": {
        "p2p": {},
        "collective": {
            "allreduce-total@8440": {"3-4": {"Transport Type": "HCCS", **LINKS}, "odd": {}},
            "allreduce-top1@8440": {"3-4": {"Transport Type": "HCCS", **LINKS}},
        },
    }
}


def ascend_output(directory: Path, name: str = "host_71_20270115080000000_ascend_ms") -> Path:
    """A profile of rank 3 with two steps."""
    root = directory / name
    output = root / "ASCEND_PROFILER_OUTPUT"
    write(root / "profiler_info_3.json", {"rank_id": "3", "ms_version": "2.9"})
    write(output / "trace_view.json", TRACE_VIEW)
    write(output / "step_trace_time.csv", STEP_TRACE)
    write(output / "kernel_details.csv", KERNEL_DETAILS)
    write(output / "memory_record.csv", MEMORY_RECORD)
    write(output / "operator_memory.csv", OPERATOR_MEMORY)
    write(output / "communication.json", COMMUNICATION)
    write(output / "communication_matrix.json", MATRIX)
    return root
