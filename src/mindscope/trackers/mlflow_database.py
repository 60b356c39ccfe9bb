# SPDX-License-Identifier: Apache-2.0
"""Reads the databases of MLflow, such as ``mlflow.db``: each run of an experiment is one run.

The rows of a metric are read in the order of their row ids, which is the order of the calls.
"""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.reasons import Reason
from mindscope.trackers.database import ROWS, columns_of, is_busy, is_copied, read_database, state_of, transaction
from mindscope.trackers.database_runs import DatabaseRuns, RunList, digest
from mindscope.trackers.log import FoundLog, Json, LogPath, LogReplacedError, LogState, NewRows, Tracker
from mindscope.trackers.mlflow_artifacts import artifact_value, refer_to_artifacts, state_of_artifacts
from mindscope.trackers.mlflow_run import END, ENDED, START, MlflowRun, refer_to_facts, seconds
from mindscope.trackers.rows import RowCollector
from mindscope.types import Damage, DamageKind, DialectName, Kind

_ROW_BYTES = 64
"""Bytes that a row counts in the size of a run: those of the file belong to all its runs."""
_BATCH = 1 << 16
_COUNTED_ROWS = 100_000
_INFINITY = 1.7976931348623157e308
"""MLflow writes infinities as the largest number."""
_INDEX = "index_metrics_run_uuid"
_RUN_COLUMNS = frozenset({"run_uuid", "status", "start_time", "end_time", "lifecycle_stage", "experiment_id"})
_METRIC_COLUMNS = frozenset({"key", "value", "timestamp", "run_uuid", "step", "is_nan"})
_Row = tuple[int, str, int, int, float | None]


class _Run(NamedTuple):
    name: str
    experiment: str
    status: str
    started_ms: int | None
    ended_ms: int | None
    artifacts: str | None
    last: int
    """The row id of its newest number, 0 without one."""
    version: int
    """Differs after a change of parameters, tags or the state."""


def _look(path: str, connection: sqlite3.Connection, before: RunList[_Run] | None) -> RunList[_Run] | None:
    columns = columns_of(connection, "runs")
    if not (columns >= _RUN_COLUMNS and columns_of(connection, "metrics") >= _METRIC_COLUMNS):
        return None
    last, newest = _last_rows(connection, before)
    params = _texts(connection, "SELECT run_uuid, count(*) || ' ' || max(rowid) FROM params GROUP BY run_uuid")
    whole = "group_concat(key || char(0) || value, char(0))"
    tags = _texts(connection, f"SELECT run_uuid, {whole} FROM tags GROUP BY run_uuid")
    names = _texts(connection, "SELECT run_uuid, value FROM tags WHERE key = 'mlflow.runName'")
    has_workspaces = "workspace" in columns_of(connection, "experiments")
    rows = connection.execute(
        f"""
        SELECT r.run_uuid, {"r.name" if "name" in columns else "''"}, r.status, r.start_time, r.end_time,
            {"r.artifact_uri" if "artifact_uri" in columns else "''"}, r.experiment_id, e.name,
            {"e.workspace" if has_workspaces else "''"}
        FROM runs r LEFT JOIN experiments e ON e.experiment_id = r.experiment_id
        WHERE coalesce(r.lifecycle_stage, '') <> 'deleted' AND coalesce(e.lifecycle_stage, '') <> 'deleted'
        ORDER BY r.start_time, r.run_uuid
        """
    ).fetchall()
    runs = dict[str, _Run]()
    for id, name, status, started, ended, uri, number, experiment, workspace in rows:
        id = str(id)
        earlier = before.runs.get(id) if before else None
        experiment_path = _experiment_path(experiment, workspace, number)
        runs[id] = _Run(
            str(names.get(id) or name or ""), experiment_path, str(status), _time(started), _time(ended),
            (earlier.artifacts if earlier else None) or _artifacts(path, str(uri or ""), str(number), id),
            last.get(id, 0), digest(name, status, started, ended, experiment, params.get(id), tags.get(id)),
        )  # fmt: skip
    return RunList(runs, tuple(_log(path, id, run) for id, run in runs.items()), newest)


def _last_rows(connection: sqlite3.Connection, before: RunList[_Run] | None) -> tuple[dict[str, int], int]:
    newest = int(connection.execute("SELECT max(rowid) FROM metrics").fetchone()[0] or 0)
    if _has_index(connection):
        last = f"SELECT max(rowid) FROM metrics m INDEXED BY {_INDEX} WHERE m.run_uuid = r.run_uuid"
        rows = connection.execute(f"SELECT r.run_uuid, ({last}) FROM runs r").fetchall()
        return {str(id): row or 0 for id, row in rows}, newest
    is_older = before is not None and before.newest <= newest
    since = before.newest if before and is_older else 0
    earlier = {id: run.last for id, run in before.runs.items()} if before and is_older else {}
    rows = connection.execute("SELECT run_uuid, max(rowid) FROM metrics WHERE rowid > ? GROUP BY run_uuid", (since,))
    return {**earlier, **{str(id): row for id, row in rows}}, newest


