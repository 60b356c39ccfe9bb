# SPDX-License-Identifier: Apache-2.0
"""Reads files of rows with a separator, such as CSV, from where the last read ended."""

from __future__ import annotations

import csv
import os
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats.scan import Columns, Scanned, narrowest
from mindscope.formats.time_range import TimeRange
from mindscope.trackers._table_cells import NUMBER, TEXT, parse_rows
from mindscope.trackers.log import Json, LogPath, NewRows
from mindscope.trackers.table_layout import TableLayout, is_log, layout_of, moment_of
from mindscope.trackers.table_state import (
    MOST_READ,
    check_unchanged,
    damages_of,
    is_settled,
    leave_out,
    note_position,
    note_wrong_line,
    notes_of,
)
from mindscope.types import Kind

_SEPARATORS = (",", ";", "\t")
_MOST_HEADER = 8 << 20
_SAMPLE_BYTES, _SAMPLE_ROWS = 1 << 16, 200


class _Head(NamedTuple):
    """The names of columns, the character between cells, and the byte where rows begin."""

    names: list[str]
    separator: str
    start: int


def csv_layout(head: bytes, *, is_conventional: bool) -> TableLayout | None:
    """Return the layout of a log that begins with these bytes; None of another table, or one without rows yet.

    ``is_conventional``: its name says that it is a log.
    """
    header = _header(head)
    if header is None:
        return None
    layout, numbers, kinds = _sampled(header, head[header.start :])
    return layout if layout is not None and (is_conventional or is_log(layout, numbers, kinds)) else None


def _header(head: bytes) -> _Head | None:
    end = head.find(b"\n")
    if end < 0:
        return None
    line = str(head[:end], "utf-8", "replace").removeprefix("\ufeff").rstrip("\r")
    separator = max(_SEPARATORS, key=line.count)
    try:
        names = next(csv.reader([line], delimiter=separator), list[str]())
    except csv.Error:  # such as one of a carriage return within
        return None
    return _Head([name.strip() for name in names], separator, end + 1)


def _sampled(header: _Head, data: bytes) -> tuple[TableLayout | None, NDArray[np.float64], NDArray[np.uint8]]:
    width = len(header.names)
    numbers, kinds, *_ = parse_rows(data, ord(header.separator), width, -1, False, _SAMPLE_ROWS)
    texts = np.full(kinds.shape, "", object)
    if (kinds == TEXT).any():
        lines = data.decode("utf-8", "replace").splitlines()[: 2 * len(kinds)]
        rows = [row for row in _split(lines, header.separator) if len(row) == width][: len(kinds)]
        texts[: len(rows)] = np.array(rows, object).reshape(len(rows), width)
    return layout_of(header.names, numbers, kinds, texts.tolist()), numbers, kinds


