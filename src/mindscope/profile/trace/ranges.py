# SPDX-License-Identifier: Apache-2.0
"""The slices of a trace in a range of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindscope.profile.trace.trace import Trace
from mindscope.table.columns import Durations, TextColumn, Texts, Times
from mindscope.table.table import Table


@dataclass(frozen=True, kw_only=True)
class TimelineRange(Table):
    """One row for each slice, in order of time."""

    name: Texts
    category: Texts
    """Category as the profiler calls it: ``cpu_op``, ``kernel``."""
    process: Texts
    thread: Texts
    """Thread of the host, or stream of a device."""
    start: Times
    duration: Durations


def slices_between(trace: Trace, start: int | None, end: int | None) -> TimelineRange:
    """Return the slices that overlap [start, end), in nanoseconds since the origin of the trace; None for no bound."""
    slices = trace.slices
    chosen = np.ones(len(slices), np.bool_)
    if end is not None:
        chosen &= slices.start < end
    if start is not None:
        chosen &= (slices.start + slices.duration > start) | (slices.start == start)
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(slices.start[rows], kind="stable")]
    track = slices.track[rows]
    return TimelineRange(
        name=TextColumn(slices.name[rows], trace.names),
        category=TextColumn(slices.category[rows], trace.categories),
        process=TextColumn(track, [each.process_name or each.process for each in trace.tracks]),
        thread=TextColumn(track, [each.thread_name or each.thread for each in trace.tracks]),
        start=slices.start[rows],
        duration=slices.duration[rows],
    )
