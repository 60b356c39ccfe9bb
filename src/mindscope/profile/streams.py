# SPDX-License-Identifier: Apache-2.0
"""Streams of devices: how busy they are, and for what they wait."""

from __future__ import annotations

from dataclasses import dataclass

from mindscope.profile.columns import Column, Counts, Durations, Table, TextColumn
from mindscope.profile.operators import mean_of


@dataclass(frozen=True, kw_only=True)
class Streams(Table):
    """One row for each stream. Waits are the gaps between its kernels, by the categories of HTA.

    The gap before a kernel is a host wait if its launch began after the kernel before it ended; else a kernel wait if
    the gap is shorter than ``KERNEL_WAIT_NS``, the delay between any two kernels; else other, such as a wait for an
    event of another stream.
    """

    device: TextColumn
    stream: TextColumn
    kernels: Counts
    busy: Durations
    """Union of its kernels, which may overlap."""
    host_wait: Durations
    kernel_wait: Durations
    other_wait: Durations
    overlaps: Counts
    """Kernels that begin before the one before them ends."""
    launches: Counts
    """Kernels whose launch is in the profile."""
    short: Counts
    """Kernels that take less time than the call that launches them."""
    delay: Durations
    """From the end of the launching call to the kernel, summed; negative if the kernel begins before that."""

    queue_peak: Counts
    """The most kernels that were launched and had not begun."""
    queue_full: Durations
    """With ``QUEUE_LIMIT`` of them or more, when a launch blocks the host."""

    def derived(self) -> dict[str, Column]:
        """``mean_delay``: nanoseconds of a launch."""
        return {"mean_delay": mean_of(self.delay, self.launches)}


QUEUE_LIMIT = 1024
"""Kernels in the queue of a stream."""
KERNEL_WAIT_NS = 30_000
"""HTA's manual says 30 ns; its default rounds stamps to microseconds, so that 30 of those is what it does."""