def _has_index(connection: sqlite3.Connection) -> bool:
    """Return whether an index lists the rows of a run: databases of MLflow before 2.0 have none."""
    return [row[2] for row in connection.execute(f"PRAGMA index_info({_INDEX})")] == ["run_uuid"]


def _texts(connection: sqlite3.Connection, query: str) -> dict[str, str | None]:
    return {str(id): value for id, value in connection.execute(query)}


def _experiment_path(name: object, workspace: object, number: object) -> str:
    parts = [part for part in str(name or "").split("/") if part not in ("", ".", "..")]
    above = [] if workspace in (None, "", "default") else [str(workspace).replace("/", "_")]
    return "/".join([*above, *(parts or [f"experiment {number}"])])


def _artifacts(path: str, uri: str, experiment: str, run: str) -> str | None:
    """Return the directory of the artifacts: beside the database, else where they were recorded."""
    above = os.path.dirname(path)  # noqa: PTH120
    beside = [os.path.join(above, name, experiment, run, "artifacts") for name in ("mlruns", "mlartifacts", "")]  # noqa: PTH118
    recorded = uri.removeprefix("file://")
    if recorded.startswith("/") and recorded.rstrip("/").endswith(f"/{run}/artifacts"):
        beside.append(recorded.rstrip("/"))
    return next((directory for directory in beside if os.path.isdir(directory)), None)  # noqa: PTH112


def _log(path: str, id: str, run: _Run) -> FoundLog:
    virtual = f"{path}/{run.experiment}/{id.replace('/', '_')}"
    directory = os.path.dirname(run.artifacts) if run.artifacts else virtual  # noqa: PTH120
    return FoundLog(DialectName.MLFLOW, LogPath(path, id), virtual, directory, f"mlflow\n{id}")


def _time(value: object) -> int | None:
    return value if isinstance(value, int) else None


_RUNS = DatabaseRuns(_look)


def _state(log: LogPath) -> LogState:
    try:
        run = _RUNS.run(log)
    except FormatError:
        return state_of(log.path)
    return run.last, run.version, *state_of_artifacts(run.artifacts)


