# SPDX-License-Identifier: Apache-2.0
"""Reads the steps of a source for a search."""

from __future__ import annotations

from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.errors import FormatError
from mindscope.server.debugger.sources import OpenSource


class StepReader:
    """Reads steps of a source, and counts those that it can't read."""

    def __init__(self, opened: OpenSource) -> None:
        self._opened = opened
        self.unreadable: set[int] = set()

    def __call__(self, step: int, rank: int) -> StepStatistics | None:
        """Return the step, None where it can't be read. Raises DebugDataError."""
        try:
            return self._opened.read(step, rank)
        except (FormatError, OSError):
            self.unreadable.add(step)
            return None
