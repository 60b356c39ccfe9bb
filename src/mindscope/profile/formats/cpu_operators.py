# SPDX-License-Identifier: Apache-2.0
"""Operators on a CPU: ``cpu_op_*`` files of MindSpore, old and new."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mindscope.artifacts.problems import Problems
from mindscope.errors import FormatError
from mindscope.profile.formats.built_trace import SliceColumns
from mindscope.profile.formats.csv_table import CsvTable, columns_missing, fixed_point, read_csv, read_lines
from mindscope.profile.formats.scope_names import mapped, module_of, phase_of
from mindscope.profile.tables.memory import MemoryCurve
from mindscope.profile.tables.operators import Operators
from mindscope.profile.trace.trace import Track
from mindscope.table.columns import TextColumn


def cpu_operators(directory: Path, rank: int, problems: Problems) -> Operators | None:
    """Return single operators, or types where only those are recorded; None without files."""
    for name, reader in (("cpu_op_detail_info", _details), ("cpu_op_type_info", _types)):
        file = directory / f"{name}_{rank}.csv"
        found = problems.read(file, lambda path, reader=reader: reader(read_csv(path))) if file.is_file() else None
        if found is not None:
            return found
    return None


def _details(table: CsvTable) -> Operators | None:
    names, types = table.texts("full_op_name", "op_full_name", "op_name"), table.texts("op_type")
    times = table.nanoseconds("op_total_time", "compute_time", unit="ms")
    if names is None or types is None or times is None:
        raise FormatError(columns_missing("names, types or times of operators", table.names))
    if not len(names):
        return None
    return Operators(
        name=names,
        type=types,
        device=TextColumn.constant("CPU", len(names)),
        module=mapped(names, module_of),
        phase=mapped(names, phase_of),
        count=_counts(table),
        host_total=times,
        host_self=times,
    )


def _types(table: CsvTable) -> Operators | None:
    types, times = table.texts("op_type"), table.nanoseconds("total_compute_time", "total_time", unit="ms")
    if types is None or times is None:
        raise FormatError(columns_missing("types or times of operators", table.names))
    if not len(types):
        return None
    return Operators(
        name=types, type=types, device=TextColumn.constant("CPU", len(types)), count=_counts(table), host_total=times,
        host_self=times,
    )  # fmt: skip


def _counts(table: CsvTable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    counts = table.counts("op_occurrences", "type_occurrences")
    return np.ones(len(table), np.int64) if counts is None else counts


def cpu_memory_curve(table: CsvTable, origin_ns: int) -> MemoryCurve | None:
    """Read ``cpu_ms_memory_record``, whose times are nanoseconds and sizes bytes; None without rows."""
    time, allocated = table.nanoseconds("Timestamp", unit="ns"), table.bytes("Total Allocated", unit="b")
    if time is None or allocated is None or not len(time):
        return None
    curve = MemoryCurve(
        time=time - origin_ns, device=TextColumn.constant("CPU", len(time)), allocated=allocated,
        reserved=table.bytes("Total Reserved", unit="b"),
    )  # fmt: skip
    return curve.select(np.argsort(curve.time, kind="stable"))


def timestamp_runs(path: Path, process: str, unit_ns: int) -> SliceColumns | None:
    """Return the runs of ``FULL_NAME;SIDE;START,DURATION[,THREAD] START,DURATION[,THREAD] ...``: starts in ns since
    1970.

    Args:
        path: the file.
        process: name of the process in the trace.
        unit_ns: nanoseconds of the unit of durations.

    Raises:
        OSError: it can't be read.
    """
    names: list[str] = []
    starts: list[int] = []
    durations: list[int] = []
    tracks: list[Track] = []
    for line in read_lines(path):
        name, _, rest = line.partition(";")
        side, _, runs = rest.partition(";")
        for run in runs.replace(";", ",").split():
            start, _, after = run.partition(",")
            duration, _, thread = after.partition(",")
            if start.isdecimal():
                names.append(name)
                starts.append(int(start))
                durations.append(fixed_point(duration, unit_ns))
                tracks.append(Track(process, f"{side} {thread}".strip(), process, f"{side} {thread}".strip()))
    if not names:
        return None
    return SliceColumns(
        np.array(starts, np.int64), np.array(durations, np.int64), TextColumn.of(names), "operator", tracks
    )
