# SPDX-License-Identifier: Apache-2.0
"""Kernels, copies and metrics of devices in an export of Nsight Systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.nsight.ids import correlation_of, process_of
from mindscope.profile.formats.nsight.row_tables import COPIES, MEMORIES, ROW_TABLES, SYNCHRONIZATIONS
from mindscope.profile.formats.recorded_runs import COPY, KERNEL, SET, RecordedMarks, RecordedRuns
from mindscope.profile.formats.recording import TraceBuilder
from mindscope.profile.formats.sqlite_file import SqliteFile, SqliteRows, named
from mindscope.profile.kineto.host_calls import MEMORY_NAME
from mindscope.profile.model.profile_data import Device
from mindscope.profile.trace.trace import Counter, Track
from mindscope.table.columns import TextColumn, integers_of
from mindscope.table.grouping import distinct_rows

_PREFIX = "CUPTI_ACTIVITY_KIND_"
_KEYS = ("start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid")
_GRID = ("gridX", "gridY", "gridZ")
_BLOCK = ("blockX", "blockY", "blockZ")
_DEVICE_MEMORY = 2
_FREED = 1
_FIRST_ORDER = 1000
"""Devices are below the processes."""


def devices_of(file: SqliteFile) -> list[Device]:
    """Return the GPUs, by their numbers of CUDA; kernels of others have only a number."""
    found: dict[int, Device] = {}
    for row in file.named_rows("TARGET_INFO_GPU"):
        properties = {name: value for name, value in row.items() if isinstance(value, (int, float, str))}
        numbers = [properties.get(name) for name in ("cuDevice", "id")]
        number = next((each for each in numbers if isinstance(each, int)), len(found))
        memory = properties.get("totalMemory")
        found[number] = Device(
            name=f"GPU {number}",
            kind="cuda",
            model=str(properties.get("name", "")),
            memory=memory if isinstance(memory, int) else 0,
            properties={**properties, **_capability(properties)},
        )
    return [found[number] for number in sorted(found)]


def read_device_tables(file: SqliteFile, strings: Mapping[int, str], devices: list[Device], to: TraceBuilder) -> None:
    """Adds what the devices ran, their memory, and their metrics."""
    _kernels(file, strings, devices, to)
    _graphs(file, to)
    _copies(file, to)
    _sets(file, to)
    _synchronizations(file, to)
    _memory(file, to)
    _metrics(file, devices, to)


def _kernels(file: SqliteFile, strings: Mapping[int, str], devices: list[Device], to: TraceBuilder) -> None:
    rows = file.rows(
        f"{_PREFIX}KERNEL",
        integers=(
            *_KEYS, *_GRID, *_BLOCK, "demangledName|shortName|mangledName", "registersPerThread", "staticSharedMemory",
            "dynamicSharedMemory",
        ),
    )  # fmt: skip
    if rows is None:
        return
    rows = _timed(rows, to)
    shared = rows.whole("staticSharedMemory", 0) + rows.whole("dynamicSharedMemory", 0)
    blocks = np.prod([rows.whole(each, 1).astype(np.float64) for each in _GRID], axis=0)
    threads = np.prod([rows.whole(each, 1).astype(np.float64) for each in _BLOCK], axis=0)
    registers = rows.whole("registersPerThread", 0)
    per_sm, occupancy = _occupancy(rows.whole("deviceId", 0), blocks, threads, registers, shared, devices)
    to.add(
        _runs(
            rows, to, KERNEL, named(rows.whole("demangledName"), strings),
            integers={"registers per thread": registers, "shared memory": shared},
            numbers={"blocks per SM": per_sm, "est. achieved occupancy %": occupancy},
            texts={"grid": _triples(rows, _GRID), "block": _triples(rows, _BLOCK)},
        )
    )  # fmt: skip


def _graphs(file: SqliteFile, to: TraceBuilder) -> None:
    """Add launches of whole CUDA graphs.

    The profiler records them unless it is told to record their kernels.
    """
    rows = file.rows(f"{_PREFIX}GRAPH_TRACE", integers=(*_KEYS, "graphId"))
    if rows is not None:
        rows = _timed(rows, to)
        to.add(_runs(rows, to, KERNEL, TextColumn.of(f"CUDA graph {each}" for each in rows.whole("graphId", 0))))


def _copies(file: SqliteFile, to: TraceBuilder) -> None:
    rows = file.rows(f"{_PREFIX}MEMCPY", integers=(*_KEYS, "bytes", "copyKind", "srcKind", "dstKind"))
    if rows is None:
        return
    rows = _timed(rows, to)
    memories = dict(enumerate(MEMORIES)) | file.strings("ENUM_CUDA_MEM_KIND", value="label")
    source, target = (named(rows.whole(each, 7), memories) for each in ("srcKind", "dstKind"))
    kinds = named(rows.whole("copyKind", 0), dict(enumerate(COPIES)))
    name = TextColumn.of(
        f"Memcpy {kind} ({begin} -> {end})" for kind, begin, end in zip(kinds, source, target, strict=True)
    )  # fmt: skip
    to.add(_runs(rows, to, COPY, name, integers={"bytes": rows.whole("bytes", 0)}))


def _sets(file: SqliteFile, to: TraceBuilder) -> None:
    rows = file.rows(f"{_PREFIX}MEMSET", integers=(*_KEYS, "bytes"))
    if rows is not None:
        rows = _timed(rows, to)
        name = TextColumn.constant("Memset (Device)", rows.count)
        to.add(_runs(rows, to, SET, name, integers={"bytes": rows.whole("bytes", 0)}))


def _synchronizations(file: SqliteFile, to: TraceBuilder) -> None:
    """Add waits for streams, events and contexts, beside the streams, whose kernels run meanwhile."""
    rows = file.rows(f"{_PREFIX}SYNCHRONIZATION", integers=(*_KEYS, "syncType"))
    if rows is None:
        return
    rows = _timed(rows, to)
    kinds = named(rows.whole("syncType", 0), SYNCHRONIZATIONS)
    to.add(_runs(rows, to, "cuda_sync", kinds, suffix=" (sync)"))


def _memory(file: SqliteFile, to: TraceBuilder) -> None:
    """Add allocations of the device as marks of an allocator, as PyTorch has them."""
    rows = file.rows(
        "CUDA_GPU_MEMORY_USAGE_EVENTS",
        integers=("start", "deviceId", "address", "bytes", "memKind", "memoryOperationType"),
    )
    if rows is None:
        return
    is_known = rows.has("start", "bytes")
    to.skip("no_time", int((~is_known).sum()))
    rows = rows.select(is_known & (rows.whole("memKind", _DEVICE_MEMORY) == _DEVICE_MEMORY))
    to.skip("other_phase", int(is_known.sum()) - rows.count)
    device = rows.whole("deviceId", 0)
    size = np.minimum(np.abs(np.maximum(rows.whole("bytes"), 0)), 1 << 50)
    change = np.where(rows.whole("memoryOperationType", 0) == _FREED, -size, size)
    total = np.zeros(rows.count, np.int64)
    order = np.argsort(rows.whole("start"), kind="stable")
    for number in integers_of(np.unique(device)):
        own = order[device[order] == number]
        total[own] = np.cumsum(change[own])
    track = to.tracks.number(Track("memory", "device memory", "Memory", "allocations", _FIRST_ORDER - 1))
    to.add_marks(
        RecordedMarks(
            time=rows.whole("start"), name=TextColumn.constant(MEMORY_NAME, rows.count),
            track=np.full(rows.count, track),
            integers={
                "Device Type": np.ones(rows.count, np.int64), "Device Id": device, "Addr": rows.whole("address", 0),
                "Bytes": change, "Total Allocated": total, "Total Reserved": np.zeros(rows.count, np.int64),
            },
        )
    )  # fmt: skip
    for number in integers_of(np.unique(device)):
        own = order[device[order] == number]
        times, values = rows.whole("start")[own], total[own].astype(np.float64)
        to.derived_counters.append(Counter(f"GPU {number} allocated", track, times, values, "bytes"))


def _metrics(file: SqliteFile, devices: list[Device], to: TraceBuilder) -> None:
    """Add samples of the hardware, such as the activity of multiprocessors."""
    rows = file.rows("GPU_METRICS", integers=("timestamp|rawTimestamp", "typeId", "metricId", "value"))
    if rows is None:
        return
    is_known = rows.has("timestamp", "metricId", "value")
    to.skip("no_time", int((~is_known).sum()))
    rows = rows.select(is_known)
    names = {
        (named_row.get("typeId"), named_row.get("metricId")): str(named_row.get("metricName", ""))
        for named_row in file.named_rows("TARGET_INFO_GPU_METRICS")
    }
    types, metrics = rows.whole("typeId", 0), rows.whole("metricId")
    for type in integers_of(np.unique(types)):
        number = devices[type & 0xFF].name if 0 <= type & 0xFF < len(devices) else f"GPU {type & 0xFF}"
        track = to.tracks.number(
            Track(number, "metrics", number, "metrics", _FIRST_ORDER + (type & 0xFF), thread_order=1 << 20)
        )  # fmt: skip
        for metric in integers_of(np.unique(metrics[types == type])):
            own = np.flatnonzero((types == type) & (metrics == metric))
            own = own[np.argsort(rows.whole("timestamp")[own], kind="stable")]
            name = names.get((type, metric)) or f"metric {metric}"
            values = rows.whole("value")[own].astype(np.float64)
            to.counters.append(Counter(name, track, rows.whole("timestamp")[own], values))


def _timed(rows: SqliteRows, to: TraceBuilder) -> SqliteRows:
    is_known = rows.has("start", "end")
    to.skip("no_time", int((~is_known).sum()))
    return rows.select(is_known)


def _runs(
    rows: SqliteRows,
    to: TraceBuilder,
    category: str,
    name: TextColumn,
    integers: Mapping[str, NDArray[np.int64]] | None = None,
    numbers: Mapping[str, NDArray[np.float64]] | None = None,
    texts: Mapping[str, TextColumn] | None = None,
    suffix: str = "",
) -> RecordedRuns:
    device, stream = rows.whole("deviceId", 0), rows.whole("streamId", 0)
    process = process_of(rows.whole("globalPid", 0))
    runs = RecordedRuns(
        category=category,
        start=rows.whole("start"),
        duration=rows.whole("end") - rows.whole("start"),
        name=name,
        track=_stream_tracks(device, stream, process, suffix, to),
        integers={
            "device": device, "stream": stream, "correlation": correlation_of(process, rows.whole("correlationId", 0)),
            **(integers or {}),
        },
        numbers=numbers or {},
        texts=texts or {},
    )  # fmt: skip
    return ROW_TABLES.located(runs, rows)


def _stream_tracks(
    device: NDArray[np.int64], stream: NDArray[np.int64], process: NDArray[np.int64], suffix: str, to: TraceBuilder
) -> NDArray[np.int64]:
    """Return a track for each stream of each process; streams of processes may have equal numbers."""
    keys, codes = distinct_rows(device, stream, process)
    numbers = [
        to.tracks.number(
            Track(
                f"GPU {gpu}", f"stream {own} {pid}{suffix}", f"GPU {gpu}", f"stream {own}{suffix}",
                _FIRST_ORDER + min(abs(gpu), 1 << 20), min(abs(own), 1 << 20),
            )
        )
        for gpu, own, pid in keys
    ]  # fmt: skip
    return np.array(numbers, np.int64)[codes]


def _triples(rows: SqliteRows, names: tuple[str, str, str]) -> TextColumn:
    """Return three sizes as text, such as ``[4,1,1]``."""
    keys, codes = distinct_rows(*(rows.whole(name, 1) for name in names))
    return TextColumn(codes.astype(np.uint32), [f"[{x},{y},{z}]" for x, y, z in keys])


def _occupancy(
    device: NDArray[np.int64],
    blocks: NDArray[np.float64],
    threads: NDArray[np.float64],
    registers: NDArray[np.int64],
    shared: NDArray[np.int64],
    devices: list[Device],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return blocks for each multiprocessor, and TensorBoard's estimate of the achieved occupancy in percent.

    It is NaN if unknown.

    The blocks that are resident are at most those that threads, registers and shared memory of a multiprocessor allow.
    """
    per_sm, occupancy = np.full(len(device), np.nan), np.full(len(device), np.nan)
    for each in devices:
        own = device == int(each.name.rpartition(" ")[2])
        limits = {name: each.properties.get(name) for name in ("smCount", "maxWarpsPerSm", "maxBlocksPerSm")}
        sms, warps, most = (value if isinstance(value, int) and value > 0 else 0 for value in limits.values())
        if not sms or not own.any():
            continue
        per_sm[own] = blocks[own] / sms
        if not warps:
            continue
        needed = np.maximum(np.ceil(threads[own] / 32), 1)
        resident = np.minimum(np.floor(warps / needed), most or np.inf)
        for limit, used in (
            (_whole(each.properties, "maxRegistersPerSm"), registers[own] * threads[own]),
            (_whole(each.properties, "maxShmemPerSm", "maxSharedMemoryPerSm"), shared[own].astype(np.float64)),
        ):
            if limit:
                resident = np.minimum(resident, np.floor(limit / np.maximum(used, 1)))
        active = np.minimum(np.maximum(resident, 1), per_sm[own]) * threads[own]
        occupancy[own] = np.minimum(active / (32 * warps), 1) * 100
    return per_sm, occupancy


def _whole(properties: Mapping[str, Any], *names: str) -> int:
    return next((value for name in names if isinstance(value := properties.get(name), int) and value > 0), 0)


def _capability(properties: Mapping[str, Any]) -> dict[str, int]:
    """Compute capability under the names that PyTorch gives it."""
    names = {"computeMajor": "smMajor", "computeMinor": "smMinor"}
    return {name: value for name, other in names.items() if (value := _whole(properties, name, other))}
