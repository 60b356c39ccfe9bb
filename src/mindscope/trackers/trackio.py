# SPDX-License-Identifier: Apache-2.0
"""Reads the databases of Trackio: ``PROJECT.db``, with ``media`` beside it. Those before 0.24 have no ids of runs.

A row holds the values of one step as JSON; NaN and infinities are texts in it.
"""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from typing import Any, NamedTuple, cast

from mindscope.errors import FormatError
from mindscope.reasons import Reason
from mindscope.trackers import values
from mindscope.trackers.database import ROWS, columns_of, is_copied, read_database, state_of
from mindscope.trackers.database_runs import DatabaseRuns, RunList, digest
from mindscope.trackers.log import FoundLog, Json, LogPath, LogReplacedError, LogState, NewRows, Tracker
from mindscope.trackers.rows import RowCollector
from mindscope.trackers.trackio_rows import (
    ALERTS,
    CONFIGS,
    METRICS,
    add_rows,
    add_system_row,
    parsed,
    seconds,
    shown_value,
)
from mindscope.types import Damage, DamageKind, DialectName, Kind

_START = "_hparams_/session_start_info"
_COLUMNS = frozenset({"id", "timestamp", "run_name", "step", "metrics"})
_SYSTEM = "system_metrics"
_NEWEST = {METRICS: "last", _SYSTEM: "last_system", ALERTS: "last_alert"}
"""The newest row of a run by table."""
_BATCH = 8192
_MANY_RUNS = 4


class _Run(NamedTuple):
    name: str
    last: int
    """The newest row of its metrics, 0 without one."""
    last_system: int
    last_alert: int
    config: int
    """A number that differs with the configuration, 0 without one."""
    key: str
    """The column that names the run."""
    is_one_of_many: bool


def _look(path: str, connection: sqlite3.Connection, before: RunList[_Run] | None) -> RunList[_Run] | None:
    columns = columns_of(connection, "metrics")
    if not columns >= _COLUMNS:
        return None
    key = "run_id" if "run_id" in columns else "run_name"
    earlier = before.runs if before else dict[str, _Run]()
    names = dict[str, str]()
    last = dict[str, dict[str, int]]()
    for table, column in _NEWEST.items():
        last[table] = {}
        if columns_of(connection, table) >= {key, "id", "run_name"}:
            newest = {id: (run.name, int(getattr(run, column))) for id, run in earlier.items() if getattr(run, column)}
            for id, (name, row) in _last_rows(connection, table, key, newest).items():
                names[id], last[table][id] = name, row
    configs = dict[str, int]()
    if columns_of(connection, CONFIGS) >= {key, "config", "run_name"}:
        for id, name, config in connection.execute(f"SELECT {key}, run_name, config FROM {CONFIGS}"):
            configs[str(id)] = digest(config)
            names.setdefault(str(id), str(name))
    is_many = len(names) > _MANY_RUNS
    runs = dict[str, _Run]()
    for id, name in names.items():
        newest = {column: last[table].get(id, 0) for table, column in _NEWEST.items()}
        runs[id] = _Run(name=name, **newest, config=configs.get(id, 0), key=key, is_one_of_many=is_many)
    return RunList(runs, tuple(_log(path, id, key) for id in runs))


def _last_rows(
    connection: sqlite3.Connection, table: str, key: str, earlier: dict[str, tuple[str, int]]
) -> dict[str, tuple[str, int]]:
    """Return the name and the newest row of each run; looks at new rows only, if the ``earlier`` ones are the same."""
    kept = _named_rows(connection, table, key, [row for _, row in earlier.values()])
    is_same = kept == earlier
    since = max((row for _, row in earlier.values()), default=0) if is_same else 0
    query = f"SELECT max(id) FROM {table} WHERE id > ? GROUP BY {key}"
    newest = [int(row) for (row,) in connection.execute(query, (since,))]
    return {**(earlier if is_same else {}), **_named_rows(connection, table, key, newest)}


def _named_rows(connection: sqlite3.Connection, table: str, key: str, rows: list[int]) -> dict[str, tuple[str, int]]:
    listed = ",".join(map(str, rows))
    query = f"SELECT {key}, run_name, id FROM {table} WHERE id IN ({listed})"
    return {str(id): (str(name), int(row)) for id, name, row in connection.execute(query)}


