# SPDX-License-Identifier: Apache-2.0
"""Reads offline sessions of ClearML: a directory, or its ZIP file, with the task and its lines of events."""

from __future__ import annotations

import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, cast

from mindscope.errors import FormatError
from mindscope.formats.json_text import parse_json
from mindscope.reasons import Reason
from mindscope.trackers import values
from mindscope.trackers.log import NO_LOGS, Directory, FoundLog, FoundLogs, Json, LogPath, LogState, NewRows, Tracker
from mindscope.trackers.rows import RowCollector
from mindscope.trackers.table_state import MOST_READ, RewrittenError, damages_of, leave_out, note_wrong_line, notes_of
from mindscope.types import DialectName, Kind

_TASK, _METRICS, _OUTPUT = "task.json", "metrics.jsonl", "log.jsonl"
_ZIP = re.compile(r"(offline-[\w-]+)\.zip", re.ASCII)
_START, _OUTPUT_TAG = "_hparams_/session_start_info", "output"
_MOST_BYTES, _MOST_TASK_BYTES = 1 << 28, 1 << 24
_MOST_BYTES_OF_LINES = 1 << 16
_SINGLE_VALUE = -(1 << 31)
"""The step of a value that a task has once."""
_PLAIN_SECTIONS = ("General", "Args")


def _find(directory: Directory) -> FoundLogs:
    path, name = directory.path, os.path.basename(directory.path)  # noqa: PTH119
    names = directory.names
    if _TASK in names and (name.startswith("offline-") or (_METRICS in names and _OUTPUT in names)):
        session = FoundLog(DialectName.CLEARML, LogPath(path), path, path, f"clearml\n{name}")
        return FoundLogs((session,), is_whole=True)
    logs = list[FoundLog]()
    for entry in sorted(names):
        match, file = _ZIP.fullmatch(entry), directory.join(entry)
        if match and _is_session(file):
            logs.append(FoundLog(DialectName.CLEARML, LogPath(file), file, path, f"clearml\n{match[1]}"))
    return FoundLogs(tuple(logs)) if logs else NO_LOGS


def _is_session(path: str) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return _TASK in archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def _state(log: LogPath) -> LogState:
    stats = [os.stat(log.path)]  # noqa: PTH116
    for name in (_TASK, _METRICS, _OUTPUT):
        try:
            stats.append(os.stat(os.path.join(log.path, name)))  # noqa: PTH116, PTH118
        except (FileNotFoundError, NotADirectoryError):
            continue
    return tuple(number for stat in stats for number in (stat.st_ino, stat.st_size, stat.st_mtime_ns))


def _size(log: LogPath, name: str) -> int:
    """Return the size of a file of the session, 0 without it. Raises OSError, FormatError."""
    if not log.path.endswith(".zip"):
        path = os.path.join(log.path, name)  # noqa: PTH118
        return os.lstat(path).st_size if os.path.isfile(path) else 0  # noqa: PTH113
    with _archive(log.path) as archive:
        return archive.getinfo(name).file_size if name in archive.namelist() else 0


def _bytes(log: LogPath, name: str, offset: int, length: int) -> bytes:
    """Return bytes of a file of the session. Raises OSError, FormatError."""
    if not log.path.endswith(".zip"):
        root = os.path.realpath(log.path)
        if os.path.realpath(os.path.join(log.path, name)) != os.path.join(root, name):  # noqa: PTH118
            raise FormatError(Reason("tracker_file_missing", file=name))
        with open(os.path.join(log.path, name), "rb") as file:  # noqa: PTH118, PTH123
            file.seek(offset)
            return file.read(length)
    try:
        with _archive(log.path) as archive, archive.open(name) as file:
            if offset + length > _MOST_BYTES:
                raise FormatError(f"it has more than {_MOST_BYTES} bytes")
            file.seek(offset)
            return file.read(length)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, KeyError) as error:
        raise FormatError(f"{name}: {error}") from error


