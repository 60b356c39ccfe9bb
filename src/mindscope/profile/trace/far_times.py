# SPDX-License-Identifier: Apache-2.0
"""Events whose time lies so far from all others that a clock went wrong: one of them would hide the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace.trace import Events, Skipped, Slices

FAR_TIME = "far_time"
"""Reason of events that are skipped for it."""
MOST_AWAY_NS = 1 << 52
"""52 days from the median time: so a range of time fits into 2^53 ns, the whole numbers of JavaScript."""

_T = TypeVar("_T", Slices, Events)


def near_times(times: Sequence[NDArray[np.int64]]) -> tuple[int, int] | None:
    """Return the first and last time that count; None if that are all.

    The median is that of the first column with times.
    """
    known = [time for time in times if len(time)]
    low, high = (
        min((int(each.min()) for each in known), default=0),
        max((int(each.max()) for each in known), default=0),
    )
    if high - low <= 2 * MOST_AWAY_NS:
        return None
    middle = len(known[0]) // 2
    median = int(np.partition(known[0], middle)[middle])
    return median - MOST_AWAY_NS, median + MOST_AWAY_NS


def without_far_times(slices: Slices, events: Events) -> tuple[Slices, Events, dict[str, Skipped]]:
    """Return the slices and events of a trace whose times count, and how many do not."""
    bounds = near_times([slices.start, events.time])
    if bounds is None:
        return slices, events, {}
    is_near = [(each >= bounds[0]) & (each <= bounds[1]) for each in (slices.start, events.time)]
    lost = sum(int((~each).sum()) for each in is_near)
    return _select(slices, is_near[0]), _select(events, is_near[1]), {FAR_TIME: Skipped(lost, -1)} if lost else {}


def _select(columns: _T, mask: NDArray[np.bool_]) -> _T:
    chosen: dict[str, Any] = {field.name: getattr(columns, field.name)[mask] for field in fields(columns)}
    return replace(columns, **chosen)
