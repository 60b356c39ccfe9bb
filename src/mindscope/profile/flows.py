# SPDX-License-Identifier: Apache-2.0
"""Arrows between slices: from a launch to its kernel, from an operator to its backward."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.timeline import Arranged, Flows
from mindscope.profile.trace import Trace


def flows_of(trace: Trace, arranged: Arranged) -> Flows:
    """The arrows of a trace. The events of one id make arrows in their order of time: start, steps, finish."""
    events = trace.events
    rows = events.of("s", "t", "f")
    if not len(rows) or not len(trace.slices):
        none = np.empty(0, np.int32)
        return Flows(none, none, none.astype(np.uint32), len(rows) // 2)
    rank = np.searchsorted(np.array([ord(phase) for phase in "fst"]), events.phase[rows])
    rank = np.array([2, 0, 1])[rank]  # start, steps, finish of one time
    order = rows[np.lexsort((rank, events.time[rows], events.id[rows], events.category[rows]))]
    ends = _slices_at(trace, arranged, order)
    same = (events.id[order[1:]] == events.id[order[:-1]]) & (events.category[order[1:]] == events.category[order[:-1]])
    same &= (events.phase[order[1:]] != ord("s")) & (events.phase[order[:-1]] != ord("f"))
    sources, targets = ends[:-1][same], ends[1:][same]
    is_bound = (sources >= 0) & (targets >= 0)
    source, target = arranged.place[sources[is_bound]], arranged.place[targets[is_bound]]
    category = events.category[order[1:]][same][is_bound]
    by_source = np.argsort(source, kind="stable")
    return Flows(source[by_source], target[by_source], category[by_source], int((~is_bound).sum()))


def _slices_at(trace: Trace, arranged: Arranged, events: NDArray[np.int64]) -> NDArray[np.int64]:
    """The innermost slice that runs at each event on its track, else the next one; -1 without one."""
    slices, order = trace.slices, arranged.nesting.order
    found = np.full(len(events), -1, np.int64)
    tracks = slices.track[order]
    of_event, times = trace.events.track[events], trace.events.time[events]
    for track in np.unique(of_event).tolist():
        first, end = np.searchsorted(tracks, [track, track + 1]).tolist()
        mine = np.flatnonzero(of_event == track)
        if first == end:
            continue
        starts = slices.start[order[first:end]]
        place = np.searchsorted(starts, times[mine], side="right") - 1
        found[mine] = _innermost(trace, arranged, order[first:end], place, times[mine])
    return found


def _innermost(
    trace: Trace, arranged: Arranged, of_track: NDArray[np.int32], place: NDArray[np.int64], times: NDArray[np.int64]
) -> NDArray[np.int64]:
    ends = trace.slices.start + trace.slices.duration
    slice = np.where(place >= 0, of_track[np.maximum(place, 0)], -1)
    while True:
        is_over = (slice >= 0) & (ends[slice] < times)
        if not is_over.any():
            break
        slice = np.where(is_over, arranged.nesting.parent[slice], slice)
    following = np.where(place + 1 < len(of_track), of_track[np.minimum(place + 1, len(of_track) - 1)], -1)
    return np.where(slice >= 0, slice, following)