def _archive(path: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise FormatError(str(error)) from error


def _read(log: LogPath, progress: Json, budget: int, _before: int | None) -> NewRows:
    state: dict[str, Any] = dict(progress or {"last": 0, _METRICS: [0, 1, ""], _OUTPUT: [0, 1, ""]})
    stat, is_archive = os.stat(log.path), log.path.endswith(".zip")  # noqa: PTH116
    if is_archive:
        if progress and state.get("archive") != [stat.st_size, stat.st_mtime_ns]:
            raise RewrittenError("file_exchanged")
        state["archive"] = [stat.st_size, stat.st_mtime_ns]
    budget = _MOST_BYTES if is_archive else min(budget, MOST_READ)
    rows = RowCollector()
    sizes = {name: _size(log, name) for name in (_TASK, _METRICS, _OUTPUT)}
    has_more = _read_metrics(log, state, sizes[_METRICS], budget, rows)
    has_more |= _read_output(log, state, sizes[_OUTPUT], budget, rows)
    task = _task(log, sizes[_TASK])
    version = zlib.crc32(json.dumps(task).encode())
    if task and state.get("task") != version:
        state["task"] = version
        rows.add_reference(Kind.HPARAMS, _START, 0, state.get("time", stat.st_mtime), 0, sizes[_TASK])
    size = stat.st_size if is_archive else sum(sizes.values())
    read_bytes = size if is_archive else sizes[_TASK] + state[_METRICS][0] + state[_OUTPUT][0]
    is_ended = is_archive or os.path.isfile(f"{log.path}.zip")  # noqa: PTH113
    return NewRows(
        rows.take(), state, size, read_bytes, stat.st_mtime, has_more, is_ended, str(task.get("name", "")),
        notes_of(state, has_times=True), damages_of(state, _METRICS),
    )  # fmt: skip


def _new_lines(log: LogPath, state: dict[str, Any], name: str, size: int, budget: int) -> tuple[bytes, int, bool]:
    """Return the new whole lines of a file, the byte where they begin, and whether there are more."""
    position, line, tail = state[name]
    before = bytes.fromhex(tail)
    if size < position or (before and _bytes(log, name, position - len(before), len(before)) != before):
        raise RewrittenError("file_exchanged")
    while True:
        data = _bytes(log, name, position, min(budget, size - position)) if size > position else b""
        is_end = position + len(data) >= size
        stop = len(data) if is_end and log.path.endswith(".zip") else data.rfind(b"\n") + 1
        if stop or is_end:
            break
        budget *= 4
    data = data[:stop]
    state[name] = [position + stop, line + data.count(b"\n"), (before + data)[-64:].hex()]
    return data, position, not is_end


def _read_metrics(log: LogPath, state: dict[str, Any], size: int, budget: int, rows: RowCollector) -> bool:
    line = state[_METRICS][1]
    data, at, has_more = _new_lines(
        log, state, _METRICS, size, min(budget, max(MOST_READ, 0) if budget < _MOST_BYTES else budget)
    )
    for text in data.split(b"\n"):
        events = _events(text)
        if events is None:
            note_wrong_line(state, line, at, at + len(text), "it is no list of JSON")
        for event in events or ():
            _add_event(event, state, rows)
        at, line = at + len(text) + 1, line + 1
    return has_more


def _events(text: bytes) -> list[dict[str, Any]] | None:
    if not text.strip():
        return []
    try:
        events = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(events, list):
        return None
    return [cast("dict[str, Any]", event) for event in cast("list[Any]", events) if isinstance(event, dict)]


def _add_event(event: Mapping[str, Any], state: dict[str, Any], rows: RowCollector) -> None:
    type, step, value, time = (event.get(name) for name in ("type", "iter", "value", "timestamp"))
    if type != "training_stats_scalar":
        leave_out(state, str(type))
        return
    numbers = [number for number in (step, value, time) if isinstance(number, (int, float))]
    if len(numbers) < 3 or not isinstance(step, int) or abs(step) >= 1 << 62:
        leave_out(state, "scalars without a step")
        return
    state["time"] = numbers[2] / 1e3
    if step == _SINGLE_VALUE:
        step = state["last"]
    state["last"] = max(state["last"], step)
    rows.records += 1
    rows.add_scalar(f"{event.get('metric')}/{event.get('variant')}", step, state["time"], float(numbers[1]))


def _read_output(log: LogPath, state: dict[str, Any], size: int, budget: int, rows: RowCollector) -> bool:
    data, at, has_more = _new_lines(log, state, _OUTPUT, size, budget)
    start, step = at, state["last"]
    for text in data.splitlines(keepends=True):
        at += len(text)
        if at - start > _MOST_BYTES_OF_LINES:
            rows.add_reference(Kind.TEXT, _OUTPUT_TAG, step, state.get("time", 0.0), start, at - start)
            start = at
    if at > start:
        rows.add_reference(Kind.TEXT, _OUTPUT_TAG, step, state.get("time", 0.0), start, at - start)
    return has_more


def _task(log: LogPath, size: int) -> dict[str, Any]:
    """Return the description of the task, empty while it is written."""
    try:
        content = _bytes(log, _TASK, 0, min(size, _MOST_TASK_BYTES)) or b"{}"
        task: Any = parse_json(str(content, "utf-8", "replace"))
    except ValueError:
        return {}
    return cast("dict[str, Any]", task) if isinstance(task, dict) else {}


def _value(log: LogPath, kind: Kind, tag: str, offset: int, length: int) -> bytes:
    if kind is Kind.TEXT:
        return values.text(tag, "\n".join(_messages(_bytes(log, _OUTPUT, offset, length))))
    task = _task(log, _size(log, _TASK))
    given = {
        "name": task.get("name"),
        "project": task.get("project_name"),
        "notes": task.get("comment"),
        "tags": ", ".join(sorted(str(tag) for tag in task.get("tags") or ())),
        "id": task.get("id"),
        "job_type": task.get("type"),
    }
    facts = {f"env/{name}": value for name, value in given.items() if value}
    return values.parameters(facts | dict(_parameters(task.get("hyperparams"))))


def _messages(data: bytes) -> Iterator[str]:
    for text in data.split(b"\n"):
        for event in _events(text) or ():
            yield str(event.get("msg", ""))


def _parameters(sections: Any) -> Iterator[tuple[str, Any]]:
    for section, entries in _object(sections).items():
        for name, entry in _object(entries).items():
            path = name if section in _PLAIN_SECTIONS else f"{section}/{name}"
            yield path.replace("/", "."), _parameter(_object(entry))


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _parameter(entry: dict[str, Any]) -> Any:
    """Return the value of a parameter, which is a text beside its type."""
    text, type = str(entry.get("value", "")), entry.get("type")
    try:
        if type in ("int", "float"):
            return float(text) if type == "float" else int(text)
    except ValueError:
        return text
    return text == "True" if type == "bool" else text


CLEARML = Tracker(DialectName.CLEARML, _find, _read, _value, _state)
