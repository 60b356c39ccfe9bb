# SPDX-License-Identifier: Apache-2.0
"""Steps of ``step_trace_raw_N_detail_time.csv``, which counts 10 ns ticks of the device."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.profile.formats.built_trace import SliceColumns
from mindscope.profile.formats.csv_table import CsvTable, columns_missing
from mindscope.profile.tables.communication import Communication
from mindscope.profile.tables.steps import Steps
from mindscope.profile.trace.nesting import busy
from mindscope.profile.trace.trace import Track
from mindscope.table.columns import TextColumn
from mindscope.table.schema import EQUAL, ColumnField, Unit

TICK_NS = 10
_REDUCE = re.compile(r"(stream_.+)_start_point")
_STREAM = re.compile(r"stream_(\d+)_")
_OPERATOR = re.compile(r"(?:stream_\d+_\d+_|.*/)?([A-Za-z]+)")
PHASES = ("Interval", "Forward and backward", "Tail")
"""Phases of a step, as slices of the timeline."""


class Reduces(NamedTuple):
    """Begin and end of one communication in each step; 0 where the step has none."""

    name: str
    start: NDArray[np.int64]
    end: NDArray[np.int64]


class StepTrace(NamedTuple):
    """Rows are steps; times in nanoseconds of the clock of the device."""

    number: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    forward: NDArray[np.int64]
    """Begin of the forward pass."""
    backward: NDArray[np.int64]
    """End of the backward pass; of an inference the end."""
    reduces: list[Reduces]
    skipped: int
    """Steps that lack a point."""
    has_phases: bool = True
    """Whether phases were recorded; of graphs within a network, only the whole time is."""
    graph: NDArray[np.int64] | None = None
    """Id of the graph of each step, where the file has several."""


def read_step_trace(table: CsvTable) -> StepTrace | None:
    """Return the steps, without the row of averages; None without any.

    Raises:
        FormatError: a column is missing.
    """
    numbers, start, end = table.cells("step_num"), _ticks(table, "start_point"), _ticks(table, "end_point")
    if numbers is None or start is None or end is None:
        raise FormatError(columns_missing("step_num, start_point or end_point", table.names))
    forward, backward = _ticks(table, "fp_point"), _ticks(table, "bp_point")
    has_phases = forward is not None
    is_step = np.array([text.isdecimal() and text != "0" for text in numbers], np.bool_)
    forward = start if forward is None else forward
    start = np.where(start > 0, start, forward)  # where the first one begins is not known
    is_whole = is_step & (end > 0) & (end >= start) & (forward >= start) & (forward > 0)
    backward = end if backward is None else backward
    is_whole &= (backward >= forward) & (backward <= end)
    if not is_whole.any():
        return None
    graph = table.counts("graph_id", "model_id")
    return StepTrace(
        np.array([int(text) for text, whole in zip(numbers, is_whole.tolist(), strict=True) if whole], np.int64),
        start[is_whole],
        end[is_whole],
        forward[is_whole],
        backward[is_whole],
        [Reduces(reduce.name, reduce.start[is_whole], reduce.end[is_whole]) for reduce in _reduces(table)],
        int(is_step.sum() - is_whole.sum()),
        has_phases,
        None if graph is None else graph[is_whole],
    )


def steps_of(trace: StepTrace, origin_ns: int) -> Steps:
    """Return steps: the interval waits for data, communication after the backward pass is not hidden, the rest
    computes.
    """
    duration, interval = trace.end - trace.start, trace.forward - trace.start
    alone = np.array([_after_backward(trace, row) for row in range(len(duration))], np.int64)
    hidden = np.array([_before_backward(trace, row) for row in range(len(duration))], np.int64)
    return Steps(
        number=trace.number,
        start=trace.start - origin_ns,
        duration=duration,
        compute=duration - interval - alone,
        communication=alone if trace.reduces else None,
        data_waiting=interval if trace.has_phases else None,
        idle=np.zeros(len(duration), np.int64),
        overlapped=hidden if trace.reduces else None,
        interval=interval if trace.has_phases else None,
        forward_backward=trace.backward - trace.forward if trace.has_phases else None,
        tail=trace.end - trace.backward if trace.has_phases else None,
        is_warm_up=np.arange(len(duration)) < (len(duration) > 1),
        extra={} if trace.graph is None else {"graph": trace.graph},
        extra_fields={"graph": ColumnField(Unit.ID, EQUAL)},
    )


def step_runs(trace: StepTrace) -> list[SliceColumns]:
    """Return the timeline of the steps: themselves, their phases, and a track of the communication of each stream."""
    steps = [("ProfilerStep#" + str(number)) for number in trace.number.tolist()]
    found = [_runs("Steps", -3, trace.start, trace.end, steps)]
    if trace.has_phases:
        starts = np.stack([trace.start, trace.forward, trace.backward], axis=1).ravel()
        ends = np.stack([trace.forward, trace.backward, trace.end], axis=1).ravel()
        some = ends > starts
        names = [name for name, is_some in zip(PHASES * len(steps), some.tolist(), strict=True) if is_some]
        found.append(_runs("Phases", -2, starts[some], ends[some], names))
    for stream in sorted({stream_of(reduce.name) for reduce in trace.reduces}, key=lambda text: (len(text), text)):
        events = sorted(each for each in _events(trace) if stream_of(each[0]) == stream)
        starts, ends = (np.array([event[side] for event in events], np.int64) for side in (2, 3))
        title = f"Stream {stream}, communication" if stream else "Communication"
        found.append(_runs(title, -1, starts, ends, [event[0] for event in events]))
    return [runs for runs in found if len(runs.start)]


def _runs(title: str, order: int, start: NDArray[np.int64], end: NDArray[np.int64], names: list[str]) -> SliceColumns:
    track = Track("Steps", title, "Steps", title, -1, order)
    return SliceColumns(start, end - start, TextColumn.of(names), "step", [track] * len(names))


def communication_of(trace: StepTrace, device: str, origin_ns: int) -> Communication | None:
    """Return each communication of each step; None without any."""
    events = _events(trace)
    if not events:
        return None
    names, steps, starts, ends = zip(*events, strict=True)
    return Communication(
        name=TextColumn.of(names),
        kind=TextColumn.of(_kind(name) for name in names),
        step=np.array(steps, np.int64),
        device=TextColumn.constant(device, len(events)),
        stream=TextColumn.of(map(stream_of, names)),
        start=np.array(starts, np.int64) - origin_ns,
        duration=np.array(ends, np.int64) - np.array(starts, np.int64),
    )


def stream_of(name: str) -> str:
    """Return ``520`` of ``stream_520_parallel_0``; empty where the name has none."""
    match = _STREAM.match(name)
    return match[1] if match else ""


def _events(trace: StepTrace) -> list[tuple[str, int, int, int]]:
    """Return name, step, begin and end of each communication that a step has."""
    return [
        (reduce.name, int(step), int(start), int(end))
        for reduce in trace.reduces
        for step, start, end in zip(trace.number, reduce.start, reduce.end, strict=True)
        if 0 < start < end
    ]


def _reduces(table: CsvTable) -> list[Reduces]:
    """A communication without begin, end or duration is not in that step."""
    found: list[Reduces] = []
    for column in table.names:
        match = _REDUCE.fullmatch(column)
        start, end = (
            (_ticks(table, f"{match[1]}_{point}_point") for point in ("start", "end")) if match else (None, None)
        )
        if match and start is not None and end is not None:
            duration = _ticks(table, match[1])
            is_there = True if duration is None else duration > 0
            found.append(Reduces(match[1], np.where(is_there, start, 0), np.where(is_there, end, 0)))
    return found


def _ticks(table: CsvTable, name: str) -> NDArray[np.int64] | None:
    counts = table.counts(name)
    return None if counts is None else counts * TICK_NS


def _after_backward(trace: StepTrace, row: int) -> int:
    return _communicating(trace, row, int(trace.backward[row]), int(trace.end[row]))


def _before_backward(trace: StepTrace, row: int) -> int:
    return _communicating(trace, row, int(trace.forward[row]), int(trace.backward[row]))


def _communicating(trace: StepTrace, row: int, begin: int, end: int) -> int:
    """Return the nanoseconds of the union of all communication of a step within a range."""
    spans = [
        (max(int(reduce.start[row]), begin), min(int(reduce.end[row]), end))
        for reduce in trace.reduces
        if reduce.start[row] > 0
    ]
    spans = [(start, stop) for start, stop in spans if stop > start]
    starts, stops = (np.array([span[side] for span in spans], np.int64) for side in (0, 1))
    return busy(starts, stops - starts)


def _kind(name: str) -> str:
    match = _OPERATOR.match(name)
    kind = match[1] if match else ""
    return kind.removesuffix("Op").lower() if kind and kind not in ("parallel", "stream") else "allreduce"
