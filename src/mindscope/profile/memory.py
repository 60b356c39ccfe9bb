# SPDX-License-Identifier: Apache-2.0
"""Memory of devices over time, and the blocks that were allocated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindscope.profile.columns import Sizes, Table, TextColumn, Times

UNKNOWN_TIME = np.iinfo(np.int64).min
"""A block that was born before the profile began, or lives at its end."""


@dataclass(frozen=True, kw_only=True)
class MemoryCurve(Table):
    """One row after each change, in order of time within a device."""

    time: Times
    device: TextColumn
    """``CPU``, ``GPU 0``, ``NPU 0``"""
    component: TextColumn | None = None
    """Of Ascend: the allocator, such as ``PTA``."""
    allocated: Sizes
    """Bytes in use. Negative on a CPU where blocks are freed that were born before the profile."""
    reserved: Sizes | None = None
    """Bytes that the allocator holds."""


@dataclass(frozen=True, kw_only=True)
class MemoryBlocks(Table):
    """One row for each block, in order of its allocation."""

    device: TextColumn
    size: Sizes
    allocated_at: Times
    """``UNKNOWN_TIME``: before the profile."""
    freed_at: Times
    """``UNKNOWN_TIME``: not freed within the profile."""
    operator: TextColumn | None = None
    """That allocated it."""
    module: TextColumn | None = None
    category: TextColumn | None = None
    """``parameter``, ``gradient``, ``optimizer_state``, ``activation``, ``input``, ``temporary``, or empty."""
    stack: TextColumn | None = None
    step: Sizes | None = None
    """Number of the step of its allocation; -1 outside of any."""

    def live_at(self, time: int, device: str | None = None) -> MemoryBlocks:
        """Blocks that are allocated at ``time``, of one device or all, the largest first."""
        born = (self.allocated_at == UNKNOWN_TIME) | (self.allocated_at <= time)
        alive = born & ((self.freed_at == UNKNOWN_TIME) | (self.freed_at > time))
        if device is not None:
            alive &= self.device.is_any_of(lambda each: each == device)
        rows = np.flatnonzero(alive)
        return self.select(rows[np.argsort(-self.size[rows], kind="stable")])


@dataclass(frozen=True)
class Memory:
    """``blocks`` is None where a format has only the curve, or the reverse an empty curve."""

    curve: MemoryCurve
    blocks: MemoryBlocks | None = None
