# SPDX-License-Identifier: Apache-2.0
"""Reads files with an object of JSON in each line, from where the last read ended; and the history of Transformers."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, cast

import numpy as np

from mindscope.errors import FormatError
from mindscope.formats.json_text import parse_json
from mindscope.formats.regular_files import file_head
from mindscope.formats.scan import Scanned
from mindscope.reasons import Reason
from mindscope.trackers import values
from mindscope.trackers._table_cells import NUMBER, TEXT
from mindscope.trackers.log import Json, LogPath, NewRows
from mindscope.trackers.rows import RowCollector
from mindscope.trackers.table_layout import STEP_NAMES, TableLayout, is_log, layout_of, moment_of
from mindscope.trackers.table_state import (
    MOST_READ,
    RewrittenError,
    check_unchanged,
    damages_of,
    is_settled,
    leave_out,
    note_position,
    note_wrong_line,
    notes_of,
)
from mindscope.types import Kind

HISTORY = "trainer_state.json"
_CONFIG = "config"
_FACTS = {"hostname": "host", "trial_id": "id", "node_ip": "ip", "pid": "pid", "experiment_tag": "experiment_tag"}
"""Texts of each row that are facts of the run, by the name of the fact."""
_START = "_hparams_/session_start_info"
_MOST_LINE, _MOST_HISTORY = 1 << 26, 1 << 28
_SAMPLE_ROWS, _MOST_LEVELS = 200, 32


def json_layout(head: bytes, *, is_conventional: bool) -> TableLayout | None:
    """Return the layout of a log that begins with these bytes; None of other files, or without a whole line."""
    rows = list[dict[str, Any]]()
    for line in head.split(b"\n")[:_SAMPLE_ROWS]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            break  # the last line of the head is cut
        if not isinstance(value, dict):
            return None
        rows.append(_flat(cast("dict[str, Any]", value)))
    names = list(dict.fromkeys(name for row in rows for name in row if name))
    shape = len(rows), len(names)
    cells = np.array([[_kind_of(row.get(name)) for name in names] for row in rows], np.uint8).reshape(shape)
    numbers = np.array(
        [[float(row[name]) if _kind_of(row.get(name)) == NUMBER else 0.0 for name in names] for row in rows], np.float64
    ).reshape(shape)
    texts = [[value if isinstance(value := row.get(name), str) else None for name in names] for row in rows]
    layout = layout_of(names, numbers, cells, texts) if rows else None
    return layout if layout is not None and (is_conventional or is_log(layout, numbers, cells)) else None


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    plain = {name: value for name, value in row.items() if name != _CONFIG or not isinstance(value, dict)}
    return dict(values.flat(plain, "/", levels=_MOST_LEVELS))


def _kind_of(value: Any) -> int:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return NUMBER if abs(value) < 1e308 or value != value or isinstance(value, float) else 0
    return TEXT if isinstance(value, str) and not moment_of(value) else 0


def read_json_lines(log: LogPath, progress: Json, budget: int, _before: int | None) -> NewRows:
    """Read on in a file. Raises as ``Tracker.read``."""
    state: dict[str, Any] = dict(progress or {})
    with open(log.path, "rb", buffering=0) as file:  # noqa: PTH123
        stat = os.fstat(file.fileno())
        if not state and not _begin(file, state, stat):
            return NewRows(Scanned(), None, stat.st_size, 0, stat.st_mtime)
        check_unchanged(file, state, stat.st_size)
        scanned, has_more = _read_lines(file, state, min(budget, MOST_READ), stat)
    return NewRows(
        scanned, state, stat.st_size, state["position"], stat.st_mtime, has_more, bool(state.get("is_done")),
        notes=notes_of(state, has_times=bool(state["time_name"])), damages=damages_of(state, log.path),
    )  # fmt: skip


def _begin(file: BinaryIO, state: dict[str, Any], stat: os.stat_result) -> bool:
    head = file.read(1 << 16)
    while b"\n" not in head and len(head) < _MOST_LINE and (more := file.read(1 << 20)):
        head += more
    layout = json_layout(head, is_conventional=True)
    if layout is None:
        return False
    time_name = layout.names[layout.time] if layout.time >= 0 else ""
    start = min(len(head), head.find(b"\n") + 1)
    state.update(
        step_name=layout.names[layout.step], time_name=time_name, time_unit=layout.time_unit, position=0, line=1,
        start=start, head=zlib.crc32(head[:start]),
    )  # fmt: skip
    if layout.time_unit == "elapsed":
        state["began"] = stat.st_mtime - _last_elapsed(file, time_name, stat.st_size)
    return True


def _last_elapsed(file: BinaryIO, name: str, size: int) -> float:
    file.seek(max(0, size - (1 << 17)))
    for line in reversed(file.read(1 << 17).split(b"\n")):
        row = _parsed(line)
        if isinstance(row, dict) and _kind_of(value := _flat(cast("dict[str, Any]", row)).get(name)) == NUMBER:
            return float(cast(float, value))
    return 0.0


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _read_lines(file: BinaryIO, state: dict[str, Any], budget: int, stat: os.stat_result) -> tuple[Scanned, bool]:
    position, size = int(state["position"]), stat.st_size
    while True:
        file.seek(position)
        data = file.read(min(budget, max(size - position, 0)))
        is_end = position + len(data) >= size
        stop = len(data) if is_end and is_settled(stat.st_mtime) else data.rfind(b"\n") + 1
        if stop or is_end:
            break
        if budget > _MOST_HISTORY:
            raise FormatError("a line is longer than 256 MiB")
        budget *= 4
    reader, at = _Rows(state, stat.st_mtime), position
    for line in data[:stop].split(b"\n"):
        if line.strip(b"\r \t\x00"):
            reader.add_line(line, at)
        at += len(line) + 1
        state["line"] += 1
    state["line"] -= 1
    note_position(file, state, position + stop, is_open=stop > 0 and not data[:stop].endswith(b"\n"))
    return reader.rows.take(), not is_end


class _Rows:
    """Makes rows of objects."""

    def __init__(self, state: dict[str, Any], modified_at: float) -> None:
        self.rows = RowCollector()
        self._state, self._modified_at = state, modified_at
        self._step, self._time = state["step_name"], state["time_name"]

    def add_line(self, line: bytes, start: int) -> None:
        """Add the object in a line that begins at byte ``start``."""
        stop = start + len(line)
        row = _parsed(line)
        if not isinstance(row, dict):
            note_wrong_line(self._state, self._state["line"], start, stop, "it is no object of JSON")
            return
        if not self.add(cast("dict[str, Any]", row), start, len(line)):
            note_wrong_line(self._state, self._state["line"], start, stop, "its step is no whole number")

    def add(self, row: dict[str, Any], start: int, length: int) -> bool:
        """Add an object; returns whether it has a step."""
        flat = _flat(row)
        step = flat.pop(self._step, None)
        if _kind_of(step) != NUMBER or step != step or abs(step) >= 1 << 62 or int(step) != step:
            return False
        self.rows.records += 1
        time = self._time_of(flat)
        if isinstance(row.get(_CONFIG), dict) and not self._state.get("has_config"):
            self._state["has_config"] = True
            self.rows.add_reference(Kind.HPARAMS, _START, int(step), time, start, length)
        for name, value in flat.items():
            if _kind_of(value) == NUMBER:
                self.rows.add_scalar(name, int(step), time, float(value))
            elif (isinstance(value, str) and name not in _FACTS) or isinstance(value, list):
                leave_out(self._state, name)
        self._state["is_done"] = row.get("done") is True
        return True

    def _time_of(self, flat: dict[str, Any]) -> float:
        value, unit = flat.get(self._time), self._state["time_unit"]
        if unit == "text":
            flat.pop(self._time, None)
            time = moment_of(value) if isinstance(value, str) else None
        elif _kind_of(value) == NUMBER and value == value:
            time = float(cast(float, value)) * (1e-3 if unit == "milliseconds" else 1.0) + self._state.get("began", 0.0)
            if unit != "elapsed":
                flat.pop(self._time)
        else:
            time = None
        self._state["time"] = time if time is not None else self._state.get("time", self._modified_at)
        return self._state["time"]


def json_value(log: LogPath, kind: Kind, _tag: str, offset: int, length: int) -> bytes:
    """Return the hyperparameters in a line. Raises as ``Tracker.value``."""
    with open(log.path, "rb") as file:  # noqa: PTH123
        file.seek(offset)
        line = file.read(length)
    row = parse_json(str(line, "utf-8", "replace"))
    if kind is not Kind.HPARAMS or not isinstance(row, dict):
        raise FormatError(Reason("value_malformed", kind=kind.value, why="its line is another one now"))
    row = cast("dict[str, Any]", row)
    if "log_history" in row:
        return values.parameters({name: value for name, value in row.items() if _is_plain(value)})
    facts = {f"env/{fact}": row[name] for name, fact in _FACTS.items() if row.get(name)}
    return values.parameters(facts | dict(values.flat(row.get(_CONFIG, {}), ".")))


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, float))


def has_history(path: str) -> bool:
    """Return whether a file is a state of Transformers' trainer. Raises OSError."""
    head = file_head(path, 1 << 12).lstrip()
    return head.startswith(b"{") and any(name in head for name in (b'"best_metric"', b'"epoch"', b'"log_history"'))


