# SPDX-License-Identifier: Apache-2.0
"""Tables of what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from mindscope.table.columns import Durations, Figures, Rows, Texts
from mindscope.table.schema import SUM, Unit
from mindscope.table.table import Table


class Change(NamedTuple):
    """Two figures of a step: nanoseconds, or bytes of a peak."""

    before: float
    after: float
    error: float = 0.0
    """Standard error of the change over the steps; 0 where it is unknown."""


@dataclass(frozen=True, kw_only=True)
class Changes(Table):
    """One row for each thing of either profile, the greatest change first."""

    name: Texts
    kind: Texts
    """Kind of a kernel, ``compute``, ``communication``, ``copy``; of a call, that of ``Calls``, or ``outside``."""
    module: Texts
    """Path in the profile after, before where it is gone; empty where the profiles have no modules."""
    state: Texts
    """``added``, ``gone``, ``slower``, ``faster``, ``unchanged``"""
    before: Durations
    """Self time of a step, nanoseconds."""
    after: Durations
    count_before: Annotated[Figures, Unit.COUNT, SUM]
    """Runs of a step."""
    count_after: Annotated[Figures, Unit.COUNT, SUM]
    share: Annotated[Figures, Unit.SHARE, SUM]
    """The change over the time of a step before: positive is slower."""

    DERIVED = ("change",)

    @property
    def change(self) -> Durations:
        """Nanoseconds of a step; positive is slower."""
        return self.after - self.before


@dataclass(frozen=True, kw_only=True)
class CallChanges(Changes):
    """The calls of either profile as one tree: parents precede their children, siblings of one name are one row.

    Self times of the thread of the steps sum to the time of a step, on the host.
    """

    parent: Rows
    total_before: Durations
    """Time with the calls within it."""
    total_after: Durations
