# SPDX-License-Identifier: Apache-2.0
"""Hand-made databases of Ascend's profiler. Times are microseconds after ``BASE_NS``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

BASE_NS = 1_800_000_000_000_000_000
PROCESS, MAIN, QUEUE = 71, 71, 72
US = 1000
OPERATOR, FRAME = 50001, 50003

MAIN_SCHEMA = """
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,
 globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER, taskType INTEGER,
 opType INTEGER, inputFormats INTEGER, inputDataTypes INTEGER, inputShapes INTEGER);
CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER, groupName INTEGER,
 opId INTEGER PRIMARY KEY, relay INTEGER, retry INTEGER, dataType INTEGER, algType INTEGER, count NUMERIC,
 opType INTEGER, deviceId INTEGER);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER,
 name INTEGER);
CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER,
 sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER,
 type INTEGER);
CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);
CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
CREATE TABLE MEMORY_RECORD (component INTEGER, timestamp INTEGER, totalAllocated INTEGER, totalReserved INTEGER,
 totalActive INTEGER, streamPtr INTEGER, deviceId INTEGER);
CREATE TABLE OP_MEMORY (name INTEGER, size INTEGER, allocationTime INTEGER, releaseTime INTEGER, duration INTEGER,
 deviceId INTEGER);
CREATE TABLE AICORE_FREQ (deviceId INTEGER, timestampNs INTEGER, freq INTEGER);
CREATE TABLE HBM (deviceId INTEGER, timestampNs INTEGER, bandwidth INTEGER, hbmId INTEGER, type INTEGER);
CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);
CREATE TABLE META_DATA (name TEXT, value TEXT);
"""
ANALYSIS_SCHEMA = """
CREATE TABLE StepTraceTime (deviceId INTEGER, step TEXT, computing REAL, communication_not_overlapped REAL,
 overlapped REAL, communication REAL, free REAL, stage REAL, bubble REAL,
 communication_not_overlapped_and_exclude_receive REAL, preparing REAL);
CREATE TABLE CommAnalyzerTime (hccl_op_name TEXT, group_name TEXT, start_timestamp REAL, elapse_time REAL, step TEXT,
 type TEXT, transit_time REAL, wait_time REAL, synchronization_time REAL, idle_time REAL);
CREATE TABLE CommAnalyzerBandwidth (hccl_op_name TEXT, group_name TEXT, transport_type TEXT, transit_size REAL,
 transit_time REAL, bandwidth REAL, package_size REAL, count INTEGER, step TEXT, type TEXT);
CREATE TABLE CommAnalyzerMatrix (hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, transport_type TEXT,
 transit_size REAL, transit_time REAL, bandwidth REAL, step TEXT, type TEXT);
