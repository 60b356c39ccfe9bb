# SPDX-License-Identifier: Apache-2.0
"""Messages about streams. Durations are nanoseconds."""

from __future__ import annotations

from mindscope.server.http.schema import Answer
from mindscope.server.profiles.tables.schema import MissingEntry


class StreamEntry(Answer):
    """A stream: ``busy_ns`` is the union of its kernels, waits are the gaps between them.

    ``short`` kernels take less time than their launching call, ``long_calls`` are launching calls above 50 us, ``late``
    kernels begin more than 100 us after their call ended. ``mean_delay_ns`` is from the end of the call to the kernel.
    ``queue_full_ns`` is the time with 1,024 or more kernels that were launched and have not begun.
    """

    device: str
    stream: str
    kernels: int
    busy_ns: int
    host_wait_ns: int
    kernel_wait_ns: int
    other_wait_ns: int
    launches: int
    short: int
    long_calls: int
    late: int
    mean_delay_ns: int
    queue_peak: int
    queue_full_ns: int


class StreamsAnswer(Answer):
    """The streams, or why they are missing; gaps shorter than ``kernel_wait_us`` are kernel waits."""

    version: str
    missing: MissingEntry | None
    kernel_wait_us: int
    streams: list[StreamEntry]
