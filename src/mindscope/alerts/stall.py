# SPDX-License-Identifier: Apache-2.0
"""Detects a stalled training by its own pace."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mindscope.alerts.alert import Finding
from mindscope.alerts.parameters import Parameters
from mindscope.store import RunStore, ScalarColumns, ScalarSeries
from mindscope.system.names import is_system_metric
from mindscope.types import DialectName

PAUSES = 100
"""Number of the latest pauses between steps that define the pace."""
CLOSING = frozenset({DialectName.MINDSPORE, DialectName.MINDSPORE_LINEAGE})
"""Writers that mark a log as closed. A resting log of any other writer may be finished."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The last step of a training, when it was, and the longest of the pauses before it, in seconds."""

    step: int
    wall_time: float
    longest_s: float


class Paces:
    """Cache of the pace of each run, invalidated by the store's version. Thread-safe."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[RunStore, int, Pace | None]] = {}  # by run, with the version it is of

    def of(self, store: RunStore) -> Pace | None:
        """Return the pace of a run; None when no series has two points."""
        known, version = self._known.get(store.id), store.version
        if known is None or known[0] is not store or known[1] != version:
            known = self._known[store.id] = (store, version, pace_of_run(store))
        return known[2]

    def forget(self, run: str) -> None:
        """Forget a removed run."""
        self._known.pop(run, None)


def pace_of_run(store: RunStore) -> Pace | None:
    """Return the pace of the series that was written last; None when none has two points."""
    points = max(_scalars(store), key=lambda scalar: float(scalar.wall_time[-1]), default=None)
    if points is None:
        return None
    longest = float(np.diff(points.wall_time[-PAUSES - 1 :]).max())
    return Pace(int(points.step[-1]), float(points.wall_time[-1]), longest)


def find_stuck(store: RunStore, parameters: Parameters, now: float, paces: Paces) -> Finding | None:
    """Return the last step of a stalled training; None if the training runs or its state is unknown.

    ``now`` is a wall time; ``value`` is the longest of the usual pauses, in seconds.
    """
    newest = store.last_wall_time
    if newest is None or now - newest > parameters.stuck_most_s:
        return None
    if now - newest < parameters.stuck_least_s and not _goes_on_beside(store):
        return None
    if not _may_go_on(store, newest, parameters, now):
        return None
    pace = paces.of(store)
    if pace is None or not math.isfinite(pace.longest_s):
        return None
    if not now - pace.wall_time > max(parameters.stuck_least_s, parameters.stuck_factor * pace.longest_s):
        return None
    return Finding(pace.step, pace.wall_time, pace.longest_s, pace.step, 1, is_active=True)


def _may_go_on(store: RunStore, newest: float, parameters: Parameters, now: float) -> bool:
    """Return whether a writer may still have the log open; a copied log is much newer than its last value."""
    if max(facts.modified_at for facts in store.files) - newest > parameters.stuck_least_s:
        return False
    state = store.state(now)
    return state == "live" or (state == "idle" and bool(CLOSING.intersection(store.dialects)))


def _goes_on_beside(store: RunStore) -> bool:
    """Return whether the run has metrics of the machine, which go on while a training is stuck."""
    return any(is_system_metric(tag) for _, tag in store.series)


def _scalars(store: RunStore) -> Iterator[ScalarColumns]:
    for (_, tag), series in store.series.items():
        if is_system_metric(tag) or not isinstance(series, ScalarSeries):
            continue
        if len(points := series.visible()) > 1:
            yield points
