# SPDX-License-Identifier: Apache-2.0
"""Quantities over time: counter events, and the memory that PyTorch records as marks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.arguments import ArgumentFile
from mindscope.profile.timeline import Counter, Marks
from mindscope.profile.trace import Trace

MEMORY = "[memory]"
_DEVICES = {0: "CPU", 1: "CUDA", 20: "NPU"}
"""Names of PyTorch's device types."""
_TOTALS = ("Total Allocated", "Total Reserved")


def counters_of(trace: Trace, file: ArgumentFile) -> list[Counter]:
    """The counters of a trace, by track and name. Raises OSError if its arguments can't be read."""
    events = trace.events
    series: dict[tuple[int, str, str], tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    for row, name, unit, value in _values(trace, file):
        times, values = series[int(events.track[row]), name, unit]
        times.append(int(events.time[row]))
        values.append(value)
    return [_counter(name, track, unit, *found) for (track, name, unit), found in sorted(series.items())]


def marks_of(trace: Trace) -> Marks:
    """The moments of a trace, without those that are values of its memory."""
    events = trace.events
    rows = _without_memory(trace, events.of("i", "I", "R"))
    rows = rows[np.argsort(events.time[rows], kind="stable")]
    return Marks(
        events.time[rows], events.name[rows], events.track[rows], events.args_offset[rows], events.args_size[rows]
    )


def _values(trace: Trace, file: ArgumentFile) -> Iterator[tuple[int, str, str, float]]:
    """Event, name, unit and value."""
    events = trace.events
    marks = events.of("i", "I", "R")
    memory = np.setdiff1d(marks, _without_memory(trace, marks), assume_unique=True)
    rows = np.sort(np.concatenate([events.of("C"), memory]))
    rows = rows[np.argsort(events.args_offset[rows], kind="stable")]
    places = zip(events.args_offset[rows].tolist(), events.args_size[rows].tolist(), strict=True)
    is_memory = np.isin(rows, memory).tolist()
    for row, of_memory, arguments in zip(rows.tolist(), is_memory, file.read_all(places), strict=True):
        name = trace.names[int(events.name[row])]
        if of_memory:
            device, number = arguments.get("Device Type"), arguments.get("Device Id")
            kind = _DEVICES.get(device, f"device type {device}") if isinstance(device, int) else "memory"
            where = kind if kind == "CPU" or not isinstance(number, int) or number < 0 else f"{kind} {number}"
            for total in _TOTALS:
                value = arguments.get(total)
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    yield row, f"{where} {total.lower().removeprefix('total ')}", "bytes", float(value)
            continue
        for key, value in arguments.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield row, name if len(arguments) == 1 else f"{name} {key}", "", float(value)


def _without_memory(trace: Trace, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    known = [index for index, name in enumerate(trace.names) if name == MEMORY]
    return rows[~np.isin(trace.events.name[rows], known)]


def _counter(name: str, track: int, unit: str, times: list[int], values: list[float]) -> Counter:
    order = np.argsort(np.array(times, np.int64), kind="stable")
    return Counter(name, track, np.array(times, np.int64)[order], np.array(values)[order], unit)
