# SPDX-License-Identifier: Apache-2.0
"""Traces of formats that list runs in tables instead of a JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace.far_times import FAR_TIME, near_times
from mindscope.profile.trace.trace import Events, Skipped, Slices, Trace, Track
from mindscope.table.columns import TextColumn

CLOCK_ORIGIN = "clockOriginNs"
"""Property of a built trace: the time 0 on the clock of its file, for other files of the same clock."""


class SliceColumns(NamedTuple):
    """Slices of one kind, as columns."""

    start: NDArray[np.int64]
    """Nanoseconds of any clock."""
    duration: NDArray[np.int64]
    name: TextColumn
    category: str
    track: Sequence[Track]
    """Track of each row."""


def trace_of(all_runs: Sequence[SliceColumns], skipped: Mapping[str, Skipped], is_epoch: bool) -> Trace | None:
    """Return a trace whose time 0 is its first slice; None without slices. Negative durations are skipped and counted.

    ``is_epoch``: the starts count from 1970.
    """
    total = sum(len(runs.start) for runs in all_runs)
    if not total:
        return None
    names = TextColumn.of(name for runs in all_runs for name in runs.name)
    tracks: dict[Track, int] = {}
    track = np.array([tracks.setdefault(each, len(tracks)) for runs in all_runs for each in runs.track], np.uint32)
    categories = list(dict.fromkeys(runs.category for runs in all_runs))
    category = np.concatenate(
        [np.full(len(runs.start), categories.index(runs.category), np.uint32) for runs in all_runs]
    )
    start = np.concatenate([runs.start for runs in all_runs])
    duration = np.concatenate([runs.duration for runs in all_runs])
    whole = duration >= 0
    bad = int((~whole).sum())
    bounds = near_times([start[whole]])
    if bounds is not None:
        whole &= (start >= bounds[0]) & (start <= bounds[1])
    lost = int((~whole).sum())
    origin = int(start[whole].min()) if whole.any() else 0
    reasons = {"bad_duration": bad, FAR_TIME: lost - bad}
    found = dict(skipped) | {reason: Skipped(count, -1) for reason, count in reasons.items() if count}
    slices = Slices(
        start=(start - origin)[whole],
        duration=duration[whole],
        name=names.codes[whole],
        category=category[whole],
        track=track[whole],
        args_offset=np.full(total - lost, -1, np.int64),
        args_size=np.zeros(total - lost, np.uint32),
    )
    return Trace(
        slices=slices,
        events=no_events(),
        names=names.values,
        categories=categories,
        tracks=list(tracks),
        origin_ns=origin if is_epoch else None,
        properties={CLOCK_ORIGIN: origin},
        read=total - lost,
        skipped=found,
    )


def no_events() -> Events:
    """Return the columns of 0 events."""
    index = np.empty(0, np.uint32)
    return Events(
        time=np.empty(0, np.int64), args_offset=np.empty(0, np.int64), id=np.empty(0, np.uint64), name=index,
        category=index, track=index, args_size=index, phase=np.empty(0, np.uint8),
    )  # fmt: skip
