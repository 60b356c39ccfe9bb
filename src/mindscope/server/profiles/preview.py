# SPDX-License-Identifier: Apache-2.0
"""Timelines of what is read of a profile so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from mindscope.profile.open import FoundProfile
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.trace.trace import Trace

FIRST_AFTER_S = 0.7
"""A profile that is read in less is shown when it is read."""
GROWTH = 3
"""Factor of the bytes of a preview to the one before: together they cost half of the last one."""


class TimelinePreviews:
    """Follows the reading of a trace.

    Args:
        found: the profile.
        on_progress: called with the bytes that are read; what it raises ends the reading.
        on_timeline: called with a timeline and the bytes that it was made of.
    """

    def __init__(
        self, found: FoundProfile, on_progress: Callable[[int], None], on_timeline: Callable[[Timeline, int], None]
    ) -> None:
        self._found, self._on_progress, self._on_timeline = found, on_progress, on_timeline
        self._began = time.monotonic()
        self._read = self._shown = 0

    def __call__(self, read: int, /) -> None:
        """Receive the progress, as ``on_progress``."""
        self._read = read
        self._on_progress(read)

    def wants_trace(self) -> bool:
        """Return whether enough was read since the last timeline."""
        return self._read > 0 and self._read >= GROWTH * self._shown and time.monotonic() - self._began > FIRST_AFTER_S

    def show_trace(self, trace: Trace) -> None:
        """Make a timeline. Without one, the reading continues."""
        self._shown = self._read
        with suppress(OSError):
            self._on_timeline(build_timeline(trace, self._found.key), self._read)
