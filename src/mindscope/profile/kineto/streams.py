# SPDX-License-Identifier: Apache-2.0
"""Streams of a trace of PyTorch."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.grouping import groups_of
from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.streams import KERNEL_WAIT_NS, QUEUE_LIMIT, Streams
from mindscope.profile.texts import Missing
from mindscope.profile.time_split import union


def streams_of(analysis: KinetoAnalysis, kernel_wait_ns: int = KERNEL_WAIT_NS) -> Streams | Missing:
    """The streams in the order of their first slice in the file."""
    work = analysis.device
    if not len(work):
        return analysis.missing("kernels")
    group, first = groups_of([work.device.codes, work.stream.codes], len(work))
    order = np.lexsort((work.start, group))
    own, start, end = group[order], work.start[order], work.end[order]
    reached = _reached(own, end)
    follows = np.concatenate([[False], own[1:] == own[:-1]])
    gap = np.where(follows, start - np.roll(reached, 1), 0)
    launch = work.launch[order]
    is_launched = launch >= 0
    calls = analysis.calls
    begun, returned, took = np.zeros_like(gap), start, np.zeros_like(gap)
    if len(calls):
        call_start, call_duration = calls.start[launch], calls.duration[launch]
        begun = np.where(is_launched, call_start, np.iinfo(np.int64).min)
        returned = np.where(is_launched, call_start + call_duration, start)
        took = np.where(is_launched, call_duration, 0)
    is_host = is_launched & follows & (begun > np.roll(reached, 1))
    is_kernel = ~is_host & (gap < kernel_wait_ns)
    waits = np.maximum(gap, 0)

    def summed(values: NDArray[np.int64], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        found = np.zeros(len(first), np.int64)
        np.add.at(found, own[mask], values[mask])
        return found

    peaks, full = _queues(own, begun, start, is_launched, len(first))
    one, every = np.ones(len(own), np.int64), np.ones(len(own), np.bool_)
    return Streams(
        device=work.device.select(first),
        stream=work.stream.select(first),
        kernels=summed(one, every),
        busy=_busy(group, work.start, work.end, len(first)),
        host_wait=summed(waits, is_host),
        kernel_wait=summed(waits, is_kernel),
        other_wait=summed(waits, ~is_host & ~is_kernel),
        overlaps=summed(one, follows & (gap < 0)),
        launches=summed(one, is_launched),
        short=summed(one, is_launched & (end - start < took)),
        delay=summed(start - returned, is_launched),
        queue_peak=peaks,
        queue_full=full,
    )


def _queues(
    group: NDArray[np.int64],
    launched: NDArray[np.int64],
    start: NDArray[np.int64],
    is_launched: NDArray[np.bool_],
    count: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The longest queue of each group, and how long it is full: a launch adds a kernel, its start removes it."""
    peaks, full = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for each in range(count):
        own = is_launched & (group == each)
        times = np.concatenate([launched[own], start[own]])
        changes = np.repeat(np.array([1, -1]), int(own.sum()))
        order = np.lexsort((changes, times))
        length = np.cumsum(changes[order])
        peaks[each] = length.max(initial=0)
        full[each] = np.diff(times[order])[length[:-1] >= QUEUE_LIMIT].sum()
    return peaks, full


def _reached(group: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The latest end until each row of its group; rows are sorted by group."""
    found = np.array(ends)
    for begin, stop in _runs(group):
        found[begin:stop] = np.maximum.accumulate(ends[begin:stop])
    return found


def _runs(group: NDArray[np.int64]) -> list[tuple[int, int]]:
    bounds: list[int] = [0, *(np.flatnonzero(np.diff(group)) + 1).tolist(), len(group)]
    return list(pairwise(bounds))


def _busy(group: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    found = np.zeros(count, np.int64)
    for each in range(count):
        begins, ends = union((start[group == each], end[group == each]))
        found[each] = (ends - begins).sum()
    return found
