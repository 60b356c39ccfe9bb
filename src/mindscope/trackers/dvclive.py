# SPDX-License-Identifier: Apache-2.0
"""Reads directories of DVCLive: a file of rows for each metric in ``plots/metrics``, and images in ``plots/images``."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from mindscope.errors import FormatError
from mindscope.formats.scan import Scanned, narrowest
from mindscope.formats.time_range import TimeRange
from mindscope.reasons import Reason
from mindscope.trackers import values
from mindscope.trackers._table_cells import NUMBER, parse_rows
from mindscope.trackers.log import NO_LOGS, Directory, FoundLog, FoundLogs, Json, LogPath, LogState, NewRows, Tracker
from mindscope.trackers.rows import RowCollector
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
from mindscope.types import Damage, DialectName, Kind

_METRICS, _IMAGES, _END = os.path.join("plots", "metrics"), os.path.join("plots", "images"), ".tsv"  # noqa: PTH118
_LEFT_OUT = (os.path.join("plots", "sklearn"), os.path.join("plots", "custom"))  # noqa: PTH118
_MOST_FILES = 100_000


def _find(directory: Directory) -> FoundLogs:
    if "plots" not in directory.names or not os.path.isdir(directory.join(_METRICS)):  # noqa: PTH112
        return NO_LOGS
    if not any(path.endswith(_END) for path, _ in _files(directory.join(_METRICS))):
        return FoundLogs((), is_pending="metrics.json" in directory.names)
    path = directory.path
    return FoundLogs((FoundLog(DialectName.DVCLIVE, LogPath(path), path, path, path),), is_whole=True)


def _files(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the files below a directory, which need not exist, in the order of their paths; follows no link."""
    waiting, count = [root], 0
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        for entry in ordered:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.is_file(follow_symlinks=False) and count < _MOST_FILES:
                count += 1
                yield entry.path, entry.stat(follow_symlinks=False)


def _state(log: LogPath) -> LogState:
    os.stat(log.path)  # noqa: PTH116 (raises if it is gone)
    size = newest = total = count = 0
    for _, stat in _files(os.path.join(log.path, "plots")):  # noqa: PTH118
        size, total, count = size + stat.st_size, total + stat.st_mtime_ns % (1 << 40), count + 1
        newest = max(newest, stat.st_mtime_ns)
    return size, newest, total, count, int(is_settled(newest / 1e9))


def _read(log: LogPath, progress: Json, budget: int, _before: int | None) -> NewRows:
    state: dict[str, Any] = dict(progress or {"files": {}, "images": {}, "last": 0})
    scanned, read_bytes, size, modified_at, has_more = Scanned(), 0, 0, 0.0, False
    damages, has_times = list[Damage](), True
    root = os.path.join(log.path, _METRICS)  # noqa: PTH118
    present = {path: stat for path, stat in _files(root) if path.endswith(_END)}
    if any(os.path.join(root, name) not in present for name in state["files"]):  # noqa: PTH118
        raise RewrittenError("file_exchanged")
    for path, stat in present.items():
        name = os.path.relpath(path, root)
        inner = state["files"].setdefault(name, {})
        if budget > 0:
            used = _read_metric(path, name, inner, min(budget, MOST_READ), stat, scanned)
            budget -= used
        size, read_bytes = size + stat.st_size, read_bytes + int(inner.get("position", 0))
        has_more |= budget <= 0 and int(inner.get("position", 0)) < stat.st_size
        modified_at, has_times = max(modified_at, stat.st_mtime), has_times and bool(inner.get("has_times"))
        damages += damages_of(inner, path)
    steps = [rows["step"].max() for rows in scanned.scalars.values()]
    state["last"] = int(max([state["last"], *steps]))
    scanned.references = _new_images(log.path, state)
    state["left_out"] = {}
    for folder in _LEFT_OUT:
        for path, _ in _files(os.path.join(log.path, folder)):  # noqa: PTH118
            leave_out(state, os.path.relpath(path, os.path.join(log.path, "plots")))  # noqa: PTH118
    ranges = [TimeRange.of(Kind.SCALAR, rows, name) for name, rows in scanned.scalars.items()]
    ranges += [TimeRange.of(kind, rows, tag) for (kind, tag), rows in scanned.references.items()]
    scanned.time_range = TimeRange.union(ranges)
    return NewRows(
        scanned, state, size, read_bytes, modified_at, has_more, notes=notes_of(state, has_times=has_times),
        damages=tuple(damages),
    )  # fmt: skip


