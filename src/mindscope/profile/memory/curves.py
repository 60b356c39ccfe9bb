# SPDX-License-Identifier: Apache-2.0
"""The curves of a profile's memory, one for each device and allocator, and what a window of pixels shows of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mindscope.profile.tables.memory import MemoryCurve
from mindscope.profile.timeline.timeline import Counter
from mindscope.profile.timeline.timeline_window import CounterWindow, Range, counter_window
from mindscope.table.columns import Sizes, Times, integers_of
from mindscope.table.grouping import groups_of


@dataclass(frozen=True, slots=True, eq=False)
class DeviceCurve:
    """Memory of one allocator of a device after each change, in order of time."""

    device: str
    component: str
    """The allocator, such as ``PTA``; empty where a format names none."""
    time: Times
    allocated: Sizes
    reserved: Sizes | None

    @property
    def peak(self) -> int:
        """The row of the greatest allocated size; the first of equal ones."""
        return int(np.argmax(self.allocated))

    @property
    def reserved_peak(self) -> int:
        """The greatest reserved size; 0 if it is not recorded."""
        return 0 if self.reserved is None else int(self.reserved.max())

    def at(self, time: int) -> tuple[int, int]:
        """Return allocated and reserved bytes at a moment; 0 before the first change, or where not recorded."""
        row = int(np.searchsorted(self.time, time, side="right")) - 1
        if row < 0:
            return 0, 0
        return int(self.allocated[row]), 0 if self.reserved is None else int(self.reserved[row])

    def window(self, range: Range) -> tuple[CounterWindow, CounterWindow | None]:
        """Return lowest, highest and last size of each pixel with changes: of the allocated and of the reserved memory.

        Raises:
            ValueError: the range is out of what can be drawn.
        """
        return self._window(self.allocated, range), None if self.reserved is None else self._window(
            self.reserved, range
        )

    def _window(self, sizes: Sizes, range: Range) -> CounterWindow:
        return counter_window(Counter("", 0, self.time, sizes.astype(np.float64), "bytes"), range)


def device_curves(curve: MemoryCurve) -> list[DeviceCurve]:
    """Return the curves of all devices and allocators, in the order of their first rows."""
    return list(_curves(curve))


def _curves(curve: MemoryCurve) -> Iterator[DeviceCurve]:
    texts = [each for each in (curve.device, curve.component) if each is not None]
    group, first = groups_of([text.codes for text in texts], len(curve))
    for number, row in enumerate(integers_of(first)):
        rows = np.flatnonzero(group == number)
        rows = rows[np.argsort(curve.time[rows], kind="stable")]
        yield DeviceCurve(
            device=curve.device[row],
            component="" if curve.component is None else curve.component[row],
            time=curve.time[rows],
            allocated=curve.allocated[rows],
            reserved=None if curve.reserved is None else curve.reserved[rows],
        )
