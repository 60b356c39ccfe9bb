# SPDX-License-Identifier: Apache-2.0
"""Quantities over time: counter events, and the memory that PyTorch records as marks."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.devices import device_name
from mindscope.profile.timeline.timeline import Counter, Marks
from mindscope.profile.trace.argument_columns import ArgumentNames, read_arguments
from mindscope.profile.trace.arguments import ArgumentFile
from mindscope.profile.trace.trace import Trace
from mindscope.profile.trace.trace_file import trace_file_of
from mindscope.table.grouping import distinct_rows

MEMORY = "[memory]"
_TOTALS = ("Total Allocated", "Total Reserved")


def counters_of(trace: Trace, path: Path) -> list[Counter]:
    """Return the counters of a trace that was read from ``path``, by track and name.

    Raises OSError if its arguments can't be read.
    """
    found = [*_counters(trace, ArgumentFile(path)), *_memory(trace, trace_file_of(path))]
    return [*sorted(found, key=lambda each: (each.track, each.name, each.unit)), *trace.counters]


def marks_of(trace: Trace) -> Marks:
    """Return the moments of a trace, without those that are values of its memory."""
    events = trace.events
    rows = _without_memory(trace, events.of("i", "I", "R"))
    rows = rows[np.argsort(events.time[rows], kind="stable")]
    return Marks(
        events.time[rows], events.name[rows], events.track[rows], events.args_offset[rows], events.args_size[rows]
    )


def _counters(trace: Trace, file: ArgumentFile) -> Iterator[Counter]:
    """Make a counter for each number of the arguments of counter events."""
    events = trace.events
    series: dict[tuple[int, str], tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    rows = events.of("C")
    rows = rows[np.argsort(events.args_offset[rows], kind="stable")]
    locations = zip(events.args_offset[rows].tolist(), events.args_size[rows].tolist(), strict=True)
    for row, arguments in zip(rows.tolist(), file.read_all(locations), strict=True):
        name = trace.names[int(events.name[row])]
        for key, value in arguments.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                times, values = series[int(events.track[row]), name if len(arguments) == 1 else f"{name} {key}"]
                times.append(int(events.time[row]))
                values.append(_float(value))
    for (track, name), (times, values) in series.items():
        yield _counter(name, track, "", np.array(times, np.int64), np.array(values, np.float64))


def _float(value: float) -> float:
    """Return a number of JSON as float; an integer there may have thousands of digits."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _memory(trace: Trace, path: Path | None) -> Iterator[Counter]:
    """Make counters of the memory that is allocated on each device, and of what its allocator holds."""
    events = trace.events
    marks = events.of("i", "I", "R")
    rows = np.setdiff1d(marks, _without_memory(trace, marks), assume_unique=True)
    if not len(rows) or path is None:
        return
    wanted = ArgumentNames(integers=("Device Type", "Device Id"), numbers=_TOTALS)
    arguments = read_arguments(path, events.args_offset[rows], events.args_size[rows], wanted)
    columns = events.track[rows].astype(np.int64), arguments.integers["Device Type"], arguments.integers["Device Id"]
    groups, group = distinct_rows(*columns)
    order, ends = np.argsort(group, kind="stable"), np.cumsum(np.bincount(group, minlength=len(groups)))
    for (track, kind, number), own in zip(groups, np.split(order, ends[:-1]), strict=True):
        for total in _TOTALS:
            values = arguments.numbers[total][own]
            known = ~np.isnan(values)
            if values[known].any() or (total == _TOTALS[0] and known.any()):  # no zeros of CPUs
                name = f"{device_name(kind, number)} {total.lower().removeprefix('total ')}"
                yield _counter(name, track, "bytes", events.time[rows[own[known]]], values[known])


def _without_memory(trace: Trace, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    indexes = [index for index, name in enumerate(trace.names) if name == MEMORY]
    return rows[~np.isin(trace.events.name[rows], indexes)]


def _counter(name: str, track: int, unit: str, times: NDArray[np.int64], values: NDArray[np.float64]) -> Counter:
    order = np.argsort(times, kind="stable")
    return Counter(name, track, times[order], values[order], unit)