def _read_metric(
    path: str, name: str, state: dict[str, Any], budget: int, stat: os.stat_result, scanned: Scanned
) -> int:
    """Add the new rows of a metric; returns the bytes that were read."""
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        if not state:
            head = file.read(1 << 16)
            start = head.find(b"\n") + 1
            names = str(head[:start], "utf-8", "replace").strip("\r\n").split("\t")
            if not start or "step" not in names[:-1]:
                return len(head)
            state.update(names=names, start=start, position=start, head=zlib.crc32(head[:start]), line=2)
        check_unchanged(file, state, stat.st_size)
        names, position = state["names"], int(state["position"])
        file.seek(position)
        data = file.read(budget)
        is_final = position + len(data) >= stat.st_size and is_settled(stat.st_mtime)
        numbers, kinds, _, lines, wrong, read_lines, read_bytes = parse_rows(
            data, ord("\t"), len(names), -1, is_final, len(data) + 1
        )
        step = names.index("step")
        is_row = (kinds[:, step] == NUMBER) & (np.abs(np.nan_to_num(numbers[:, step], nan=np.inf)) < 1 << 62)
        for line in [*(row[0] for row in wrong), *lines[~is_row].tolist()]:
            note_wrong_line(state, state["line"] + line, position, position + read_bytes, "it is no row of a metric")
        is_row &= kinds[:, -1] == NUMBER
        state["line"] += read_lines
        is_open = read_bytes > 0 and not data[:read_bytes].endswith(b"\n")
        note_position(file, state, position + read_bytes, is_open=is_open)
    times = np.full(len(numbers), stat.st_mtime)
    if "timestamp" in names:
        state["has_times"] = True
        times = numbers[:, names.index("timestamp")] / 1e3
    if is_row.any():
        scanned.records += int(is_row.sum())
        scanned.scalars[name.removesuffix(_END).replace(os.sep, "/")] = {
            "step": numbers[is_row, step].astype(np.int64),
            "wall_time": times[is_row],
            "value": narrowest(numbers[is_row, -1]),
        }
    return len(data)


def _new_images(directory: str, state: dict[str, Any]) -> Any:
    rows, root = RowCollector(), os.path.join(directory, _IMAGES)  # noqa: PTH118
    for path, stat in _files(root):
        name, version = os.path.relpath(path, root), stat.st_mtime_ns
        if state["images"].get(name) != version:
            state["images"][name] = version
            tag, step = _image_of(name, state["last"])
            rows.add_reference(Kind.IMAGE, tag, step, stat.st_mtime, zlib.crc32(os.fsencode(name)), version)
    return rows.take().references


def _image_of(name: str, last: int) -> tuple[str, int]:
    """Return the tag and the step of an image: a part of the path that is a number is the step."""
    parts = os.path.splitext(name)[0].split(os.sep)  # noqa: PTH122, PTH206
    for position, part in enumerate(parts):
        if len(parts) > 1 and part.isascii() and part.isdecimal() and len(part) < 18:
            return "/".join(parts[:position] + parts[position + 1 :]), int(part)
    return name.replace(os.sep, "/"), last


def _value(log: LogPath, kind: Kind, tag: str, offset: int, length: int) -> bytes:
    root = os.path.join(log.path, _IMAGES)  # noqa: PTH118
    for path, stat in _files(root):
        name = os.path.relpath(path, root)
        if zlib.crc32(os.fsencode(name)) == offset and _image_of(name, 0)[0] == tag:
            if stat.st_mtime_ns != length:
                raise FormatError(Reason("value_malformed", kind=kind.value, why="a later image has its file"))
            picture = values.media_file(root, name)
            return values.images(tag, [picture], *values.picture_size(picture))
    raise FormatError(Reason("tracker_file_missing", file=tag))


DVCLIVE = Tracker(DialectName.DVCLIVE, _find, _read, _value, _state)
