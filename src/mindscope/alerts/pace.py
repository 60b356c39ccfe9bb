# SPDX-License-Identifier: Apache-2.0
"""Whether a training still steps, by its own pace."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mindscope.alerts.alert import Finding
from mindscope.alerts.parameters import Parameters
from mindscope.store import RunStore, ScalarColumns, ScalarSeries
from mindscope.types import DialectName

PAUSES = 100
"""So many of the last pauses between two steps tell the pace."""
CLOSING = frozenset({DialectName.MINDSPORE, DialectName.MINDSPORE_LINEAGE})
"""Writers that mark a log as closed. Of any other, a log that rests may just as well be finished."""


def find_stuck(store: RunStore, parameters: Parameters, now: float) -> Finding | None:
    """The last step of a training that should have gone on long ago; None when all is well, or nobody can tell.

    ``now`` is a wall time; ``value`` is the longest of the usual pauses, in seconds.
    """
    newest = store.last_wall_time
    if newest is None or not parameters.stuck_least_s <= now - newest <= parameters.stuck_most_s:
        return None
    if not _may_go_on(store, newest, parameters, now):
        return None
    points = max(_scalars(store), key=lambda each: float(each.wall_time[-1]), default=None)
    if points is None:
        return None
    pauses = np.diff(points.wall_time[-PAUSES - 1 :])
    longest = float(pauses.max()) if pauses.size else 0.0
    silent = now - float(points.wall_time[-1])
    if not math.isfinite(longest) or not silent > max(parameters.stuck_least_s, parameters.stuck_factor * longest):
        return None
    step = int(points.step[-1])
    return Finding(step, float(points.wall_time[-1]), longest, step, 1, is_active=True)


def _may_go_on(store: RunStore, newest: float, parameters: Parameters, now: float) -> bool:
    """Whether somebody may still have the log open; a copy is written long after its last value."""
    if max(facts.modified_at for facts in store.files) - newest > parameters.stuck_least_s:
        return False
    state = store.state(now)
    return state == "live" or (state == "idle" and bool(CLOSING.intersection(store.dialects)))


def _scalars(store: RunStore) -> Iterator[ScalarColumns]:
    for series in store.series.values():
        if isinstance(series, ScalarSeries) and len(points := series.visible()) > 1:
            yield points
