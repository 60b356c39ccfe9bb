# SPDX-License-Identifier: Apache-2.0
"""Counters of a timeline that follow from its slices: queues of streams, bandwidth of copies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.tables.streams import queue_lengths
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.trace.argument_columns import NO_INTEGER, ArgumentNames, read_arguments
from mindscope.profile.trace.trace import Counter
from mindscope.profile.trace.trace_file import trace_file_of
from mindscope.table.columns import integers_of

_LAUNCHES = ("ac2g", "HostToDevice", "async_npu")
"""Categories of arrows from launches to what a device runs: of PyTorch and tables, of Ascend. The first one counts."""
_COPIES = ("gpu_memcpy", "gpu_memset", "Memcpy", "Memset")
_KIND = re.compile(r"Memcpy \w+|Memset")
_SIZE, _BANDWIDTH = "bytes", "memory bandwidth (GB/s)"
_SHORTEST_NS = 1000
"""Duration of a copy that takes no time, as in HTA."""


def launch_counters(timeline: Timeline, path: Path) -> list[Counter]:
    """Count the queue of each stream, and bandwidth by kind of copy. Raises OSError if arguments can't be read."""
    return [*_queues(timeline), *_bandwidths(timeline, path)]


def _queues(timeline: Timeline) -> Iterator[Counter]:
    """Yield the kernels of each stream that were launched and have not begun."""
    flows = timeline.flows
    found = next((launch for launch in _LAUNCHES if launch in timeline.categories), None)
    if found is None:
        return
    rows = np.flatnonzero(flows.category == list(timeline.categories).index(found))
    source, target = flows.source[rows], flows.target[rows]
    track = _tracks(timeline, target)
    for integer in integers_of(np.unique(track)):
        own = track == integer
        times, lengths = queue_lengths(timeline.start[source[own]], timeline.start[target[own]])
        yield Counter("queue length", integer, times, lengths.astype(np.float64))


def _bandwidths(timeline: Timeline, path: Path) -> Iterator[Counter]:
    """Yield the sum of the GB/s of copies in flight, by kind, on the track of the first copy of the kind."""
    codes = [code for code, category in enumerate(timeline.categories) if category in _COPIES]
    indexes = np.flatnonzero(np.isin(timeline.category, codes)) if codes else np.empty(0, np.int64)
    file = trace_file_of(path)
    if not len(indexes) or file is None:
        return
    rates = _rates(timeline, indexes, file)
    kinds = np.array([_kind_of(name) for name in timeline.names])[timeline.name[indexes]]
    for kind in sorted(set(kinds.tolist()) - {""}):
        own = (kinds == kind) & (rates > 0)
        start = timeline.start[indexes[own]]
        if len(start):
            end = start + np.maximum(timeline.duration[indexes[own]], 1)
            end = np.where(timeline.duration[indexes[own]] > 0, end, start + _SHORTEST_NS)
            times, values = summed(start, end, rates[own])
            first = indexes[own][np.argmin(start)]
            yield Counter(f"{kind} bandwidth", int(_tracks(timeline, np.array([first]))[0]), times, values, "GB/s")


def _rates(timeline: Timeline, indexes: NDArray[np.int64], file: Path) -> NDArray[np.float64]:
    """Return GB/s of each copy: bytes by nanosecond, else as the profiler says it; 0 if unknown."""
    wanted = ArgumentNames(integers=(_SIZE,), numbers=(_BANDWIDTH,))
    order = np.argsort(timeline.args_offset[indexes], kind="stable")
    arguments = read_arguments(file, timeline.args_offset[indexes[order]], timeline.args_size[indexes[order]], wanted)
    size, said = np.empty(len(indexes), np.int64), np.empty(len(indexes))
    size[order], said[order] = arguments.integers[_SIZE], arguments.numbers[_BANDWIDTH]
    duration = timeline.duration[indexes]
    rate = size / np.where(duration > 0, duration, _SHORTEST_NS)
    return np.where(size != NO_INTEGER, np.maximum(rate, 0), np.nan_to_num(said, nan=0.0, posinf=0.0, neginf=0.0))


def summed(
    start: NDArray[np.int64], end: NDArray[np.int64], rates: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return times at which a sum of overlapping rates changes, and the sum from then on; exactly 0 while none runs."""
    times = np.concatenate([start, end])
    order = np.argsort(times, kind="stable")
    count = np.cumsum(np.repeat(np.array([1, -1]), len(start))[order])
    values = np.cumsum(np.concatenate([rates, -rates])[order])
    is_last = np.append(times[order][1:] != times[order][:-1], True)
    return times[order][is_last], np.where(count > 0, values, 0.0)[is_last]


def _kind_of(name: str) -> str:
    match = _KIND.match(name)
    return match[0] if match else ""


def _tracks(timeline: Timeline, indexes: NDArray[np.signedinteger]) -> NDArray[np.int64]:
    lanes = np.searchsorted(timeline.lane_first, indexes, side="right") - 1
    return timeline.lane_track[lanes].astype(np.int64)
