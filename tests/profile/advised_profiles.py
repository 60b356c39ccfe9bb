# SPDX-License-Identifier: Apache-2.0
"""Profiles whose advice rests on rows of every kind."""

from __future__ import annotations

import json
from pathlib import Path

from tests.profile.kineto_events import Events
from tests.profile.made_profiles import BASE_US, TRACE_VIEW, ascend_output, write

TRACE, ASCEND = "advised.pt.trace.json", "host_71_20270115080000000_ascend_ms"
DEVICE = [{"id": 0, "name": "Invented", "totalGlobalMem": 6 << 20, "computeMajor": 8}]


def advised_trace(path: Path) -> Path:
    """Five steps that wait for the host, leave memory, copy pageable memory, and communicate by gloo."""
    events, size = Events(), 1 << 20
    for step in range(5):
        at = 1000 * step
        events.step(step, at, 1000)
        events.op("aten::item", at + 10, 300, External_id=10 * step + 1)
        events.op("aten::_local_scalar_dense", at + 20, 250, External_id=10 * step + 2)
        events.launch(at + 30, 20, 10 * step + 1, External_id=10 * step + 2)
        events.kernel("Memcpy HtoD (Pageable -> Device)", at + 100, 15, 10 * step + 1, cat="gpu_memcpy")
        events.op("aten::mm", at + 400, 50, External_id=10 * step + 3)
        events.launch(at + 410, 20, 10 * step + 3, External_id=10 * step + 3)
        events.kernel("sgemm", at + 500, 10, 10 * step + 3)
        events.memory(at + 415, size, 64 * (step + 1), size * (step + 1) + (1 << 20), device=0)
        events.add("user_annotation", "gloo:all_reduce", at + 700, 100 + step, tid=7)
    return events.write(path, deviceProperties=DEVICE, distributedInfo={"backend": "gloo", "rank": 0, "world_size": 2})


def advised_ascend(directory: Path) -> Path:
    """A slow data pipeline with empty queues, calls that allocate, and a collection of garbage."""
    root = ascend_output(directory)
    output = root / "ASCEND_PROFILER_OUTPUT"
    collection = [
        {"ph": "M", "pid": 80, "name": "process_name", "args": {"name": "Python GC"}},
        {"ph": "X", "pid": 80, "tid": 1, "name": "GC", "ts": f"{BASE_US + 30}.5", "dur": 1500},
    ]
    write(output / "trace_view.json", [*TRACE_VIEW, *collection])
    calls = "host,acl,aclrtMalloc,20000,7\nhost,acl,aclrtSynchronizeStream,9,3\nhost,node,launch,9,3\n"
    write(output / "api_statistic.csv", f"Device_id,Level,API Name,Time(us),Count\n{calls}")
    queue = {"size": [1, 2], "length": 10}
    operations: list[dict[str, object]] = [
        {"op_id": 2, "op_type": "MapOp", "num_workers": 4, "children": [], "metrics": {"output_queue": queue}},
        {"op_id": 0, "op_type": "Root", "num_workers": 1, "children": [2], "metrics": None},
    ]
    content: dict[str, object] = {"sampling_interval": 10, "op_info": operations}
    write(output / "pipeline_profiling_3.json", json.dumps(content))
    lines = [f"1 64 {batch} {size} {1000 + batch}" for batch, size in enumerate([0, 64, 0], 1)]
    write(output / "device_queue_profiling_3.txt", "\n".join(lines))
    return root