"""


class Database:
    """Collects rows."""

    def __init__(self, schema: str) -> None:
        self.schema = schema
        self.rows: list[tuple[str, dict[str, Any]]] = []
        self._strings: dict[str, int] = {}

    def string(self, text: str) -> int:
        if text not in self._strings:
            self._strings[text] = 268435456 + len(self._strings)
            self.add("STRING_IDS", id=self._strings[text], value=text)
        return self._strings[text]

    def add(self, table: str, **cells: Any) -> None:
        self.rows.append((table, cells))

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as file, file:
            file.executescript(self.schema)
            for table, cells in self.rows:
                names, marks = ", ".join(f'"{name}"' for name in cells), ", ".join("?" * len(cells))
                file.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(cells.values()))
        return path


def times(start: float, duration: float) -> dict[str, int]:
    begin = BASE_NS + round(start * US)
    return {"startNs": begin, "endNs": begin + round(duration * US)}


def training(steps: int = 2) -> Database:
    """Steps of 100 us of rank 3: a product of 40 us, a reduction of 20 us, half of it beside the product, a copy."""
    made = Database(MAIN_SCHEMA)
    made.add("RANK_DEVICE_MAP", rankId=3, deviceId=0)
    made.add("META_DATA", name="SCHEMA_VERSION", value="1.0.2")
    for step in range(steps):
        begin, first = 100.0 * step, 10 * step + 1
        made.add("STEP_TIME", id=step + 5, **times(begin, 95))
        framework(made, f"ProfilerStep#{step + 5}", begin, 95)
        framework(made, "aten::linear", begin + 5, 20, 100 + first, inputShapes=made.string("8,64;10,64"))
        framework(made, "aten::mm", begin + 8, 12, 100 + first)
        framework(made, "train.py(12): step", begin + 1, 90, kind=FRAME)
        made.add("CONNECTION_IDS", id=100 + first, connectionId=first)
        made.add("CONNECTION_IDS", id=100 + first, connectionId=9000 + first)
        cann(made, "launch", begin + 30, 6, first, 10000)
        cann(made, "KernelLaunch", begin + 32, 3, first, 5000)
        task(made, first, begin + 40, 40, "AI_CORE", stream=2, name="aclnnMm_MatMulV2", kind="MatMulV2")
        task(made, first + 1, begin + 82, 5, "MEMCPY_ASYNC", stream=2)
        task(made, first + 2, begin + 88, 1, "EVENT_RECORD", stream=2)
        made.add(
            "COMMUNICATION_OP", opName=made.string(f"hcom_allReduce__844_{step}_1"), **times(begin + 70, 20),
            connectionId=first + 3, groupName=made.string("8440"), opId=step, count=1000,
            opType=made.string("hcom_allReduce_"), deviceId=0,
        )  # fmt: skip
        stamp = times(begin + 10, 0)["startNs"]
        made.add("MEMORY_RECORD", component=made.string("PTA"), timestamp=stamp, totalAllocated=512 * (step + 1),
                 totalReserved=4096, deviceId=0)  # fmt: skip
        made.add("MEMORY_RECORD", component=made.string("PTA+GE"), timestamp=stamp, totalAllocated=9999, deviceId=0)
        made.add("OP_MEMORY", name=made.string("aten::mm"), size=512, allocationTime=stamp,
                 releaseTime=stamp + 50 if step else None, deviceId=0)  # fmt: skip
        made.add("AICORE_FREQ", deviceId=0, timestampNs=stamp, freq=1800)
        made.add("HBM", deviceId=0, timestampNs=stamp, bandwidth=7, hbmId=0, type=1)
    return made


def framework(made: Database, name: str, start: float, duration: float, connections: int | None = None,
              kind: int = OPERATOR, **cells: Any) -> None:  # fmt: skip
    """Its times are texts, as torch_npu writes them."""
    stamps = {column: str(value) for column, value in times(start, duration).items()}
    made.add("PYTORCH_API", **stamps, globalTid=PROCESS << 32 | MAIN, connectionId=connections,
             name=made.string(name), type=kind, **cells)  # fmt: skip


def cann(made: Database, name: str, start: float, duration: float, connection: int, kind: int) -> None:
    made.add("CANN_API", **times(start, duration), type=kind, globalTid=PROCESS << 32 | QUEUE, connectionId=connection,
             name=made.string(name))  # fmt: skip


def task(made: Database, number: int, start: float, duration: float, core: str, *, stream: int, name: str = "",
         kind: str = "") -> None:  # fmt: skip
    made.add(
        "TASK", **times(start, duration), deviceId=0, connectionId=number, globalTaskId=number, globalPid=PROCESS,
        taskType=made.string(core), contextId=4294967295, streamId=stream, taskId=number, modelId=4294967295,
    )  # fmt: skip
    if name:
        made.add(
            "COMPUTE_TASK_INFO", name=made.string(name), globalTaskId=number, blockDim=20, taskType=made.string(core),
            opType=made.string(kind), inputShapes=made.string("8,64;64,10"),
        )  # fmt: skip


def analysis() -> Database:
    made = Database(ANALYSIS_SCHEMA)
    for step, computing in ((5, 40.5), (6, 41.0)):
        made.add("StepTraceTime", deviceId=0, step=str(step), computing=computing, communication_not_overlapped=10,
                 overlapped=10, communication=20, free=49.5, stage=100, bubble=0, preparing=1)  # fmt: skip
    key = {"hccl_op_name": "hcom_allReduce__844_0_1", "group_name": "8440", "step": "step5", "type": "collective"}
    made.add("CommAnalyzerTime", **key, start_timestamp=BASE_NS / 1000 + 70, elapse_time=0.02, transit_time=0.012,
             wait_time=0.008, synchronization_time=0.004, idle_time=0)  # fmt: skip
    for size in (1.0, 3.0):
        made.add("CommAnalyzerBandwidth", **key, transport_type="HCCS", transit_size=4.0, transit_time=0.012,
                 package_size=size, count=1)  # fmt: skip
    made.add("CommAnalyzerMatrix", **{**key, "hccl_op_name": "allreduce-total"}, src_rank="3", dst_rank="4",
             transport_type="HCCS", transit_size=4.0, transit_time=0.01)  # fmt: skip
    return made