def read_history(log: LogPath, progress: Json, _budget: int, _before: int | None) -> NewRows:
    """Read the new entries of the history of Transformers' trainer, which is written as a whole."""
    state: dict[str, Any] = dict(progress or {})
    with open(log.path, "rb") as file:  # noqa: PTH123
        stat = os.fstat(file.fileno())
        if stat.st_size > _MOST_HISTORY:
            raise FormatError(f"it has {stat.st_size} bytes")
        data = file.read()
    history = _history(data)
    if history is None:  # it is being written
        return NewRows(Scanned(), progress, stat.st_size, 0, stat.st_mtime, damages=_unread(log, data, stat))
    count = int(state.get("count", 0))
    if count > len(history) or (state and zlib.crc32(json.dumps(history[:count]).encode()) != state["head"]):
        raise RewrittenError("file_exchanged")
    state.setdefault("line", 1)
    state.update(step_name="step", time_name="", time_unit="")
    reader = _Rows(state, stat.st_mtime)
    for entry in history[count:]:
        if not isinstance(entry, dict) or not reader.add(cast("dict[str, Any]", entry), 0, len(data)):
            leave_out(state, "entries without a step")
    reader.rows.add_reference(Kind.HPARAMS, _START, 0, stat.st_mtime, 0, len(data))
    state.update(count=len(history), head=zlib.crc32(json.dumps(history).encode()))
    return NewRows(
        reader.rows.take(), state, stat.st_size, stat.st_size, stat.st_mtime, notes=notes_of(state, has_times=False)
    )


def _history(data: bytes) -> Sequence[Any] | None:
    content = _parsed(data)
    history = cast("dict[str, Any]", content).get("log_history") if isinstance(content, dict) else None
    return cast("list[Any]", history) if isinstance(history, list) else None


def _unread(log: LogPath, data: bytes, stat: os.stat_result) -> Any:
    if not is_settled(stat.st_mtime):
        return ()
    state: dict[str, Any] = {}
    note_wrong_line(state, 1, 0, len(data), "it is no JSON with a list log_history")
    return damages_of(state, log.path)


def names_steps(head: bytes) -> bool:
    """Return whether the beginning of a file names a column of steps."""
    words = head.lower()
    return any(name.encode() in words for name in STEP_NAMES)
