# SPDX-License-Identifier: Apache-2.0
"""Reads the logs of Weights & Biases, of runs that were offline and of others: ``run-ID.wandb`` in its directory.

Older files have ``key`` where newer ones have ``nested_key``.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, cast

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.kinds.tensorboard_plugins import END_TAG, START_TAG
from mindscope.reasons import Reason
from mindscope.trackers import values
from mindscope.trackers.framed_log import FramedLog, RecordRows, found_log, read_framed
from mindscope.trackers.log import NO_LOGS, Directory, FoundLogs, Json, LogPath, NewRows, Tracker
from mindscope.trackers.record_log import payload_of
from mindscope.trackers.wandb_schemas import SCHEMAS
from mindscope.types import DialectName, Kind

_HISTORY, _SUMMARY, _CONFIG, _STATS, _ARTIFACT, _TENSORBOARD, _ALERT = 2, 3, 5, 7, 8, 9, 10
_RUN, _EXIT, _USED_ARTIFACT, _ENVIRONMENT = 17, 18, 25, 26
_ITEM, _KEY, _NESTED_KEY, _VALUE_JSON = 1, 1, 2, 16
_TYPED = frozenset((4, 5, 6, 7, 8))
"""Fields of values that are not JSON."""
_FORMAT = FramedLog(b":W&B", 0xBEE1)
_FILE = re.compile(r"run-(.+)\.wandb", re.DOTALL)
_DIRECTORY = re.compile(r"(?:offline-)?run-(\d{8})_(\d{6})-(.+)", re.ASCII | re.DOTALL)
_KINDS = {
    "image-file": Kind.IMAGE,
    "images/separated": Kind.IMAGE,
    "histogram": Kind.HISTOGRAM,
    "table-file": Kind.TABLE,
    "html-file": Kind.HTML,
    "audio-file": Kind.AUDIO,
}


def _find(directory: Directory) -> FoundLogs:
    name = os.path.basename(directory.path)  # noqa: PTH119 (ten thousand times)
    file = next((file for entry in directory.names if (file := _FILE.fullmatch(entry))), None)
    if file is None or not _FORMAT.begins(directory.join(file[0])):
        return NO_LOGS
    named = _DIRECTORY.fullmatch(name)
    log = found_log(DialectName.WANDB, directory, file, named)
    return FoundLogs((log,), is_whole=True)


def _read(log: LogPath, progress: Json, budget: int, before: int | None) -> NewRows:
    return read_framed(_FORMAT, log.path, progress, budget, before, _Rows)


class _Rows(RecordRows):
    """Reads records into rows. ``state`` is kept between calls."""

    def add(self, payload: bytes, start: int, length: int) -> None:
        for number, value, first, last in wire.split(payload, 0, len(payload)):
            if value is not None:
                continue
            if number == _HISTORY:
                self._add_history(payload, first, last, start, length)
            elif number == _SUMMARY:
                self._add_summary(payload, first, last)
            elif number == _STATS:
                self._add_stats(payload[first:last])
            elif number == _RUN:
                run = _decode("Run", payload[first:last])
                self.state["name"] = run.get("display_name", "") or run.get("run_id", "")
                self.state["started"] = _seconds(run.get("start_time")) or self.state.get("started")
                self._refer(Kind.HPARAMS, START_TAG, start, length)
            elif number in (_CONFIG, _ENVIRONMENT):
                self._refer(Kind.HPARAMS, START_TAG, start, length)
            elif number == _EXIT:
                self.state["ended"] = True
                self._refer(Kind.HPARAMS, END_TAG, start, length)
            elif number == _ALERT:
                self._refer(Kind.TEXT, "alerts", start, length)
            elif number == _USED_ARTIFACT or (number == _ARTIFACT and not _is_of_table(payload[first:last])):
                self.leave_out("artifacts")
            elif number == _TENSORBOARD:
                self.leave_out("synchronized TensorBoard logs")

    def _refer(self, kind: Kind, tag: str, start: int, length: int) -> None:
        self.rows.add_reference(kind, tag, self.state["step"], self._time, start, length)

    @property
    def _time(self) -> float:
        return self.state.get("time") or self.state.get("started") or 0.0

    def _add_history(self, payload: bytes, first: int, last: int, start: int, length: int) -> None:
        if "offset" in self.state:
            added = self.rows.numbers.add_history(payload, first, last, self.state["offset"])
            if added is not None:
                self.state["step"], self.state["time"] = max(added[0], self.state["step"]), added[1]
                return
        row = _row(payload, first, last)
        written = row.get("_step")
        step = self.numbered(written if isinstance(written, int) else self._step_of(payload, first, last))
        time = row.get("_timestamp")
        time = float(time) if isinstance(time, (int, float)) else self.state.get("time") or 0.0
        self.state["step"], self.state["time"] = max(step, self.state["step"]), time
        for name, value in row.items():
            if not name.startswith("_"):
                self._add_value(name, value, step, time, start, length)

    def _step_of(self, payload: bytes, first: int, last: int) -> int:
        for number, value, start, stop in wire.split(payload, first, last):
            if number == _NESTED_KEY and value is None:
                for inner, step, _, _ in wire.split(payload, start, stop):
                    if inner == 1 and step is not None:
                        return int(step)
        return self.state.get("row", -1) + 1

    def _add_value(self, name: str, value: Any, step: int, time: float, start: int, length: int) -> None:
        if isinstance(value, (int, float)):
            self.rows.add_scalar(name, step, time, float(value))
        elif isinstance(value, str):
            self.rows.add_reference(Kind.TEXT, name, step, time, start, length)
        elif isinstance(value, dict):
            media = cast("dict[str, Any]", value)
            kind = _kind_of(media)
            if kind is not None:
                self.rows.add_reference(kind, name, step, time, start, length)
            elif "_type" in media:
                self.leave_out(str(media["_type"]))
            else:
                for inner, leaf in media.items():
                    self._add_value(f"{name}/{inner}", leaf, step, time, start, length)
        elif value is not None:
            self.leave_out("lists")

    def _add_summary(self, payload: bytes, first: int, last: int) -> None:
        """Add numbers that the script set in the summary alone: most of it repeats the rows."""
        if self.rows.numbers.repeats(payload, first, last):
            return
        for number, value, start, stop in wire.split(payload, first, last):
            if number != _ITEM or value is not None:
                continue
            name = _name_of(payload, start, stop)
            if name.startswith("_") or self.rows.numbers.has(name):
                continue
            _, number = _item(payload, start, stop)
            if isinstance(number, (int, float)):
                self.rows.add_scalar(f"summary/{name}", self.state["step"], self._time, float(number))

    def _add_stats(self, encoded: bytes) -> None:
        stats = _decode("Stats", encoded)
        time = _seconds(stats.get("timestamp")) or 0.0
        for item in stats.get("item", []):
            value = _value_of(item)
            if isinstance(value, (int, float)):
                name = "/".join(item.get("nested_key") or [item.get("key", "")])
                self.rows.add_scalar(f"system/{name}", self.state["step"], time, float(value))


def _row(payload: bytes, first: int, last: int) -> dict[str, Any]:
    """Return the values of a history or a configuration by name; those with several names as nested objects."""
    row: dict[str, Any] = {}
    for number, value, start, stop in wire.split(payload, first, last):
        if number == _ITEM and value is None:
            names, result = _item(payload, start, stop)
            inner = row
            for name in names[:-1]:
                below = inner.get(name)
                if not isinstance(below, dict):
                    below = inner[name] = {}
                inner = cast("dict[str, Any]", below)
            if names:
                inner[names[-1]] = result
    return row


def _item(payload: bytes, first: int, last: int) -> tuple[list[str], Any]:
    names, result = list[str](), None
    for field, value, start, stop in wire.split(payload, first, last):
        if field in (_KEY, _NESTED_KEY) and value is None:
            names.append(str(payload[start:stop], "utf-8", "replace"))
        elif field == _VALUE_JSON and value is None:
            result = _parsed(payload[start:stop])
        elif field in _TYPED:
            result = _value_of(_decode("Item", payload[first:last]))
    return names, result


def _is_of_table(artifact: bytes) -> bool:
    """Return whether an artifact is that of a table in a row."""
    return _decode("Artifact", artifact).get("type") == "run_table"


def _name_of(payload: bytes, first: int, last: int) -> str:
    parts = wire.split(payload, first, last)
    return "/".join(
        str(payload[start:stop], "utf-8", "replace")
        for number, value, start, stop in parts
        if number in (_KEY, _NESTED_KEY) and value is None
    )


def _parsed(encoded: bytes) -> Any:
    try:
        return json.loads(encoded)
    except (ValueError, RecursionError):
        return None


def _value_of(item: dict[str, Any]) -> Any:
    for name in ("number", "integer", "boolean", "text"):
        if name in item:
            return item[name]
    return _parsed((item.get("json") or item.get("value_json") or "null").encode())


def _decode(name: str, encoded: bytes) -> dict[str, Any]:
    return wire.decode(SCHEMAS[name], encoded)


def _seconds(timestamp: dict[str, Any] | None) -> float | None:
    return None if timestamp is None else timestamp.get("seconds", 0) + timestamp.get("nanos", 0) / 1e9


def _kind_of(media: dict[str, Any]) -> Kind | None:
    if media.get("_type") == "video-file" and str(media.get("path", "")).endswith(".gif"):
        return Kind.VIDEO
    return _KINDS.get(str(media.get("_type")))


def _value(log: LogPath, kind: Kind, tag: str, offset: int, length: int) -> bytes:
    with open(log.path, "rb") as file:  # noqa: PTH123
        file.seek(offset)
        payload = payload_of(file.read(length), offset)
    for number, value, first, last in wire.split(payload, 0, len(payload)):
        if value is not None:
            continue
        message = payload[first:last]
        if number == _HISTORY:
            return _media_value(os.path.dirname(log.path), kind, tag, _history_value(payload, first, last, tag))  # noqa: PTH120
        if number == _RUN:
            return _run_facts(_decode("Run", message))
        if number == _CONFIG:
            return values.parameters(_config(_decode("Config", message)))
        if number == _ENVIRONMENT:
            return _environment(_decode("Environment", message))
        if number == _EXIT:
            return values.end(has_failed=bool(_decode("Exit", message).get("exit_code", 0)))
        if number == _ALERT:
            alert = _decode("Alert", message)
            title = f"**{alert.get('level', 'INFO')}: {alert.get('title', '')}**"
            return values.text(tag, f"{title}\n\n{alert.get('text', '')}")
    raise FormatError(Reason("value_malformed", kind=kind.value, why="its record is another one now"))


def _history_value(payload: bytes, first: int, last: int, tag: str) -> Any:
    value: Any = _row(payload, first, last)
    rest = tag
    while isinstance(value, dict) and rest:
        row = cast("dict[str, Any]", value)
        name = next((name for name in row if rest == name or rest.startswith(f"{name}/")), None)
        if name is None:
            break
        value, rest = row[name], rest[len(name) + 1 :]
    if rest:
        raise FormatError(Reason("value_malformed", kind="record", why=f"it has no value {tag!r}"))
    return cast(Any, value)


def _media_value(directory: str, kind: Kind, tag: str, value: Any) -> bytes:
    files = os.path.join(directory, "files")  # noqa: PTH118
    if kind is Kind.TEXT:
        return values.text(tag, str(value))
    media = cast("dict[str, Any]", value)
    if kind is Kind.HISTOGRAM:
        return values.histogram(tag, media.get("bins", []), media.get("values", []))
    if media.get("_type") == "images/separated":
        pictures = [values.media_file(files, str(name)) for name in media.get("filenames", [])]
        return values.images(tag, pictures, int(media.get("width", 0)), int(media.get("height", 0)))
    content = values.media_file(files, str(media.get("path", "")))
    size = int(media.get("width") or 0), int(media.get("height") or 0)
    if kind is Kind.IMAGE:
        return values.images(tag, [content], *size)
    if kind is Kind.VIDEO:
        return values.video(tag, content, *size)
    if kind is Kind.AUDIO:
        return values.audio(tag, content)
    if kind is Kind.HTML:
        return values.html(tag, str(content, "utf-8", "replace"))
    return _table(tag, content)


def _table(tag: str, content: bytes) -> bytes:
    table = _parsed(content)
    if not isinstance(table, dict) or not isinstance(cast(Any, table).get("data"), list):
        raise FormatError(Reason("value_malformed", kind="table", why="its file holds no table"))
    names = [str(name) for name in cast(Any, table).get("columns", [])]
    return values.table(tag, names, cast(Any, table)["data"])


def _config(config: dict[str, Any]) -> dict[str, Any]:
    items = config.get("update", [])
    pairs = ((".".join(item.get("nested_key") or [item.get("key", "")]), _value_of(item)) for item in items)
    nested = {name: value for name, value in pairs if not name.startswith("_wandb")}
    return dict(values.flat(nested, "."))


def _run_facts(run: dict[str, Any]) -> bytes:
    named = {
        "name": run.get("display_name"),
        "project": run.get("project"),
        "entity": run.get("entity"),
        "job_type": run.get("job_type"),
        "notes": run.get("notes"),
        "tags": ", ".join(run.get("tags", [])),
        "host": run.get("host"),
        "id": run.get("run_id"),
    }
    given = {f"env/{name}": value for name, value in named.items() if value}
    config = _config(run.get("config", {}))
    return values.parameters(given | config, run.get("run_group") or None, _seconds(run.get("start_time")))


def _environment(environment: dict[str, Any]) -> bytes:
    git = environment.get("git", {})
    return values.facts(
        {
            "os": environment.get("os"),
            "python": environment.get("python"),
            "program": environment.get("program"),
            "args": " ".join(environment.get("args", [])),
            "gpu": environment.get("gpu_type"),
            "git_commit": git.get("commit"),
            "git_remote": git.get("remote_url"),
        }
    )


WANDB = Tracker(DialectName.WANDB, _find, _read, _value)
