# SPDX-License-Identifier: Apache-2.0
"""Hand-made exports of Nsight Systems, with its schema. Times are nanoseconds since the session began."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

PID, MAIN, BACKWARD = 4242, 4242, 4300
GLOBAL_PID = 1 << 56 | PID << 24
EPOCH = 1_800_000_000_000_000_000
US = 1000

SCHEMA = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER, cuDevice
 INTEGER, computeMajor INTEGER, computeMinor INTEGER, maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER,
 maxRegistersPerSm INTEGER, maxShmemPerSm INTEGER);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, metricName
 TEXT);
CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);
CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER, name TEXT, label TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId
 INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER,
 registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ
 INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId
 INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind
 INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId
 INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
 correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
 streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, text TEXT, globalTid
 INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER,
 nameId INTEGER, returnValue INTEGER, nestingLevel INTEGER);
CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER, contextId INTEGER,
 address INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER, correlationId INTEGER);
CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, globalTid INTEGER);
"""


class Export:
    """Collects rows by table."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, dict[str, Any]]] = []
        self._strings: dict[str, int] = {}

    def string(self, text: str) -> int:
        if text not in self._strings:
            self._strings[text] = 100 + len(self._strings)
            self.add("StringIds", id=self._strings[text], value=text)
        return self._strings[text]

    def add(self, table: str, **cells: Any) -> None:
        self.rows.append((table, cells))

    def change(self, **cells: Any) -> None:
        """Other cells for the last row."""
        self.rows[-1][1].update(cells)

    def range(
        self, text: str, start: float, duration: float, thread: int = MAIN, kind: int = 59, *, by_id: bool = False
    ) -> None:
        named = {"textId": self.string(text)} if by_id else {"text": text}
        end = None if kind == 34 else round((start + duration) * US)
        self.add(
            "NVTX_EVENTS", start=round(start * US), end=end, eventType=kind, globalTid=tid(thread), domainId=0, **named
        )

    def launch(
        self, start: float, duration: float, correlation: int, thread: int = MAIN, name: str = "cudaLaunchKernel_v7000"
    ) -> None:
        self.add(
            "CUPTI_ACTIVITY_KIND_RUNTIME", start=round(start * US), end=round((start + duration) * US), eventClass=0,
            globalTid=tid(thread), correlationId=correlation, nameId=self.string(name), returnValue=0,
        )  # fmt: skip

    def kernel(self, name: str, start: float, duration: float, correlation: int, stream: int = 7, **cells: Any) -> None:
        self.add(
            "CUPTI_ACTIVITY_KIND_KERNEL",
            **{
                **device(start, duration, correlation, stream),
                "demangledName": self.string(name), "shortName": self.string(name[:4]), "registersPerThread": 32,
                "gridX": 264, "gridY": 1, "gridZ": 1, "blockX": 256, "blockY": 1, "blockZ": 1, "staticSharedMemory": 0,
                "dynamicSharedMemory": 1024, **cells,
            },
        )  # fmt: skip

    def copy(self, start: float, duration: float, correlation: int, size: int, *, source: int = 0) -> None:
        self.add(
            "CUPTI_ACTIVITY_KIND_MEMCPY", **device(start, duration, correlation, 7), bytes=size, copyKind=1,
            srcKind=source, dstKind=2,
        )  # fmt: skip

    def write(self, path: Path, schema: str = SCHEMA) -> Path:
        with closing(sqlite3.connect(path)) as file, file:
            file.executescript(schema)
            for table, cells in self.rows:
                names, marks = ", ".join(f'"{name}"' for name in cells), ", ".join("?" * len(cells))
                file.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(cells.values()))
        return path


def tid(thread: int) -> int:
    return GLOBAL_PID | thread


def device(start: float, duration: float, correlation: int, stream: int) -> dict[str, int]:
    return {
        "start": round(start * US), "end": round((start + duration) * US), "deviceId": 0, "contextId": 1,
        "streamId": stream, "correlationId": correlation, "globalPid": GLOBAL_PID,
    }  # fmt: skip


def training(steps: int = 3, name: str = "ProfilerStep#{}") -> Export:
    """Steps of 1 ms, each with 40 us of data loading, a copy, a product, a reduction between ranks and its backward.

    A step begins with ``enumerate(DataLoader)``; the device computes in 350 us of it, copies in 50 us, communicates in
    100 us, 50 us of them while it computes.
    """
    made = Export()
    made.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=EPOCH, utcTime="2027-01-15", localTime="2027-01-15")
    made.add(
        "TARGET_INFO_GPU", vmId=0, id=0, name="NVIDIA H200", totalMemory=150 << 30, smCount=132, cuDevice=0,
        computeMajor=9, computeMinor=0, maxWarpsPerSm=64, maxBlocksPerSm=32, maxRegistersPerSm=65536,
        maxShmemPerSm=233472,
    )  # fmt: skip
    made.add("PROCESSES", globalPid=GLOBAL_PID, pid=PID, name="python3.11")
    made.add("ThreadNames", nameId=made.string("pt_autograd_0"), priority=0, globalTid=tid(BACKWARD))
    made.add("META_DATA_CAPTURE", name="COMMON_OPTIONS:TRACE", value="cuda,nvtx,osrt")
    for number, label in enumerate(("Pageable", "Pinned", "Device")):
        made.add("ENUM_CUDA_MEM_KIND", id=number, name=f"CUDA_MEMOPR_MEMORY_KIND_{label.upper()}", label=label)
    for metric, label in enumerate(("SMs Active [Throughput %]", "DRAM Read Bandwidth [Throughput %]")):
        made.add("TARGET_INFO_GPU_METRICS", typeId=256, sourceId=1, typeName="GH100", metricId=metric, metricName=label)
    for step in range(steps):
        _step(made, step, 1000.0 * step + 500, name)
    made.range("checkpoint", 1000.0 * steps + 510, 100, kind=60)
    made.range("epoch ends", 1000.0 * steps + 620, 0, kind=34)
    made.add("SCHED_EVENTS", start=1, cpu=0, globalTid=tid(MAIN))
    return made


def _step(made: Export, step: int, begin: float, name: str) -> None:
    first = 100 * step + 1
    made.range(name.format(step), begin, 980)
    made.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", begin, 40)
    made.add(
        "OSRT_API", start=round((begin + 5) * US), end=round((begin + 25) * US), globalTid=tid(MAIN),
        nameId=made.string("read"), correlationId=1,
    )  # fmt: skip
    made.range("aten::to, op_id = 3", begin + 50, 30, by_id=True)
    made.launch(begin + 55, 20, first, name="cudaMemcpyAsync_v3020")
    made.copy(begin + 80, 50, first, 1 << 20)
    made.range(f"aten::linear, seq = {2 * step}, op_id = 4, sizes = [[64, 128], [10, 128], [10]]", begin + 100, 60)
    made.range(f"aten::addmm, seq = {2 * step}, op_id = 5, sizes = [[10], [64, 128], [128, 10]]", begin + 110, 40)
    made.launch(begin + 120, 5, first + 1)
    made.kernel("void gemm_f32(float*, float const*)", begin + 150, 150, first + 1)
    node = f"autograd::engine::evaluate_function: AddmmBackward0, seq = {2 * step}"
    made.range(node, begin + 200, 80, BACKWARD)
    made.range(f"AddmmBackward0, seq = {2 * step}, op_id = 6", begin + 205, 70, BACKWARD)
    made.range("aten::mm, op_id = 7, sizes = [[64, 10], [10, 128]]", begin + 210, 60, BACKWARD)
    made.launch(begin + 220, 5, first + 2, BACKWARD)
    made.kernel("void gemm_f32(float*, float const*)", begin + 300, 200, first + 2)
    made.launch(begin + 290, 5, first + 3, BACKWARD)
    made.kernel(
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", begin + 450, 100, first + 3, 9
    )
    made.launch(begin + 560, 300, first + 4, name="cudaDeviceSynchronize_v3020")
    made.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", **device(begin + 561, 298, first + 4, 0), syncType=4)
    made.range("Optimizer.step#SGD.step", begin + 880, 60)
    size, address = 1 << 20, 0x7F0000000000 + (step << 21)
    for moment, kind in ((begin + 60, 0), (begin + 900, 1)):
        made.add(
            "CUDA_GPU_MEMORY_USAGE_EVENTS", start=round(moment * US), globalPid=GLOBAL_PID, deviceId=0, contextId=1,
            address=address, bytes=size, memKind=2, memoryOperationType=kind, correlationId=first,
        )  # fmt: skip
    for metric in range(2):
        made.add("GPU_METRICS", timestamp=round((begin + 500) * US), typeId=256, metricId=metric, value=40 + step)