def _read(log: LogPath, progress: Json, budget: int, before: int | None) -> NewRows:
    run, state, rows = _RUNS.run(log), cast("dict[str, Any]", dict(progress or {})), RowCollector()
    was_read, last = bool(state), int(state.get("last", 0))
    limit, count, is_end = max(budget // _ROW_BYTES, 1), 0, False
    while count < limit and not is_end:
        most = min(_BATCH, limit - count)
        new, is_end = read_database(log.path, partial(_next_rows, run=log.part, last=last, most=most, state=state))
        count += len(new)
        state["rows"] = state.get("rows", 0) + len(new)
        if new:
            _add(rows, new, state)
            last, state["at"] = int(new[-1][0]), digest(new[-1][1:])
    rows.records, state["last"] = count, last
    if is_end:
        refer_to_facts(rows, state, run.version, run.status, run.started_ms, run.ended_ms)
        refer_to_artifacts(rows, state, run.artifacts, seconds(run.ended_ms))
    scanned, written = rows.take(), state_of(log.path)
    newest = max(state.get("newest", 0.0), scanned.time_range.last_wall_time or 0.0, seconds(run.ended_ms) or 0.0)
    changed = max(written[2], written[5]) / 1e9
    state["newest"] = changed if was_read and count else min(newest, changed)
    left = [Reason("tracker_left_out", what=what, count=number) for what, number in state.get("left_out", {}).items()]
    copied = [Reason("tracker_database_copied", file=os.path.basename(log.path))] if is_copied(log.path) else []  # noqa: PTH119
    size = (state["rows"] + 1) * _ROW_BYTES
    return NewRows(
        scanned, state, size if is_end else max(size, size + (run.last - last) * _ROW_BYTES), size, state["newest"],
        not is_end, run.status in ENDED, run.name or log.part[:8], (*copied, *left), _damages(log, state),
    )  # fmt: skip


class _Rows(NamedTuple):
    """The next rows of a run; ``is_end``: there were no others."""

    rows: list[_Row]
    is_end: bool


def _next_rows(connection: sqlite3.Connection, run: str, last: int, most: int, state: dict[str, Any]) -> _Rows:
    """Return the next rows of a run, in short transactions. Raises LogReplacedError for other rows than before."""
    condition = "run_uuid = ? AND rowid > ?"
    with transaction(connection):
        index = f"INDEXED BY {_INDEX}" if _has_index(connection) else "NOT INDEXED"
        if last:
            _check_unchanged(connection, run, last, state, index)
        rows = new = _select(connection, condition, (run, last), min(ROWS, most), index)
    while len(new) == ROWS and len(rows) < most:
        try:
            new = _select(connection, condition, (run, new[-1][0]), min(ROWS, most - len(rows)), index)
        except sqlite3.OperationalError as error:
            if is_busy(error):
                return _Rows(rows, is_end=False)
            raise
        rows += new
    return _Rows(rows, len(rows) < most)


def _check_unchanged(connection: sqlite3.Connection, run: str, last: int, state: dict[str, Any], index: str) -> None:
    """Raise LogReplacedError if rows that were read are gone, or others have their ids."""
    newest, count = _select(connection, "run_uuid = ? AND rowid = ?", (run, last), 1), state["rows"]
    if count <= _COUNTED_ROWS and _INDEX in index:
        query = f"SELECT count(*) FROM metrics {index} WHERE run_uuid = ? AND rowid <= ?"
        count = connection.execute(query, (run, last)).fetchone()[0]
    if not newest or digest(newest[0][1:]) != state["at"] or count != state["rows"]:
        raise LogReplacedError("file_exchanged")


def _select(
    connection: sqlite3.Connection, condition: str, values: tuple[object, ...], limit: int, index: str = ""
) -> list[Any]:
    columns = "rowid, key, step, timestamp, CASE is_nan WHEN 0 THEN value END"
    query = f"SELECT {columns} FROM metrics {index} WHERE {condition} ORDER BY rowid LIMIT {limit}"
    return connection.execute(query, values).fetchall()


def _add(rows: RowCollector, new: list[_Row], state: dict[str, Any]) -> None:
    """Add rows; those with other types than MLflow writes are counted."""
    _, keys, steps, times, values = zip(*new, strict=True)
    try:
        if set(map(type, keys)) != {str} or not set(map(type, steps)) | set(map(type, times)) <= {int}:
            raise TypeError
        columns = np.array(steps, np.int64), np.array(times, np.float64) / 1000, np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        whole = [row for row in new if _is_whole(row)]
        state["damaged"] = state.get("damaged", 0) + len(new) - len(whole)
        if whole:
            _add(rows, whole, state)
        return
    numbers = dict[str, int]()
    codes = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.int64, len(keys))
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(numbers) + 1))
    values = _finite(columns[2])
    for number, key in enumerate(numbers):
        which = order[starts[number] : starts[number + 1]]
        rows.add_scalars(key, columns[0][which], columns[1][which], values[which])


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    is_largest = np.abs(values) >= _INFINITY
    return np.where(is_largest, np.copysign(np.inf, values), values) if is_largest.any() else values


def _is_whole(row: _Row) -> bool:
    _, key, step, time, value = cast("tuple[Any, ...]", row)
    is_number = value is None or type(value) in (int, float)
    return type(key) is str and type(step) is int and type(time) is int and is_number


def _damages(log: LogPath, state: dict[str, Any]) -> tuple[Damage, ...]:
    count = state.get("damaged", 0)
    reason = Reason("tracker_rows_damaged", count=count) if count else None
    return (Damage(os.path.basename(log.path), 0, DamageKind.MESSAGE, reason),) if reason else ()  # noqa: PTH119


def _value(log: LogPath, kind: Kind, tag: str, offset: int, length: int) -> bytes:
    run = _RUNS.run(log)
    if kind is not Kind.HPARAMS:
        return artifact_value(run.artifacts, kind, tag, offset)
    params, tags = read_database(
        log.path, lambda connection: tuple(_of_run(connection, table, log.part) for table in ("params", "tags"))
    )
    times = run.started_ms, run.ended_ms
    whole = MlflowRun(log.part, run.name, run.experiment, run.status, *times, params, tags)
    if tag == START:
        return whole.start()
    if tag == END:
        return whole.end()
    raise FormatError(Reason("value_malformed", kind=kind.value, why=f"a run has no {tag!r}"))


def _of_run(connection: sqlite3.Connection, table: str, run: str) -> dict[str, str]:
    rows = connection.execute(f"SELECT key, value FROM {table} WHERE run_uuid = ? ORDER BY rowid", (run,))
    return {str(key): "" if value is None else str(value) for key, value in rows}


MLFLOW = Tracker(DialectName.MLFLOW, _RUNS.find, _read, _value, _state)
