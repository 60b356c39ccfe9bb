# SPDX-License-Identifier: Apache-2.0
"""Streams of a trace of PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.tables.streams import (
    KERNEL_WAIT_US,
    LATE_NS,
    LONG_CALL_NS,
    MOST_KERNEL_WAIT_US,
    QUEUE_LIMIT,
    StreamGaps,
    Streams,
    queue_lengths,
)
from mindscope.profile.texts import Missing
from mindscope.profile.trace.time_split import union
from mindscope.table.grouping import distinct_rows, groups_of, sums_of


def streams_of(analysis: KinetoAnalysis) -> Streams | Missing:
    """Return the streams in the order of their first slice in the file."""
    runs = _stream_runs(analysis)
    if runs is None:
        return analysis.missing("kernels")
    own, waits, count = runs.stream, np.maximum(runs.gap, 0), len(runs.first)
    one, every = np.ones(len(own), np.int64), np.ones(len(own), np.bool_)
    is_kernel = ~runs.is_host_wait & (runs.gap < 1000 * KERNEL_WAIT_US)

    def summed(values: NDArray[np.int64], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return sums_of(own[mask], values[mask], count)

    peaks, full = _queues(own, runs.launched, runs.start, runs.is_launched, count)
    return Streams(
        device=analysis.device.device.select(runs.first),
        stream=analysis.device.stream.select(runs.first),
        kernels=summed(one, every),
        busy=_busy(own, runs.start, runs.end, count),
        host_wait=summed(waits, runs.is_host_wait),
        kernel_wait=summed(waits, is_kernel),
        other_wait=summed(waits, ~runs.is_host_wait & ~is_kernel),
        overlaps=summed(one, runs.gap < 0),
        launches=summed(one, runs.is_launched),
        short=summed(one, runs.is_launched & (runs.end - runs.start < runs.call)),
        long_calls=summed(one, runs.is_launched & (runs.call > LONG_CALL_NS)),
        late=summed(one, runs.is_launched & (runs.delay > LATE_NS)),
        delay=summed(runs.delay, runs.is_launched),
        queue_peak=peaks,
        queue_full=full,
    )


def stream_gaps_of(analysis: KinetoAnalysis) -> StreamGaps | Missing:
    """Return the gaps of the streams, by length."""
    runs = _stream_runs(analysis)
    if runs is None:
        return analysis.missing("kernels")
    rows = np.flatnonzero(~runs.is_host_wait & (runs.gap > 0) & (runs.gap < 1000 * MOST_KERNEL_WAIT_US))
    keys, group = distinct_rows(runs.stream[rows], runs.gap[rows] // 1000)
    stream, length = (np.array([key[part] for key in keys], np.int64) for part in range(2))
    return StreamGaps(stream=stream, length_us=length, time=sums_of(group, runs.gap[rows], len(keys)))


@dataclass(frozen=True)
class _StreamRuns:
    """Columns of what the devices ran, by stream and start."""

    first: NDArray[np.int64]
    """Row of the work of the devices, of each stream."""
    stream: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    gap: NDArray[np.int64]
    """Gap to the latest end of its stream before it; 0 for the first."""
    is_launched: NDArray[np.bool_]
    launched: NDArray[np.int64]
    """Time when the launching call began."""
    call: NDArray[np.int64]
    """Duration of that call."""
    delay: NDArray[np.int64]
    """Time from the end of that call on."""
    is_host_wait: NDArray[np.bool_]


def _stream_runs(analysis: KinetoAnalysis) -> _StreamRuns | None:
    work, calls = analysis.device, analysis.calls
    if not len(work):
        return None
    group, first = groups_of([work.device.codes, work.stream.codes], len(work))
    order = np.lexsort((work.start, group))
    own, start, end = group[order], work.start[order], work.end[order]
    reached = np.roll(_reached(own, end), 1)
    follows = np.concatenate([[False], own[1:] == own[:-1]])
    launch = work.launch[order]
    is_launched = launch >= 0
    launched, call = np.full(len(own), np.iinfo(np.int64).min), np.zeros(len(own), np.int64)
    launched[is_launched] = calls.start[launch[is_launched]]
    call[is_launched] = calls.duration[launch[is_launched]]
    return _StreamRuns(
        first=first,
        stream=own,
        start=start,
        end=end,
        gap=np.where(follows, start - reached, 0),
        is_launched=is_launched,
        launched=launched,
        call=call,
        delay=np.where(is_launched, start - launched - call, 0),
        is_host_wait=is_launched & follows & (launched > reached),
    )


def _queues(
    group: NDArray[np.int64],
    launched: NDArray[np.int64],
    start: NDArray[np.int64],
    is_launched: NDArray[np.bool_],
    count: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the longest queue of each group, and how long it is full: a launch adds a kernel, its start removes it."""
    peaks, full = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for index in range(count):
        own = is_launched & (group == index)
        times, lengths = queue_lengths(launched[own], start[own])
        peaks[index] = lengths.max(initial=0)
        full[index] = np.diff(times)[lengths[:-1] >= QUEUE_LIMIT].sum()
    return peaks, full


def _reached(group: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the latest end until each row of its group; rows are sorted by group."""
    found = np.array(ends)
    for begin, stop in _runs(group):
        found[begin:stop] = np.maximum.accumulate(ends[begin:stop])
    return found


def _runs(group: NDArray[np.int64]) -> list[tuple[int, int]]:
    bounds: list[int] = [0, *(np.flatnonzero(np.diff(group)) + 1).tolist(), len(group)]
    return list(pairwise(bounds))


def _busy(group: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    found = np.zeros(count, np.int64)
    for index in range(count):
        begins, ends = union((start[group == index], end[group == index]))
        found[index] = (ends - begins).sum()
    return found
