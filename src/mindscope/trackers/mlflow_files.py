# SPDX-License-Identifier: Apache-2.0
"""Reads the file store of MLflow, ``mlruns/EXPERIMENT/RUN``, which MLflow itself refuses since 3.13.

A metric is a file of lines: the time in milliseconds, the value, the step, and in newer files a data set.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np

from mindscope.errors import FormatError
from mindscope.lru import LRU
from mindscope.reasons import Reason, reason_of
from mindscope.trackers.database_runs import digest
from mindscope.trackers.log import (
    NO_LOGS,
    Directory,
    FoundLog,
    FoundLogs,
    Json,
    LogPath,
    LogProblem,
    LogReplacedError,
    LogState,
    NewRows,
    Tracker,
)
from mindscope.trackers.mlflow_artifacts import artifact_value, refer_to_artifacts, state_of_artifacts
from mindscope.trackers.mlflow_run import END, ENDED, NAME, START, MlflowRun, refer_to_facts, seconds
from mindscope.trackers.rows import RowCollector
from mindscope.types import Damage, DamageKind, DialectName, Kind

_META, _METRICS, _PARAMS, _TAGS, _ARTIFACTS = "meta.yaml", "metrics", "params", "tags", "artifacts"
_STATUSES = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}
_MOST_TEXT_BYTES = 1 << 20
_MOST_DAMAGES = 1000
_TAIL = 64
_EXPERIMENTS: LRU[tuple[str, int], str] = LRU(1024)


class _File(NamedTuple):
    """A file of a metric, a parameter or a tag; its name is the path below the directory."""

    name: str
    path: str
    size: int
    modified_ns: int


def _find(directory: Directory) -> FoundLogs:
    if _META not in directory.names or not {_METRICS, _PARAMS, _TAGS} & set(directory.names):
        return NO_LOGS
    try:
        meta = _meta(directory.path)
    except FormatError as error:
        return FoundLogs((), problems=(LogProblem(directory.join(_META), reason_of(error)),))
    id = meta.get("run_id") or meta.get("run_uuid")
    is_deleted = meta.get("lifecycle_stage") == "deleted" or f"{os.sep}.trash{os.sep}" in directory.path
    if not id or is_deleted:
        return NO_LOGS
    experiment = os.path.dirname(directory.path)  # noqa: PTH120
    run = f"{os.path.dirname(experiment)}/{_experiment(experiment)}/{str(id).replace('/', '_')}"  # noqa: PTH120
    log = FoundLog(DialectName.MLFLOW_FILES, LogPath(directory.path), run, directory.path, f"mlflow\n{id}")
    return FoundLogs((log,), is_whole=True)


def _experiment(directory: str) -> str:
    """Return the name of an experiment, as a path."""
    try:
        key = directory, os.stat(f"{directory}{os.sep}{_META}").st_mtime_ns  # noqa: PTH116 (for each run)
        name = _EXPERIMENTS.get(key) or _EXPERIMENTS.add(key, str(_meta(directory).get("name") or ""))
    except (OSError, FormatError):
        name = ""
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return "/".join(parts) or os.path.basename(directory)  # noqa: PTH119


def _meta(directory: str) -> dict[str, Any]:
    """Return the facts of a run or an experiment. Raises OSError, FormatError for a file without any."""
    with open(f"{directory}{os.sep}{_META}", "rb") as file:  # noqa: PTH123
        encoded = file.read(_MOST_TEXT_BYTES)
    try:
        facts = _load_yaml(encoded)
    except Exception as error:  # of a cut or damaged file: several classes, and RecursionError
        facts = str(error)
    if not isinstance(facts, dict):
        raise FormatError(Reason("tracker_record_unread", why=f"{_META} holds no facts"))
    return cast("dict[str, Any]", facts)


@cache
def _loader() -> tuple[Any, Any]:
    import yaml  # slow to import, and few directories have files of it

    return yaml, getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _load_yaml(encoded: bytes) -> object:
    yaml, loader = _loader()
    return yaml.load(encoded, loader)


def _files(directory: str, prefix: str = "", levels: int = 16) -> Iterator[_File]:
    """Yield the files in a directory of metrics, parameters or tags, whose names may have ``/``."""
    try:
        with os.scandir(directory) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in listed:
        name = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if levels:
                yield from _files(entry.path, f"{name}/", levels - 1)
        elif entry.is_file():
            stat = entry.stat()
            yield _File(name, entry.path, stat.st_size, stat.st_mtime_ns)


def _files_of(log: LogPath, kind: str) -> list[_File]:
    return list(_files(f"{log.path}{os.sep}{kind}"))


def _artifacts(log: LogPath) -> str:
    return f"{log.path}{os.sep}{_ARTIFACTS}"


def _state(log: LogPath) -> LogState:
    meta = os.stat(f"{log.path}{os.sep}{_META}")  # noqa: PTH116 (for each run)
    return digest(_files_of(log, _METRICS)), _version(log, meta), *state_of_artifacts(_artifacts(log))


def _version(log: LogPath, meta: os.stat_result) -> int:
    """Return what differs after a change of parameters, tags or the state."""
    texts = [(file.name, file.size, file.modified_ns) for kind in (_PARAMS, _TAGS) for file in _files_of(log, kind)]
    return digest(meta.st_mtime_ns, meta.st_size, texts)


def _read(log: LogPath, progress: Json, budget: int, before: int | None) -> NewRows:
    state, rows = cast("dict[str, Any]", dict(progress or {})), RowCollector()
    positions = cast("dict[str, list[Any]]", state.setdefault("metrics", {}))
    stat = os.stat(f"{log.path}{os.sep}{_META}")  # noqa: PTH116
    version, run, files = _version(log, stat), _run(log), _files_of(log, _METRICS)
    if positions.keys() - {file.name for file in files}:
        raise LogReplacedError("file_exchanged")
    left = budget
    for file in files:
        left -= _read_metric(file, positions.setdefault(file.name, [0, ""]), left, rows, state)
        if left <= 0:
            break
    has_more = left <= 0 and any(positions.get(file.name, [0])[0] < file.size for file in files)
    if not has_more:
        refer_to_facts(rows, state, version, run.status, run.started_ms, run.ended_ms)
        refer_to_artifacts(rows, state, _artifacts(log), seconds(run.ended_ms))
    modified = max([stat.st_mtime_ns, *(file.modified_ns for file in files)]) / 1e9
    left_out = [Reason("tracker_left_out", what=what, count=count) for what, count in state.get("left_out", {}).items()]
    size = sum(file.size for file in files) + stat.st_size
    read = sum(position for position, _ in positions.values()) + stat.st_size
    is_ended = run.status in ENDED and not has_more
    return NewRows(
        rows.take(), state, size, read, modified, has_more, is_ended, run.name or run.id[:8],
        tuple(left_out), tuple(_damage(*saved) for saved in state.get("damages", ())),
    )  # fmt: skip


def _damage(name: str, start: int, stop: int, text: str) -> Damage:
    why = f"it is no line of a metric: {text}"
    return Damage(name, start, DamageKind.MESSAGE, Reason("tracker_record_unread", why=why), stop)


def _read_metric(file: _File, progress: list[Any], budget: int, rows: RowCollector, state: dict[str, Any]) -> int:
    """Read on in a metric; ``progress`` is its position and the bytes before it. Returns the number of bytes."""
    position, tail = int(progress[0]), bytes.fromhex(progress[1])
    if file.size == position:
        return 0
    with open(file.path, "rb", buffering=0) as opened:  # noqa: PTH123
        opened.seek(position - len(tail))
        if opened.read(len(tail)) != tail:
            raise LogReplacedError("file_exchanged")
        data = opened.read(budget)
        while len(data) >= budget and b"\n" not in data and (part := opened.read(budget)):
            data += part
    data = data[: data.rfind(b"\n") + 1]  # the last line may still be written
    if data:
        _add_lines(file.name, data, position, rows, state)
        progress[:] = position + len(data), (tail + data)[-_TAIL:].hex()
    return len(data)


def _add_lines(name: str, data: bytes, position: int, rows: RowCollector, state: dict[str, Any]) -> None:
    fields = data.split()
    lines = data.count(b"\n")
    try:
        if len(fields) != 3 * lines or data.count(b" ") != 2 * lines:
            raise ValueError
        steps, times = np.array(fields[2::3], np.int64), np.array(fields[0::3], np.int64)
        values = np.array(fields[1::3]).astype(np.float64)
    except (ValueError, OverflowError):
        _add_each_line(name, data, position, rows, state)
        return
    rows.records += lines
    rows.add_scalars(name, steps, times / 1000, values)


def _add_each_line(name: str, data: bytes, position: int, rows: RowCollector, state: dict[str, Any]) -> None:
    damages = state.setdefault("damages", [])
    for line in data.splitlines(keepends=True):
        parts = line.split()
        try:
            time, value = int(parts[0]), float(parts[1])
            step = int(parts[2]) if len(parts) > 2 else 0
            columns = np.array([step], np.int64), np.array([time], np.int64) / 1000, np.array([value], np.float64)
            rows.records += 1
            rows.add_scalars(name, *columns)
        except (ValueError, IndexError, OverflowError):
            if parts and len(damages) < _MOST_DAMAGES:
                text = str(line[:40], "utf-8", "replace").strip()
                damages.append([f"{_METRICS}/{name}", position, position + len(line), text])
        position += len(line)


def _run(log: LogPath) -> MlflowRun:
    meta = _meta(log.path)
    params, tags = ({file.name: _text(file.path) for file in _files_of(log, kind)} for kind in (_PARAMS, _TAGS))
    status = meta.get("status")
    if meta.get("user_id") and "mlflow.user" not in tags:
        tags["mlflow.user"] = str(meta["user_id"])
    return MlflowRun(
        str(meta.get("run_id") or meta.get("run_uuid") or ""), tags.get(NAME) or str(meta.get("run_name") or ""),
        _experiment(os.path.dirname(log.path)),  # noqa: PTH120
        _STATUSES.get(status, "") if isinstance(status, int) else str(status or ""),
        _time(meta.get("start_time")), _time(meta.get("end_time")), params, tags,
    )  # fmt: skip


def _text(path: str) -> str:
    with open(path, "rb") as file:  # noqa: PTH123
        return str(file.read(_MOST_TEXT_BYTES), "utf-8", "replace")


def _time(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _value(log: LogPath, kind: Kind, tag: str, offset: int, length: int) -> bytes:
    if kind is not Kind.HPARAMS:
        return artifact_value(_artifacts(log), kind, tag, offset)
    if tag == START:
        return _run(log).start()
    if tag == END:
        return _run(log).end()
    raise FormatError(Reason("value_malformed", kind=kind.value, why=f"a run has no {tag!r}"))


MLFLOW_FILES = Tracker(DialectName.MLFLOW_FILES, _find, _read, _value, _state)
