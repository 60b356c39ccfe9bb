# SPDX-License-Identifier: Apache-2.0
"""Tasks of the device and calls of the host in a database of Ascend's profiler, as slices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.ascend.row_tables import FRAMEWORK_TABLES, NO_VALUE, ROW_TABLES
from mindscope.profile.formats.recorded_runs import (
    ANNOTATION,
    COPY,
    FRAME,
    KERNEL,
    LAUNCH,
    OPERATOR,
    RecordedRuns,
    step_runs,
)
from mindscope.profile.formats.recording import TraceBuilder
from mindscope.profile.formats.row_columns import rows_by_id
from mindscope.profile.formats.scope_names import mapped
from mindscope.profile.formats.sqlite_file import SqliteFile, SqliteRows, named
from mindscope.profile.kineto.categories import STEP_CATEGORY, STEP_NAME
from mindscope.profile.trace.argument_columns import NO_INTEGER
from mindscope.profile.trace.trace import Counter, Track
from mindscope.table.columns import TextColumn
from mindscope.table.grouping import distinct_rows

TYPE, CORE, SHAPES = "type", "core", "shapes"
"""Arguments of kernels beside those of Kineto."""
_OPERATOR_TYPE, _QUEUE_TYPE, _FRAME_TYPE = 50001, 50002, 50003
_DEVICE_ORDER = 1000
_READ = (*ROW_TABLES.tables, "AICORE_FREQ")


class DatabaseTrace:
    """Reads one database into a recording."""

    def __init__(self, file: SqliteFile, to: TraceBuilder) -> None:
        self._file, self._to = file, to
        self._strings = file.strings("STRING_IDS")

    def read(self) -> None:
        """Adds all tables that have times."""
        operators = self._framework()
        self._host("MSTX_EVENTS", ANNOTATION, "message")
        self._host("GC_RECORD", "python_gc", "")
        self._calls_of_cann(operators)
        self._tasks(operators)
        self._communication(operators)
        self._steps()
        self._frequency()

    def _framework(self) -> dict[int, int]:
        """Adds operators and frames; returns connection of a task -> id of the operator that asked for it."""
        table = next((name for name in FRAMEWORK_TABLES if name in self._file.tables), "")
        rows = self._timed(
            table, "startNs", "endNs", "globalTid", "connectionId", "name", "sequenceNumber", "fwdThreadId",
            "inputShapes", "type",
        )  # fmt: skip
        if rows is None:
            return {}
        kind, name = rows.whole("type", _OPERATOR_TYPE), named(rows.whole("name"), self._strings)
        category = {_OPERATOR_TYPE: OPERATOR, _QUEUE_TYPE: "task_queue", _FRAME_TYPE: FRAME}
        is_step = name.is_any_of(lambda text: STEP_NAME.fullmatch(text) is not None)
        shapes = mapped(named(rows.whole("inputShapes"), self._strings), lambda text: text.replace(";", "; "))
        whole = self._runs(rows, "", name, self._threads(rows)).with_arguments(
            {
                "External id": np.arange(1, rows.count + 1),
                "Sequence number": rows.whole("sequenceNumber", NO_INTEGER),
                "Fwd thread id": rows.whole("fwdThreadId", NO_INTEGER),
            },
            {"Input Dims": shapes},
        )
        for number in np.unique(kind).tolist():
            own = (kind == number) & ~is_step
            self._to.add(whole.of_category(category.get(number, ANNOTATION)).select(own))
        marks = STEP_CATEGORY if "STEP_TIME" not in self._file.tables else "step_range"
        self._to.add(whole.of_category(marks).select(is_step))
        return self._connections(rows, (kind == _OPERATOR_TYPE) & ~is_step)

    def _connections(self, rows: SqliteRows, is_operator: NDArray[np.bool_]) -> dict[int, int]:
        """A list of connections has a number of its own; the operator that begins last is the innermost."""
        lists = self._file.rows("CONNECTION_IDS", integers=("id", "connectionId"))
        by_list: dict[int, list[int]] = {}
        if lists is not None:
            pairs = zip(lists.whole("id").tolist(), lists.whole("connectionId").tolist(), strict=True)
            for number, connection in pairs:
                by_list.setdefault(number, []).append(connection)
        found: dict[int, int] = {}
        own = np.flatnonzero(is_operator & rows.has("connectionId"))
        own = own[np.argsort(rows.whole("startNs")[own], kind="stable")]
        for row, number in zip(own.tolist(), rows.whole("connectionId")[own].tolist(), strict=True):
            for connection in by_list.get(number, ()):
                found[connection] = row + 1
        return found

    def _host(self, table: str, category: str, column: str) -> None:
        rows = self._timed(table, "startNs", "endNs", "globalTid", *([column] if column else []))
        if rows is not None:
            name = named(rows.whole(column), self._strings) if column else TextColumn.constant("Python GC", rows.count)
            self._to.add(self._runs(rows, category, name, self._threads(rows)))

    def _calls_of_cann(self, operators: dict[int, int]) -> None:
        """Let the call of a connection that begins last launch; calls of one connection contain each other."""
        rows = self._timed("CANN_API", "startNs", "endNs", "globalTid", "connectionId", "name")
        if rows is None:
            return
        connection = _connection(rows)
        order = np.lexsort((rows.whole("startNs"), connection))
        is_last = np.ones(rows.count, np.bool_)
        is_last[order[:-1]] = connection[order[:-1]] != connection[order[1:]]
        ids = np.where(is_last, connection, 0)
        name = named(rows.whole("name"), self._strings)
        whole = self._runs(rows, LAUNCH, name, self._threads(rows))
        self._to.add(whole.with_arguments({"correlation": ids, "External id": _owners(ids, operators)}, {}))

    def _tasks(self, operators: dict[int, int]) -> None:
        rows = self._timed(
            "TASK", "startNs", "endNs", "deviceId", "connectionId", "globalTaskId", "taskType", "streamId"
        )  # fmt: skip
        if rows is None:
            return
        facts = self._file.rows(
            "COMPUTE_TASK_INFO",
            integers=("globalTaskId", "name", "opType", "taskType", "inputShapes"),
        )
        fact_row = np.full(rows.count, -1, np.int64)
        if facts is not None:
            fact_row = rows_by_id(facts.whole("globalTaskId"), rows.whole("globalTaskId"))
        is_compute, kind = fact_row >= 0, named(rows.whole("taskType"), self._strings)
        is_copy = ~is_compute & kind.is_any_of(lambda text: "MEMCPY" in text.upper() or "SDMA" in text.upper())
        whole = self._runs(rows, KERNEL, kind, self._streams(rows)).with_arguments(
            self._device_arguments(rows, operators), {CORE: kind}
        )
        self._to.add(whole.of_category(COPY).select(is_copy))
        self._to.add(whole.of_category("task").select(~is_compute & ~is_copy))
        if facts is None:
            return
        own = fact_row[is_compute]
        texts = {
            column: named(facts.whole(column)[own], self._strings)
            for column in ("name", "opType", "taskType", "inputShapes")
        }
        kernels = whole.select(is_compute).with_arguments(
            {}, {TYPE: texts["opType"], CORE: texts["taskType"], SHAPES: texts["inputShapes"]}
        )
        self._to.add(kernels.named(texts["name"]))

    def _communication(self, operators: dict[int, int]) -> None:
        rows = self._timed(
            "COMMUNICATION_OP", "startNs", "endNs", "deviceId", "connectionId", "opName", "groupName", "opType", "count"
        )
        if rows is None:
            return
        name, group, kind = (named(rows.whole(each), self._strings) for each in ("opName", "groupName", "opType"))
        arguments = self._device_arguments(rows, operators) | {"In msg nelems": rows.whole("count", -1)}
        groups = TextColumn(group.codes, [f"Group {value} Communication" for value in group.values])
        kinds = mapped(kind, lambda text: text.removeprefix("hcom_").strip("_"))
        collective = TextColumn.of(kind or "communication" for kind in kinds)
        runs = self._runs(rows, KERNEL, name, self._group_tracks(rows, groups)).with_arguments(
            {**arguments, "stream": -1 - group.codes.astype(np.int64)},
            {"Collective name": collective, "Process Group Name": group, CORE: TextColumn.constant("HCCL", rows.count)},
        )
        self._to.add(runs)

    def _steps(self) -> None:
        rows = self._timed("STEP_TIME", "startNs", "endNs", "id")
        if rows is None or not rows.count:
            return
        track = self._to.tracks.number(Track("steps", "steps", "Steps", "steps", -1))
        whole = self._runs(rows, "", TextColumn.constant("", rows.count), np.full(rows.count, track, np.int64))
        self._to.add(step_runs(rows.whole("id", 0), whole).as_read())

    def _frequency(self) -> None:
        rows = self._file.rows("AICORE_FREQ", integers=("deviceId", "timestampNs", "freq"))
        if rows is None:
            return
        is_known = rows.has("timestampNs", "freq")
        self._to.skip("no_time", int((~is_known).sum()))
        rows = rows.select(is_known)
        device = rows.whole("deviceId", 0)
        for number in np.unique(device).tolist():
            own = np.flatnonzero(device == number)
            own = own[np.argsort(rows.whole("timestampNs")[own], kind="stable")]
            track = self._to.tracks.number(
                Track(f"NPU {number}", "metrics", f"NPU {number}", "metrics", _DEVICE_ORDER, 1 << 20)
            )  # fmt: skip
            values = rows.whole("freq")[own].astype(np.float64)
            self._to.counters.append(Counter("AI Core frequency", track, rows.whole("timestampNs")[own], values))

    def _timed(self, table: str, *columns: str) -> SqliteRows | None:
        rows = self._file.rows(table, integers=columns)
        if rows is None:
            return None
        is_known = rows.has("startNs", "endNs")
        self._to.skip("no_time", int((~is_known).sum()))
        return rows.select(is_known)

    def _runs(self, rows: SqliteRows, category: str, name: TextColumn, track: NDArray[np.int64]) -> RecordedRuns:
        start = rows.whole("startNs")
        duration = rows.whole("endNs") - start
        runs = RecordedRuns(category=category, start=start, duration=duration, name=name, track=track)
        return ROW_TABLES.located(runs, rows)

    def _device_arguments(self, rows: SqliteRows, operators: dict[int, int]) -> dict[str, NDArray[np.int64]]:
        connection = _connection(rows)
        return {
            "device": rows.whole("deviceId", 0), "stream": rows.whole("streamId", 0), "correlation": connection,
            "External id": _owners(connection, operators),
        }  # fmt: skip

    def _streams(self, rows: SqliteRows) -> NDArray[np.int64]:
        keys, codes = distinct_rows(rows.whole("deviceId", 0), rows.whole("streamId", 0))
        numbers = [
            self._to.tracks.number(
                Track(
                    f"NPU {npu}", f"stream {own}", f"NPU {npu}", f"stream {own}", _DEVICE_ORDER, min(abs(own), 1 << 20)
                )
            )
            for npu, own in keys
        ]
        return np.array(numbers, np.int64)[codes]

    def _group_tracks(self, rows: SqliteRows, groups: TextColumn) -> NDArray[np.int64]:
        keys, codes = distinct_rows(rows.whole("deviceId", 0), groups.codes.astype(np.int64))
        numbers = [
            self._to.tracks.number(
                Track(f"NPU {npu}", groups.values[own], f"NPU {npu}", groups.values[own], _DEVICE_ORDER, 1 << 19)
            )
            for npu, own in keys
        ]
        return np.array(numbers, np.int64)[codes]

    def _threads(self, rows: SqliteRows) -> NDArray[np.int64]:
        """Return a track for each thread: the high half of its number is the process."""
        ids, codes = distinct_rows(rows.whole("globalTid", 0))
        numbers = [
            self._to.tracks.number(
                Track(str(id >> 32), str(id & NO_VALUE), f"process {id >> 32}", f"thread {id & NO_VALUE}")
            )
            for (id,) in ids
        ]
        return np.array(numbers, np.int64)[codes]


def unread_tables(file: SqliteFile) -> dict[str, int]:
    """Return the tables of events that are not read, with their rows."""
    others = (name for name, columns in file.tables.items() if {"startNs", "timestampNs"} & set(columns))
    return {name: count for name in others if name not in _READ and (count := file.count(name))}


def _owners(connection: NDArray[np.int64], operators: dict[int, int]) -> NDArray[np.int64]:
    """Return the id of the operator of each connection; 0 for none."""
    unique, codes = np.unique(connection, return_inverse=True)
    owners = np.array([operators.get(each, 0) for each in unique.tolist()], np.int64)
    return owners[codes.reshape(-1)] if len(owners) else connection


def _connection(rows: SqliteRows) -> NDArray[np.int64]:
    """Return the connection; 0 for none."""
    found = rows.whole("connectionId", 0)
    return np.where((found == NO_VALUE) | (found < 0), 0, found)
