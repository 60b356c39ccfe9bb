# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of profiling to a training."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from statistics import median


class Cost:
    """Seconds in the profiler's own calls, and of the steps of the training with and without a profile."""

    def __init__(self) -> None:
        self.seconds = {"starting": 0.0, "stopping": 0.0, "writing": 0.0}
        self._steps: dict[bool, list[float]] = {False: [], True: []}  # whether profiled -> seconds of each
        self._began: float | None = None

    @contextmanager
    def measured(self, part: str) -> Generator[None]:
        """Add the time of the block to a part."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] += time.perf_counter() - start

    def begin_step(self) -> None:
        """Begin a step of the training."""
        self._began = time.perf_counter()

    def end_step(self, is_profiled: bool) -> None:
        """End the step."""
        if self._began is not None:
            self._steps[is_profiled].append(time.perf_counter() - self._began)
        self._began = None

    @property
    def profiled_step_s(self) -> float | None:
        """Seconds of the median step while profiled; None before one."""
        return _median(self._steps[True])

    @property
    def other_step_s(self) -> float | None:
        """Seconds of the median step while not profiled, without the first step; None before one."""
        return _median(self._steps[False][1:])

    def text(self) -> str:
        """Return the figures in words."""
        parts = ", ".join(f"{part} {_time(seconds)}" for part, seconds in self.seconds.items())
        if self.profiled_step_s is None:
            return parts
        other = "" if self.other_step_s is None else f", {_time(self.other_step_s)} otherwise"
        return f"{parts}; a step took {_time(self.profiled_step_s)} while profiled{other}"


def _median(values: list[float]) -> float | None:
    return median(values) if values else None


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
