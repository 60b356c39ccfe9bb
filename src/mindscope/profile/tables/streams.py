# SPDX-License-Identifier: Apache-2.0
"""Streams of devices: how busy they are, for what they wait, how their kernels are launched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.tables.operators import mean_of
from mindscope.table.columns import Counts, Durations, Rows, Texts
from mindscope.table.grouping import sums_of
from mindscope.table.schema import EQUAL, MAX, Unit
from mindscope.table.table import Table


@dataclass(frozen=True, kw_only=True)
class Streams(Table):
    """One row for each stream. Waits are the gaps between its kernels, by the categories of HTA.

    The gap before a kernel is a host wait if its launch began after the kernel before it ended; else a kernel wait if
    the gap is shorter than ``KERNEL_WAIT_US``, the delay between any two kernels; else other, such as a wait for an
    event of another stream.
    """

    device: Texts
    stream: Texts
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
    long_calls: Counts
    """Kernels whose launching call takes more than ``LONG_CALL_NS``."""
    late: Counts
    """Kernels that begin more than ``LATE_NS`` after the end of their launching call."""
    delay: Durations
    """Time from the end of the launching call to the kernel, summed; negative if the kernel begins before that."""

    queue_peak: Annotated[Counts, MAX]
    """The most kernels that were launched and had not begun."""
    queue_full: Durations
    """Time with ``QUEUE_LIMIT`` of them or more, when a launch blocks the host."""

    DERIVED = ("mean_delay",)

    @property
    def mean_delay(self) -> Durations:
        """Mean nanoseconds from a launch to the start of its kernel."""
        return mean_of(self.delay, self.launches)


@dataclass(frozen=True, kw_only=True)
class StreamGaps(Table):
    """Gaps between kernels that are no host waits, by stream and length: what is a kernel wait is a matter of choice.

    One row for each length in whole microseconds below ``MOST_KERNEL_WAIT_US``.
    """

    stream: Rows
    """Row of ``Streams``."""
    length_us: Annotated[NDArray[np.int64], Unit.US, EQUAL]
    """Length in microseconds, rounded down."""
    time: Durations
    """Time of all gaps of this length."""


QUEUE_LIMIT = 1024
"""Kernels in the queue of a stream."""
KERNEL_WAIT_US, MOST_KERNEL_WAIT_US = 30, 1000
"""HTA's manual says 30 ns; its default rounds stamps to microseconds, so that 30 of those is what it does."""
LONG_CALL_NS, LATE_NS = 50_000, 100_000
"""HTA: outliers of the duration of launching calls, and of the delay from their end to the kernel."""


def with_kernel_wait(streams: Streams, gaps: StreamGaps, microseconds: int) -> Streams:
    """Return the streams with gaps shorter than ``microseconds``, 0 to ``MOST_KERNEL_WAIT_US``, as kernel waits."""
    is_short = gaps.length_us < microseconds
    kernel_wait = sums_of(gaps.stream[is_short], gaps.time[is_short], len(streams))
    both = streams.kernel_wait + streams.other_wait
    return replace(streams, kernel_wait=kernel_wait, other_wait=both - kernel_wait)


def queue_lengths(launched: NDArray[np.int64], start: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return times at which a queue changes, and its length from then on: a launch adds a kernel, its start removes it.

    Args:
        launched: (n,) when the launching calls begin; a launch after the start of its kernel counts from the start on.
        start: (n,) of the kernels.
    """
    times = np.concatenate([np.minimum(launched, start), start])
    changes = np.repeat(np.array([1, -1]), len(start))
    order = np.argsort(times, kind="stable")
    times, lengths = times[order], np.cumsum(changes[order])
    is_last = np.append(times[1:] != times[:-1], True)[: len(times)]
    return times[is_last], lengths[is_last]
