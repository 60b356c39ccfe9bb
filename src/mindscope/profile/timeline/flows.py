# SPDX-License-Identifier: Apache-2.0
"""Arrows between slices: from a launch to its kernel, from an operator to its backward."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.timeline.timeline import Arranged, Flows
from mindscope.profile.trace.trace import Trace


def flows_of(trace: Trace, arranged: Arranged) -> Flows:
    """Return the arrows of a trace. The events of one id make arrows in their order of time: start, steps, finish.

    A start may have several finishes, as the launch of a CUDA graph has several kernels.
    """
    events = trace.events
    rows = events.of("s", "t", "f")
    if not len(rows) or not len(trace.slices):
        none = np.empty(0, np.int32)
        return Flows(none, none, none.astype(np.uint32), len(rows) // 2)
    rank = np.searchsorted(np.array([ord(phase) for phase in "fst"]), events.phase[rows])
    rank = np.array([2, 0, 1])[rank]  # start, steps, finish of one time
    order = rows[np.lexsort((rank, events.time[rows], events.id[rows], events.category[rows]))]
    ends = _slices_at(trace, arranged, order)
    begin = _last_begin(events.phase[order])
    same = (events.phase[order] != ord("s")) & (begin >= 0)
    same &= (events.id[order] == events.id[order[begin]]) & (events.category[order] == events.category[order[begin]])
    sources, targets = ends[begin][same], ends[same]
    is_bound = (sources >= 0) & (targets >= 0)
    source, target = arranged.index[sources[is_bound]], arranged.index[targets[is_bound]]
    category = events.category[order][same][is_bound]
    by_source = np.argsort(source, kind="stable")
    return Flows(source[by_source], target[by_source], category[by_source], int((~is_bound).sum()))


def _last_begin(phases: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return for each event the last one before from which an arrow may go, a start or a step; -1 without one."""
    positions = np.where(phases != ord("f"), np.arange(len(phases)), -1)
    before = np.concatenate([np.full(1, -1), positions[:-1]])
    return np.maximum.accumulate(before)


def _slices_at(trace: Trace, arranged: Arranged, events: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the innermost slice that runs at each event on its track, else the next one; -1 without one."""
    slices, order = trace.slices, arranged.nesting.order
    tracks = slices.track[order]
    of_event, times = trace.events.track[events], trace.events.time[events]
    # Both are in order of track and time, with times as their ranks among those of the events.
    moments = np.unique(times)
    width = len(moments) + 1
    starts = tracks.astype(np.int64) * width + np.searchsorted(moments, slices.start[order])
    following = np.searchsorted(
        starts, of_event.astype(np.int64) * width + np.searchsorted(moments, times), side="right"
    )
    before, after = np.maximum(following - 1, 0), np.minimum(following, len(order) - 1)
    begun = np.where((following > 0) & (tracks[before] == of_event), order[before], -1)
    later = np.where((following < len(order)) & (tracks[after] == of_event), order[after], -1)
    found = _innermost(slices.start + slices.duration, arranged.nesting.parent, begun, times)
    return np.where(found >= 0, found, later)


def _innermost(
    ends: NDArray[np.int64], parent: NDArray[np.int32], begun: NDArray[np.int64], times: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the first slice that is not over, of the one that began last and those around it; -1 without one."""
    found = begun
    while True:
        is_over = (found >= 0) & (ends[found] < times)
        if not is_over.any():
            return found
        found = np.where(is_over, parent[found], found)
