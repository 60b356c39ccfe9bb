# SPDX-License-Identifier: Apache-2.0
"""Reads the logs of SwanLab 0.10: ``run-ID.swanlab`` in its directory, with files and media beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, cast

from mindscope.artifacts.yaml_text import parse_yaml
from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.json_text import parse_json
from mindscope.formats.regular_files import file_head
from mindscope.reasons import Reason
from mindscope.trackers import values
from mindscope.trackers.framed_log import FramedLog, RecordRows, found_log, read_framed
from mindscope.trackers.log import NO_LOGS, Directory, FoundLogs, Json, LogPath, NewRows, Tracker
from mindscope.trackers.record_log import HEAD, DamagedPiece, Record, records
from mindscope.trackers.swanlab_schemas import SCHEMAS
from mindscope.types import DialectName, Kind

_START, _FINISH, _COLUMN, _SCALAR, _MEDIA, _LOG, _SAVE = 10, 11, 12, 13, 14, 16, 20
_FORMAT, _VERSION = FramedLog(b":SWL", 0xE1D6), 2
_FILE = re.compile(r"run-(.+)\.swanlab", re.DOTALL)
_DIRECTORY = re.compile(r"run-(\d{8})_(\d{6})-(.+)", re.ASCII | re.DOTALL)
_START_TAG, _END_TAG, _OUTPUT_TAG = "_hparams_/session_start_info", "_hparams_/session_end_info", "output"
_MOST_BYTES_OF_LINES = 1 << 16
_SYSTEM_CLASS, _SYSTEM_PREFIX = 2, "__swanlab__."
_FAILED = frozenset((2, 3))
"""States of a run that crashed or was aborted."""
_CONFIG, _METADATA = 1, 2
"""Types of saved files with facts of the run."""
_TYPES = {
    2: (Kind.IMAGE, "image"),
    3: (Kind.AUDIO, "audio"),
    4: (Kind.TEXT, "text"),
    5: (None, "video"),
    6: (None, "echarts"),
    7: (None, "object3d"),
    8: (None, "molecule"),
    9: (Kind.HTML, "html"),
}
"""The kind and the folder of media, by the type of their column; those without a kind are not shown."""


def _find(directory: Directory) -> FoundLogs:
    file = next((file for entry in directory.names if (file := _FILE.fullmatch(entry))), None)
    if file is None or not _is_read(directory.join(file[0])):
        return NO_LOGS
    named = _DIRECTORY.fullmatch(os.path.basename(directory.path))  # noqa: PTH119 (ten thousand times)
    log = found_log(DialectName.SWANLAB, directory, file, named)
    return FoundLogs((log,), is_whole=True)


def _is_read(path: str) -> bool:
    head = file_head(path, HEAD.size)
    return _FORMAT.begins(path) and (not head or HEAD.unpack(head)[2] == _VERSION)


def _read(log: LogPath, progress: Json, budget: int, before: int | None) -> NewRows:
    return read_framed(_FORMAT, log.path, progress, budget, before, _Rows)


class _Rows(RecordRows):
    """Reads records into rows."""

    _lines: tuple[int, float, int, int] | None = None
    """Step, time, first byte and last byte of lines that the script printed, which are one text."""

    def add(self, payload: bytes, start: int, length: int) -> None:
        for number, value, first, last in wire.split(payload, 0, len(payload)):
            if value is not None:
                continue
            if number == _SCALAR:
                self._add_scalar(_decode("Scalar", payload[first:last]))
            elif number == _MEDIA:
                self._add_media(_decode("Media", payload[first:last]), start, length)
            elif number == _LOG:
                self._add_line(_decode("Log", payload[first:last]), start, length)
            elif number == _COLUMN:
                self._add_column(_decode("Column", payload[first:last]))
            elif number == _SAVE and _decode("Save", payload[first:last]).get("type", 0) in (_CONFIG, _METADATA):
                self._refer(Kind.HPARAMS, _START_TAG, None, start, length)
            elif number == _START:
                message = _decode("Start", payload[first:last])
                self.state["name"] = message.get("name", "") or message.get("id", "")
                self._refer(Kind.HPARAMS, _START_TAG, message.get("started_at"), start, length)
            elif number == _FINISH:
                self.state["ended"] = True
                finish = _decode("Finish", payload[first:last])
                self._refer(Kind.HPARAMS, _END_TAG, finish.get("finished_at"), start, length)
                if finish.get("error"):
                    self._refer(Kind.TEXT, "error", finish.get("finished_at"), start, length)

    def finish(self) -> None:
        if self._lines is not None:
            step, time, first, last = self._lines
            self.rows.add_reference(Kind.TEXT, _OUTPUT_TAG, step, time, first, last - first)
            self._lines = None

    def _add_line(self, message: dict[str, Any], start: int, length: int) -> None:
        step, stop = self.state.get("step", 0), start + length
        if self._lines is not None and (step != self._lines[0] or stop - self._lines[2] > _MOST_BYTES_OF_LINES):
            self.finish()
        time = self._time_of(message.get("timestamp"))
        self._lines = (step, time, start, stop) if self._lines is None else (*self._lines[:3], stop)

    def _time_of(self, timestamp: dict[str, Any] | None) -> float:
        if timestamp is not None:
            self.state["time"] = _seconds(timestamp)
        return self.state.get("time", 0.0)

    def _refer(self, kind: Kind, tag: str, time: dict[str, Any] | None, start: int, length: int) -> None:
        self.rows.add_reference(kind, tag, self.state.get("step", 0), self._time_of(time), start, length)

    def _step_of(self, message: dict[str, Any]) -> int:
        step = self.numbered(message.get("step", 0))
        self.state["step"] = max(step, self.state.get("step", 0))
        return step

    def _add_column(self, column: dict[str, Any]) -> None:
        if column.get("column_class") == _SYSTEM_CLASS:
            system = self.state.setdefault("system", [])
            if column.get("column_key", "") not in system:
                system.append(column.get("column_key", ""))

    def _add_scalar(self, message: dict[str, Any]) -> None:
        key, number = message.get("key", ""), message.get("value", {}).get("number", 0.0)
        time = self._time_of(message.get("timestamp"))
        if key in self.state.get("system", ()) or key.startswith(_SYSTEM_PREFIX):  # it has a count of its own
            tag = f"system/{key.removeprefix(_SYSTEM_PREFIX)}"
            self.rows.add_scalar(tag, message.get("step", 0), time, number)
        else:
            self.rows.add_scalar(key, self._step_of(message), time, number)

    def _add_media(self, message: dict[str, Any], start: int, length: int) -> None:
        items, type = message.get("value", {}).get("items", []), message.get("type", 0)
        kind, name = _TYPES.get(type, (None, f"type {type}"))
        if kind is Kind.IMAGE and any(item.get("filename", "").endswith(".gif") for item in items):
            kind = Kind.VIDEO
        if kind is None:
            self.leave_out(name)
            return
        step, time = self._step_of(message), self._time_of(message.get("timestamp"))
        self.rows.add_reference(kind, message.get("key", ""), step, time, start, length)


def _value(log: LogPath, kind: Kind, tag: str, offset: int, length: int) -> bytes:
    directory = os.path.dirname(log.path)  # noqa: PTH120
    with open(log.path, "rb") as file:  # noqa: PTH123
        file.seek(offset)
        pieces = records(file.read(length), offset, is_end=True)
    if tag == _OUTPUT_TAG and kind is Kind.TEXT:
        return values.text(tag, "\n".join(_lines(pieces)))
    for number, message in _messages(next(pieces, None)):
        if number in _READERS:
            name, read = _READERS[number]
            return read(directory, kind, tag, _decode(name, message))
    raise FormatError(Reason("value_malformed", kind=kind.value, why="its record is another one now"))


def _messages(record: Record | DamagedPiece | None) -> Iterator[tuple[int, bytes]]:
    if isinstance(record, Record):
        for number, value, first, last in wire.split(record.payload, 0, len(record.payload)):
            if value is None:
                yield number, record.payload[first:last]


def _lines(pieces: Iterator[Record | DamagedPiece]) -> Iterator[str]:
    for record in pieces:
        for number, message in _messages(record):
            if number == _LOG:
                yield _decode("Log", message).get("line", "")


def _start_value(_directory: str, _kind: Kind, _tag: str, message: dict[str, Any]) -> bytes:
    named = {
        "name": message.get("name"),
        "project": message.get("project"),
        "workspace": message.get("workspace"),
        "job_type": message.get("job_type"),
        "notes": message.get("description"),
        "tags": ", ".join(message.get("tags", [])),
        "id": message.get("id"),
    }
    started = message.get("started_at")
    return values.facts(named, message.get("group") or None, None if started is None else _seconds(started))


def _finish_value(_directory: str, kind: Kind, tag: str, message: dict[str, Any]) -> bytes:
    if kind is Kind.TEXT:
        return values.text(tag, f"```\n{message.get('error', '')}\n```")
    finished = message.get("finished_at")
    ended_at = None if finished is None else _seconds(finished)
    return values.end(has_failed=message.get("state", 0) in _FAILED, ended_at=ended_at)


def _save_value(directory: str, _kind: Kind, _tag: str, message: dict[str, Any]) -> bytes:
    """Return the configuration or the facts of the machine, which lie in files."""
    files = os.path.join(directory, "files")  # noqa: PTH118
    if message.get("type") == _METADATA:
        return values.facts(
            _metadata(_object(parse_json(str(values.media_file(files, "swanlab-metadata.json"), "utf-8", "replace"))))
        )
    config = _object(parse_yaml(str(values.media_file(files, "config.yaml"), "utf-8", "replace")))
    items = {name: _unwrapped(value) for name, value in config.items()}
    return values.parameters(dict(values.flat(items, ".")))


def _unwrapped(value: Any) -> Any:
    """Return the value of an entry of a configuration, which may have a description beside it."""
    return _object(value).get("value", value)


def _metadata(content: dict[str, Any]) -> dict[str, Any]:
    runtime, git = _object(content.get("runtime")), _object(content.get("git"))
    return {
        "host": runtime.get("hostname"),
        "os": runtime.get("os"),
        "python": runtime.get("python_version"),
        "args": runtime.get("command"),
        "git_commit": git.get("commit"),
        "git_remote": git.get("remote_url"),
    }


def _media_value(directory: str, kind: Kind, tag: str, message: dict[str, Any]) -> bytes:
    _, folder = _TYPES.get(message.get("type", 0), (None, ""))
    media = os.path.join(directory, "media", folder)  # noqa: PTH118
    names = [item.get("filename", "") for item in message.get("value", {}).get("items", [])]
    files = [values.media_file(media, name) for name in names]
    if not files:
        raise FormatError(Reason("value_malformed", kind=kind.value, why="its record names no file"))
    if kind is Kind.IMAGE:
        return values.images(tag, files, *values.picture_size(files[0]))
    if kind is Kind.VIDEO:
        return values.video(tag, files[0], *values.picture_size(files[0]))
    if kind is Kind.AUDIO:
        return values.audio(tag, files[0])
    if kind is Kind.HTML:
        return values.html(tag, str(files[0], "utf-8", "replace"))
    return values.text(tag, "\n\n".join(str(file, "utf-8", "replace") for file in files))


_READERS = {
    _START: ("Start", _start_value),
    _FINISH: ("Finish", _finish_value),
    _SAVE: ("Save", _save_value),
    _MEDIA: ("Media", _media_value),
}


def _decode(name: str, encoded: bytes) -> dict[str, Any]:
    return wire.decode(SCHEMAS[name], encoded)


def _seconds(timestamp: dict[str, Any]) -> float:
    return timestamp.get("seconds", 0) + timestamp.get("nanos", 0) / 1e9


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


SWANLAB = Tracker(DialectName.SWANLAB, _find, _read, _value)