def _split(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(lines, delimiter=separator)
    except csv.Error:
        return


def read_csv(log: LogPath, progress: Json, budget: int, _before: int | None) -> NewRows:
    """Read on in a file. Raises as ``Tracker.read``."""
    state: dict[str, Any] = dict(progress or {})
    with open(log.path, "rb", buffering=0) as file:  # noqa: PTH123
        stat = os.fstat(file.fileno())
        if not state and not _begin(file, state, stat.st_mtime):
            return NewRows(Scanned(), None, stat.st_size, 0, stat.st_mtime)
        check_unchanged(file, state, stat.st_size)
        layout = TableLayout(tuple(state["names"]), *state["layout"])
        scanned, has_more = _read_rows(file, state, layout, min(budget, MOST_READ), stat)
    return NewRows(
        scanned, state, stat.st_size, state["position"], stat.st_mtime, has_more,
        notes=notes_of(state, has_times=layout.time >= 0), damages=damages_of(state, log.path),
    )  # fmt: skip


def _begin(file: BinaryIO, state: dict[str, Any], modified_at: float) -> bool:
    """Find the columns; returns whether the file has rows."""
    head = file.read(_SAMPLE_BYTES)
    while head.count(b"\n") < 2 and len(head) < _MOST_HEADER and (more := file.read(_SAMPLE_BYTES)):
        head += more
    header = _header(head)
    if header is None:
        return False
    layout, *_ = _sampled(header, head[header.start :])
    if layout is None:
        return False
    state.update(
        names=layout.names, layout=[layout.step, layout.time, layout.time_unit], separator=ord(header.separator),
        start=header.start, position=header.start, head=zlib.crc32(head[: header.start]), line=2,
    )  # fmt: skip
    if layout.time_unit == "elapsed":
        state["began"] = modified_at - _last_elapsed(file, state, layout)
    return True


def _last_elapsed(file: BinaryIO, state: dict[str, Any], layout: TableLayout) -> float:
    end = file.seek(0, os.SEEK_END)
    file.seek(max(end - _SAMPLE_BYTES, state["start"]))
    tail = file.read(_SAMPLE_BYTES)
    rows = tail[tail.find(b"\n") + 1 if end - _SAMPLE_BYTES > state["start"] else 0 :]
    numbers, kinds, *_ = parse_rows(rows, state["separator"], len(layout.names), -1, True, len(rows) + 1)
    elapsed = numbers[kinds[:, layout.time] == NUMBER, layout.time]
    return float(elapsed[-1]) if len(elapsed) and np.isfinite(elapsed[-1]) else 0.0


def _read_rows(
    file: BinaryIO, state: dict[str, Any], layout: TableLayout, budget: int, stat: os.stat_result
) -> tuple[Scanned, bool]:
    position, size = int(state["position"]), stat.st_size
    while True:
        file.seek(position)
        data = file.read(min(budget, max(size - position, 0)))
        is_end = position + len(data) >= size
        is_final = is_end and is_settled(stat.st_mtime)
        time_column = layout.time if layout.time_unit == "text" else -1
        numbers, kinds, spans, lines, wrong, read_lines, read_bytes = parse_rows(
            data, state["separator"], len(layout.names), time_column, is_final, len(data) + 1
        )
        if read_bytes or is_end:
            break
        if budget > 1 << 28:
            raise FormatError("a row is longer than 256 MiB")
        budget *= 4
    for line, start, stop, cells in wrong[:10000]:
        why = f"{cells} cells in place of {len(layout.names)}"
        note_wrong_line(state, state["line"] + line, position + start, position + stop, why)
    times = _times(state, layout, numbers, kinds, spans, data, stat.st_mtime)
    scanned = _columns(state, layout, numbers, kinds, lines, times)
    state["line"] += read_lines
    ends_open = read_bytes > 0 and not data[:read_bytes].endswith(b"\n")
    note_position(file, state, position + read_bytes, is_open=ends_open)
    return scanned, not is_end


def _times(
    state: dict[str, Any], layout: TableLayout, numbers: NDArray[np.float64], kinds: NDArray[np.uint8],
    spans: NDArray[np.int64], data: bytes, modified_at: float,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the time of each row: of its cell, else that of the row before it, else of the file."""
    times = np.full(len(numbers), np.nan)
    if layout.time_unit == "text":
        texts = (str(data[start:stop], "utf-8", "replace") for start, stop in spans.tolist())
        times = np.array([moment_of(text) or np.nan for text in texts], np.float64)
    elif layout.time >= 0:
        scale = 1e-3 if layout.time_unit == "milliseconds" else 1.0
        given = numbers[:, layout.time] * scale + state.get("began", 0.0)
        times = np.where((kinds[:, layout.time] == NUMBER) & np.isfinite(given), given, np.nan)
    if layout.time < 0:
        return np.full(len(numbers), modified_at)
    present = ~np.isnan(times)
    last = np.maximum.accumulate(np.where(present, np.arange(len(times)), -1))
    filled = np.where(last >= 0, times[last], state.get("time", modified_at))
    if len(filled):
        state["time"] = float(filled[-1])
    return filled


def _columns(
    state: dict[str, Any], layout: TableLayout, numbers: NDArray[np.float64], kinds: NDArray[np.uint8],
    lines: NDArray[np.int64], times: NDArray[np.float64],
) -> Scanned:  # fmt: skip
    steps = numbers[:, layout.step]
    is_step = (kinds[:, layout.step] == NUMBER) & (np.abs(np.nan_to_num(steps, nan=np.inf)) < 1 << 62)
    is_step &= np.where(is_step, steps, 0.5) == np.floor(np.where(is_step, steps, 0))
    for line in lines[~is_step][:10000].tolist():
        state_line = state["line"] + line
        note_wrong_line(state, state_line, state["position"], state["position"], "its step is no whole number")
    scalars = dict[str, Columns]()
    is_moment = layout.time >= 0 and layout.time_unit != "elapsed"
    for column, name in enumerate(layout.names):
        if column == layout.step or (is_moment and column == layout.time):
            continue
        kind = kinds[:, column]
        if texts := int(np.count_nonzero(kind == TEXT)):
            leave_out(state, name, texts)
        rows = np.flatnonzero((kind == NUMBER) & is_step)
        if len(rows):
            scalars[name] = {
                "step": steps[rows].astype(np.int64),
                "wall_time": times[rows],
                "value": narrowest(numbers[rows, column]),
            }
    ranges = [TimeRange.of(Kind.SCALAR, rows, name) for name, rows in scalars.items()]
    return Scanned(len(numbers), scalars, time_range=TimeRange.union(ranges))
