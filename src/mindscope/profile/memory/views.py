# SPDX-License-Identifier: Apache-2.0
"""The memory of one profile, with what its views need again and again: for millions of blocks it takes a second."""

from __future__ import annotations

from functools import cached_property
from threading import RLock

import numpy as np

from mindscope.profile.memory.block_groups import GROUPS, group_texts
from mindscope.profile.memory.curves import DeviceCurve, device_curves
from mindscope.profile.memory.leak_hints import LeakHints, leak_hints
from mindscope.profile.memory.live_blocks import of_device
from mindscope.profile.memory.live_bytes import LiveBytes
from mindscope.profile.memory.stack_tree import StackTree
from mindscope.profile.tables.memory import UNKNOWN_TIME, Memory, MemoryBlocks
from mindscope.table.columns import TextColumn


class MemoryViews:
    """The views of the memory, for any thread; each part is computed at its first use."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._lock = RLock()
        self._groups: dict[str, TextColumn | None] = {}
        self._live_bytes: dict[tuple[str, str], LiveBytes] = {}

    @cached_property
    def curves(self) -> list[DeviceCurve]:
        """The curve of each device and allocator."""
        return device_curves(self.memory.curve)

    @cached_property
    def devices(self) -> list[str]:
        """The devices that have a curve or blocks, in the order of their first rows."""
        of_blocks = [] if self.blocks is None else [self.blocks.device.values[code] for code in self._codes]
        return list(dict.fromkeys([*(curve.device for curve in self.curves), *of_blocks]))

    @property
    def _codes(self) -> list[int]:
        return [] if self.blocks is None else np.unique(self.blocks.device.codes).tolist()

    @property
    def blocks(self) -> MemoryBlocks | None:
        """The blocks; None if the format does not record them."""
        return self.memory.blocks

    @cached_property
    def groups(self) -> list[str]:
        """The columns by which its blocks can be grouped: those of ``GROUPS`` that have any text."""
        return [by for by in GROUPS if (texts := self.group(by)) is not None and any(texts.values)]

    @cached_property
    def time_range(self) -> tuple[int, int]:
        """First and last moment of curves and blocks; (0, 0) without any."""
        times = [curve.time for curve in self.curves]
        if self.blocks is not None:
            times += [each[each != UNKNOWN_TIME] for each in (self.blocks.allocated_at, self.blocks.freed_at)]
        times = [time for time in times if len(time)]
        return (min(int(time.min()) for time in times), max(int(time.max()) for time in times)) if times else (0, 0)

    def group(self, by: str) -> TextColumn | None:
        """Return the group of each block; None if the format does not record it.

        Raises ValueError for unknown names.
        """
        with self._lock:
            if by not in self._groups:
                found = None if self.blocks is None else group_texts(self.blocks, by)
                self._groups[by] = None if found is None else TextColumn(found.codes, list(found.values))
            return self._groups[by]

    def live_bytes(self, device: str, by: str) -> LiveBytes | None:
        """Return the bytes of the live blocks of a device over time; None if the format does not record them."""
        groups = self.group(by)
        if self.blocks is None or groups is None:
            return None
        with self._lock:
            found = self._live_bytes.get((device, by))
            if found is None:
                rows = np.flatnonzero(of_device(self.blocks, device))
                found = self._live_bytes[device, by] = LiveBytes(self.blocks, groups, rows)
            return found

    def peak(self, device: str) -> int:
        """Return the moment of the greatest allocated memory of a device: of its curves, else of its blocks."""
        curves = [curve for curve in self.curves if curve.device == device]
        if curves:
            greatest = max(curves, key=lambda each: int(each.allocated[each.peak]))
            return int(greatest.time[greatest.peak])
        live = self.live_bytes(device, self.groups[0]) if self.groups else None
        return 0 if live is None else live.peak_time

    def stacks(self) -> StackTree | None:
        """Return the stacks of the blocks, or their modules and operators; None without blocks."""
        with self._lock:
            return self._stacks

    @cached_property
    def _stacks(self) -> StackTree | None:
        return None if self.blocks is None else StackTree(self.blocks)

    def leaks(self) -> LeakHints:
        """Return hints at leaks."""
        with self._lock:
            return self._leaks

    @cached_property
    def _leaks(self) -> LeakHints:
        return LeakHints([], by_period=False) if self.blocks is None else leak_hints(self.blocks)
