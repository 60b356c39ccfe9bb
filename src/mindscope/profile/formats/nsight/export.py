# SPDX-License-Identifier: Apache-2.0
"""SQLite files of Nsight Systems: ``nsys export --type sqlite report.nsys-rep``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.errors import FormatError
from mindscope.profile.formats.nsight.device_tables import devices_of, read_device_tables
from mindscope.profile.formats.nsight.host_tables import read_host_tables
from mindscope.profile.formats.recording import TraceBuilder
from mindscope.profile.formats.sqlite_file import SqliteFile, open_sqlite, table_names
from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.profile_parts import profile_of
from mindscope.profile.model.profile_data import Device, ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.reasons import Reason

_SUFFIXES = (".sqlite", ".sqlite3", ".db", ".nsys-rep.sqlite")
_READ = (
    "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUPTI_ACTIVITY_KIND_MEMCPY",
    "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "NVTX_EVENTS",
    "OSRT_API", "CUBLAS_EVENTS", "CUDNN_EVENTS", "GPU_METRICS", "CUDA_GPU_MEMORY_USAGE_EVENTS",
)  # fmt: skip
_OF_NSIGHT = frozenset(("StringIds", *_READ))


def is_nsight_export(path: Path) -> bool:
    """Return whether a file is a database with tables of Nsight. Raises OSError."""
    if not path.name.endswith(_SUFFIXES):
        return False
    names = table_names(path)
    return "StringIds" in names or any(name.startswith("CUPTI_ACTIVITY_KIND_") for name in names)


def _read(path: Path, on_progress: Progress) -> Profile:
    problems = Problems()
    recording = TraceBuilder()
    with open_sqlite(path, problems) as file:
        if not _OF_NSIGHT & file.tables.keys():
            raise FormatError(
                Reason(
                    "profile_tables_missing", file=path.name, source="Nsight Systems", tables="StringIds, NVTX_EVENTS"
                )
            )
        strings = file.strings("StringIds")
        devices = devices_of(file)
        read_host_tables(file, strings, recording)
        read_device_tables(file, strings, devices, recording)
        epoch, properties = _session(file), _properties(file)
    on_progress(path.stat().st_size)
    described = [dict(device.properties) for device in devices]
    trace, arguments = recording.trace(epoch, {**properties, "deviceProperties": described, "problems": problems})
    trace = replace(trace, arguments_format=NSIGHT_EXPORT.name, arguments_path=str(path))
    facts = ProfileFacts(
        name=path.name.removesuffix(path.suffix),
        path=str(path),
        format=NSIGHT_EXPORT.name,
        framework="torch" if any(name.startswith("aten::") for name in trace.names) else "",
        devices=[Device("CPU", "cpu"), *devices],
        origin_ns=trace.origin_ns,
        properties=trace.properties,
    )
    return profile_of(facts, KinetoAnalysis(trace, arguments, "nsight"))


def _session(file: SqliteFile) -> int | None:
    """Return nanoseconds since 1970 of the time 0."""
    for row in file.named_rows("TARGET_INFO_SESSION_START_TIME"):
        epoch = row.get("utcEpochNs")
        if isinstance(epoch, int) and 0 < epoch < 1 << 62:
            return epoch
    return None


def _properties(file: SqliteFile) -> dict[str, Any]:
    """Return what the file says about itself, and the tables of it that are not read."""
    system = {
        str(row.get("name")): str(row.get("value"))
        for table in ("META_DATA_CAPTURE", "META_DATA_EXPORT", "TARGET_INFO_SYSTEM_ENV")
        for row in file.named_rows(table)
    }
    others = {
        name: count
        for name in file.tables
        if name.endswith(("_EVENTS", "_EVENT", "_API", "_CALLCHAINS", "METRICS")) or "_KIND_" in name
        if name not in _READ and not name.startswith(("TARGET_INFO", "ENUM_")) and (count := file.count(name))
    }
    return {"system": system, "unread_tables": others}


NSIGHT_EXPORT = Format("nsight_export", "Nsight Systems export", is_nsight_export, _read)
