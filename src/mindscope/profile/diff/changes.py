# SPDX-License-Identifier: Apache-2.0
"""Tables of what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.columns import Column, Durations, Rows, Table, TextColumn


class Change(NamedTuple):
    """Two figures of a step: nanoseconds, or bytes of a peak."""

    before: float
    after: float
    error: float = 0.0
    """Standard error of the change over the steps; 0 where it is unknown."""


@dataclass(frozen=True, kw_only=True)
class Changes(Table):
    """One row for each thing of either profile, the greatest change first."""

    name: TextColumn
    kind: TextColumn
    """Kind of a kernel, ``compute``, ``communication``, ``copy``; of a call, that of ``Calls``, or ``outside``."""
    module: TextColumn
    """Path in the profile after, before where it is gone; empty where the profiles have no modules."""
    state: TextColumn
    """``added``, ``gone``, ``slower``, ``faster``, ``unchanged``"""
    before: Durations
    """Self time of a step, nanoseconds."""
    after: Durations
    count_before: NDArray[np.float64]
    """Runs of a step."""
    count_after: NDArray[np.float64]
    share: NDArray[np.float64]
    """The change over the time of a step before: positive is slower."""

    def derived(self) -> dict[str, Column]:
        """``change``: nanoseconds of a step; positive is slower."""
        return {"change": self.after - self.before}


@dataclass(frozen=True, kw_only=True)
class CallChanges(Changes):
    """The calls of either profile as one tree: parents precede their children, siblings of one name are one row.

    Self times of the thread of the steps sum to the time of a step, on the host.
    """

    parent: Rows
    total_before: Durations
    """Time with the calls within it."""
    total_after: Durations
