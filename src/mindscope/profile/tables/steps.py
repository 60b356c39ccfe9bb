# SPDX-License-Identifier: Apache-2.0
"""Steps of a profile, and on what their time went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from mindscope.table.columns import Durations, Figures, Flags, Ids, Times
from mindscope.table.schema import Unit, mean_by
from mindscope.table.table import Table

PARTS = ("compute", "communication", "copy", "data_waiting", "host", "idle")
"""Columns that sum to the duration of a step. One vocabulary for all devices; docs/profiling.md defines each."""

UNKNOWN_DURATION = -1
"""The phases of a step that lacks one of them, or of which the profile does not hold all."""
FEWEST_STEPS = 3
"""Fewest steps of a profile whose first step can be told from the others."""
WARM_UP_EXCESS = 0.2
"""Share by which a first step that warms up exceeds the median of the others."""


@dataclass(frozen=True, kw_only=True)
class Steps(Table):
    """One row for each step of the training, in order of time.

    Each nanosecond of a step belongs to the first of ``PARTS`` that happens then. A part is None where the format
    does not record it; its time is in ``idle`` then.
    """

    number: Ids
    """The step of the training as the profiler counted it."""
    start: Times
    duration: Durations
    """Time to the end of the last kernel that the step launched."""
    compute: Durations
    """A device computes; without a device: an operator runs on the CPU."""
    communication: Durations | None = None
    """Ranks communicate, and nothing computes: communication that is not overlapped."""
    copy: Durations | None = None
    """Memory is copied or set on the device, and nothing of the above."""
    data_waiting: Durations | None = None
    """The training waits for its next batch."""
    host: Durations | None = None
    """The host works: operators, launches, annotated ranges, Python frames."""
    idle: Durations
    """Nothing that was recorded."""
    overlapped: Durations | None = None
    """Communication during which the device also computes; part of ``compute``."""
    device_busy: Durations | None = None
    """The device does anything: the union of its computations, communication and copies."""
    sm_efficiency: Annotated[Figures, Unit.SHARE, mean_by("duration")] | None = None
    """Use of a GPU, 0 to 1: the mean over the step of the blocks for each multiprocessor in flight, at most 1."""
    interval: Durations | None = None
    """MindInsight's step interval: until the first operator after the batch arrived. All phases of a step, or none,
    are ``UNKNOWN_DURATION``.
    """
    forward_backward: Durations | None = None
    """Time from then to the end of the backward pass."""
    tail: Durations | None = None
    """Time from then to the end: communication that is not hidden, update of the weights."""

    is_incomplete: Flags | None = None
    """The trace does not hold all of the step: of the first and the last ones, which means and advice leave out."""

    is_warm_up: Flags | None = None
    """Whether the step warms up, of formats whose means leave the first step out; None: see ``warm_up``."""

    @property
    def warm_up(self) -> int:
        """The number of first steps that warm up, 0 or 1: means and advice leave them out, as MindInsight does.

        The first of three complete steps or more does, if it exceeds the median of the others by a fifth.
        """
        if self.is_warm_up is not None:
            return int(self.is_warm_up.sum())
        durations = self.complete.duration
        if len(durations) < FEWEST_STEPS:
            return 0
        return int(durations[0] > (1 + WARM_UP_EXCESS) * float(np.median(durations[1:])))

    @property
    def judged(self) -> Steps:
        """The steps of means and advice: complete ones without the warm-up."""
        return self.select(self.judged_rows)

    @property
    def complete(self) -> Steps:
        """The steps of which nothing is missing."""
        return self if self.is_incomplete is None else self.select(self.complete_rows)

    @property
    def complete_rows(self) -> NDArray[np.int64]:
        """Rows of ``complete``."""
        return np.arange(len(self)) if self.is_incomplete is None else np.flatnonzero(~self.is_incomplete)

    @property
    def warm_up_rows(self) -> NDArray[np.int64]:
        """Rows of the steps that warm up."""
        return self.complete_rows[: self.warm_up]

    @property
    def judged_rows(self) -> NDArray[np.int64]:
        """Rows of ``judged``."""
        return self.complete_rows[self.warm_up :]

    def part(self, name: str) -> Durations:
        """Return a column of ``PARTS``; zeros where it is not recorded."""
        durations: Durations | None = getattr(self, name)
        return np.zeros(len(self), np.int64) if durations is None else durations