def _log(path: str, id: str, key: str) -> FoundLog:
    parts = [part for part in id.split("/") if part not in ("", ".", "..")]
    run = f"{path}/{'/'.join(parts) or 'run'}"
    identity = f"trackio\n{id}" if key == "run_id" else f"trackio\n{os.path.basename(path)}\n{id}"  # noqa: PTH119
    return FoundLog(DialectName.TRACKIO, LogPath(path, id), run, run, identity)


_RUNS = DatabaseRuns(_look)


def _state(log: LogPath) -> LogState:
    try:
        run = _RUNS.run(log)
    except FormatError:
        return state_of(log.path)
    return run.last, run.last_system, run.last_alert, run.config, digest(run.name)


def _read(log: LogPath, progress: Json, budget: int, before: int | None) -> NewRows:
    run, state, rows = _RUNS.run(log), cast("dict[str, Any]", dict(progress or {})), RowCollector()
    was_read = bool(state)
    _check_unchanged(log, run, state)
    left, is_end = max(budget, 1), False
    while left > 0 and not is_end:
        new = _new_rows(log, run, METRICS, "step, metrics", int(state.get("last", 0)))
        left -= add_rows(rows, state, new)
        is_end = not _note_last(state, "last", new)
    has_system = is_end
    while has_system and run.last_system > state.get("last_system", 0):
        new = _new_rows(log, run, _SYSTEM, "metrics", int(state.get("last_system", 0)))
        for id, time, encoded in new:
            add_system_row(rows, state, id, time, encoded)
        has_system = _note_last(state, "last_system", new)
    if is_end:
        _add_alerts(log, run, rows, state)
        _add_config(run, rows, state)
    return _as_new_rows(log, run, rows, state, is_end=is_end, was_read=was_read)


def _as_new_rows(
    log: LogPath, run: _Run, rows: RowCollector, state: dict[str, Any], *, is_end: bool, was_read: bool
) -> NewRows:
    scanned, written = rows.take(), state_of(log.path)
    changed = max(written[2], written[5]) / 1e9
    newest = min(max(state.get("newest", 0.0), scanned.time_range.last_wall_time or 0.0), changed)
    state["newest"] = changed if was_read and rows.records else newest
    name = os.path.basename(log.path)  # noqa: PTH119
    notes = [Reason("tracker_left_out", what=what, count=count) for what, count in state.get("left_out", {}).items()]
    if is_copied(log.path):
        notes.insert(0, Reason("tracker_database_copied", file=name))
    damaged = state.get("damaged", 0)
    reason = Reason("tracker_rows_damaged", count=damaged) if damaged else None
    size = int(state.get("bytes", 0)) + 1
    return NewRows(
        scanned, state, size if is_end else size + 1, size, state["newest"], not is_end, False, run.name, tuple(notes),
        (Damage(name, 0, DamageKind.MESSAGE, reason),) if reason else (),
    )  # fmt: skip


def _note_last(state: dict[str, Any], name: str, new: list[Any]) -> bool:
    """Note the last row that was read; returns whether there was one."""
    if new:
        state[name], state[f"{name}_at"] = int(new[-1][0]), digest(new[-1])
    return bool(new)


def _check_unchanged(log: LogPath, run: _Run, state: dict[str, Any]) -> None:
    """Raise LogReplacedError if the last row that was read is another one, or gone."""
    last = int(state.get("last", 0))
    if not last:
        return
    query = f"SELECT id, timestamp, step, metrics FROM {METRICS} WHERE id = ? AND {run.key} = ?"
    row = read_database(log.path, lambda connection: connection.execute(query, (last, log.part)).fetchone())
    if row is None or digest(row) != state["last_at"]:
        raise LogReplacedError("file_exchanged")


def _new_rows(log: LogPath, run: _Run, table: str, columns: str, last: int) -> list[Any]:
    return read_database(log.path, partial(_rows_after, log.part, run, table, columns, last))


