# SPDX-License-Identifier: Apache-2.0
"""Memory of devices over time, and the blocks that were allocated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.texts import Missing
from mindscope.table.columns import Counts, Flags, Ids, Rows, Sizes, Texts, Times
from mindscope.table.schema import EQUAL, MAX, Unit
from mindscope.table.table import Table

Addresses = Annotated[NDArray[np.uint64], Unit.ID, EQUAL]
UNKNOWN_TIME = np.iinfo(np.int64).min
"""A block that was born before the profile began, or lives at its end."""
Moments = Annotated[Times, EQUAL]
"""Times that may be ``UNKNOWN_TIME``."""
Levels = Annotated[Sizes, MAX]
"""Bytes at a moment: merged rows have the peak."""


@dataclass(frozen=True, kw_only=True)
class MemoryCurve(Table):
    """One row after each change, in order of time within a device."""

    time: Times
    device: Texts
    """``CPU``, ``GPU 0``, ``NPU 0``"""
    component: Texts | None = None
    """Allocator of Ascend, such as ``PTA``."""
    allocated: Levels
    """Bytes in use. Negative on a CPU where blocks are freed that were born before the profile."""
    reserved: Levels | None = None
    """Bytes that the allocator holds."""
    is_relative: Flags | None = None
    """``allocated`` counts from the first change of the profile, since no total was recorded: it is no peak."""

    def absolute_rows(self, device: str) -> Rows:
        """Return the rows of a device whose sizes count from zero."""
        rows = self.device.is_any_of(lambda text: text == device)
        return np.flatnonzero(rows if self.is_relative is None else rows & ~self.is_relative)


@dataclass(frozen=True, kw_only=True)
class MemoryBlocks(Table):
    """One row for each block, in order of its allocation."""

    device: Texts
    size: Sizes
    allocated_at: Moments
    """``UNKNOWN_TIME``: before the profile."""
    freed_at: Moments
    """``UNKNOWN_TIME``: not freed within the profile."""
    operator: Texts | None = None
    """Operator that allocated it."""
    module: Texts | None = None
    category: Texts | None = None
    """``parameter``, ``gradient``, ``optimizer_state``, ``activation``, ``input``, ``temporary``, or empty."""
    stack: Texts | None = None
    step: Ids | None = None
    """Number of the step of its allocation; -1 outside of any."""
    address: Addresses | None = None
    reusable_at: Moments | None = None
    """Time when the allocator may use its memory again, at or after ``freed_at``; ``UNKNOWN_TIME``: later."""

    def live_at(self, time: int, device: str | None = None) -> MemoryBlocks:
        """Return blocks that are allocated at ``time``, of one device or all, the largest first."""
        born = (self.allocated_at == UNKNOWN_TIME) | (self.allocated_at <= time)
        alive = born & ((self.freed_at == UNKNOWN_TIME) | (self.freed_at > time))
        if device is not None:
            alive &= self.device.is_any_of(lambda text: text == device)
        rows = np.flatnonzero(alive)
        return self.select(rows[np.argsort(-self.size[rows], kind="stable")])


@dataclass(frozen=True, kw_only=True)
class MemorySegments(Table):
    """One row for each range of addresses that the allocator reserved, in order of devices and addresses."""

    device: Texts
    address: Addresses
    size: Sizes
    reserved_at: Moments
    """``UNKNOWN_TIME``: before the profile."""
    released_at: Moments
    """``UNKNOWN_TIME``: not within the profile."""
    stream: Ids
    """The blocks of a segment serve one stream."""
    is_expandable: Flags
    """A part of a segment that grows and shrinks: neighbors of one stream are one."""


@dataclass(frozen=True, kw_only=True)
class MemoryPlan(Table):
    """One row for each graph whose memory a compiler planned by the lives of its tensors, in order of execution."""

    graph: Ids
    """Id of the graph."""
    device: Texts
    first: Ids
    """First of its operators among those of all graphs, where the positions of its operators begin."""
    operators: Counts
    static: Sizes
    """Bytes of parameters and the like, which are there all the time; part of the curve."""
    peak: Levels
    peak_at: Ids
    """Position of the operator of the peak."""
    sampled: Annotated[Counts, EQUAL]
    """Number of operators of which one is listed: 1 in graphs of up to 2,000."""


@dataclass(frozen=True)
class Memory:
    """``blocks`` is None where a format has only the curve, or the reverse an empty curve.

    With a ``plan``, nothing was measured: all times are positions of operators in the order of their execution.
    """

    curve: MemoryCurve
    blocks: MemoryBlocks | None = None
    segments: MemorySegments | None = None
    """Segments of the allocator; with them, blocks have addresses."""
    plan: MemoryPlan | None = None
    notes: tuple[Missing, ...] = ()
    """Parts of curve and blocks that the format did not record."""

    def between(self, begin: int, end: int) -> Memory | None:
        """Return the curve from ``begin`` to before ``end``, and the blocks that are allocated then.

        None without a curve, and of a plan, which has no times.
        """
        if self.plan is not None:
            return None
        curve = self.curve.select((self.curve.time >= begin) & (self.curve.time < end))
        blocks = self.blocks
        if blocks is not None:
            blocks = blocks.select((blocks.allocated_at >= begin) & (blocks.allocated_at < end))
        return Memory(curve, blocks, notes=self.notes) if len(curve) else None