def _rows_after(part: str, run: _Run, table: str, columns: str, last: int, connection: sqlite3.Connection) -> list[Any]:
    """Return the next rows of a run, in short transactions."""
    rows = list[Any]()
    if run.is_one_of_many:  # the rows of the others lie between its own
        query = f"SELECT id FROM {table} WHERE {run.key} = ? AND +id > ?"
        ids = sorted(int(id) for (id,) in connection.execute(query, (part, last)))[:_BATCH]
        for first in range(0, len(ids), ROWS // 4):
            listed = ",".join(map(str, ids[first : first + ROWS // 4]))
            query = f"SELECT id, timestamp, {columns} FROM {table} WHERE id IN ({listed}) ORDER BY id"
            rows += connection.execute(query).fetchall()
        return rows
    condition = f"{run.key} = ? AND id > ? ORDER BY id LIMIT {ROWS}"
    query = f"SELECT id, timestamp, {columns} FROM {table} NOT INDEXED WHERE {condition}"
    while len(rows) < _BATCH:
        new = connection.execute(query, (part, rows[-1][0] if rows else last)).fetchall()
        rows += new
        if len(new) < ROWS:
            break
    return rows


def _add_alerts(log: LogPath, run: _Run, rows: RowCollector, state: dict[str, Any]) -> None:
    if run.last_alert <= state.get("last_alert", 0):
        return
    for id, time, step in _new_rows(log, run, ALERTS, "step", int(state.get("last_alert", 0))):
        number = step if isinstance(step, int) else 0
        rows.add_reference(Kind.TEXT, ALERTS, number, seconds(time, state), int(id), len(ALERTS))
        state["last_alert"] = int(id)


def _add_config(run: _Run, rows: RowCollector, state: dict[str, Any]) -> None:
    version = digest(run.config, run.name)
    if state.get("config") != version:
        state["config"], count = version, state.get("configs", 0)
        state["configs"] = count + 1
        rows.add_reference(Kind.HPARAMS, _START, 0, state.get("first_time") or 0.0, count, len(CONFIGS))


def _value(log: LogPath, kind: Kind, tag: str, offset: int, length: int) -> bytes:
    run = _RUNS.run(log)
    if tag == _START:
        return _facts(log, run)
    if kind is Kind.TEXT and tag == ALERTS and length == len(ALERTS):
        title, text, level = _row(log, ALERTS, "title, text, level", offset, run)
        return values.text(tag, f"**{str(level).upper()}: {title}**\n\n{text or ''}")
    (encoded,) = _row(log, METRICS, "metrics", offset, run)
    media = os.path.join(os.path.dirname(log.path), "media")  # noqa: PTH118, PTH120
    return shown_value(media, kind, tag, parsed(encoded))


def _row(log: LogPath, table: str, columns: str, id: int, run: _Run) -> tuple[Any, ...]:
    query = f"SELECT {columns} FROM {table} WHERE id = ? AND {run.key} = ?"
    row = read_database(log.path, lambda connection: connection.execute(query, (id, log.part)).fetchone())
    if row is None:
        raise FormatError(Reason("value_malformed", kind="record", why="it was deleted"))
    return cast("tuple[Any, ...]", row)


def _facts(log: LogPath, run: _Run) -> bytes:
    config: dict[str, Any] = {}
    if run.config:
        query = f"SELECT config FROM {CONFIGS} WHERE {run.key} = ? ORDER BY rowid DESC"
        row = read_database(log.path, lambda connection: connection.execute(query, (log.part,)).fetchone())
        config = parsed(row[0]) if row else {}
    facts = {
        "name": run.name,
        "project": os.path.basename(log.path).rpartition(".")[0],  # noqa: PTH119
        "user": config.get("_Username"),
        "id": log.part if run.key == "run_id" else None,
    }
    given = {f"env/{name}": value for name, value in facts.items() if value}
    params = {name: value for name, value in config.items() if not name.startswith("_")}
    group, created = config.get("_Group"), config.get("_Created")
    started = seconds(created, {}) if isinstance(created, str) else None
    return values.parameters(given | dict(values.flat(params, ".")), str(group) if group else None, started)


TRACKIO = Tracker(DialectName.TRACKIO, _RUNS.find, _read, _value, _state)
