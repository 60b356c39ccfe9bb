# SPDX-License-Identifier: Apache-2.0
"""Rates of counters that only grow."""

from __future__ import annotations


class Rates:
    """Differences of counters between two samples, per second."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[float, float]] = {}  # counter and time in seconds, by name

    def per_second(self, name: str, counter: float, now_s: float) -> dict[str, float]:
        """Return the rate since the last call under its name; nothing at the first call or after a reset."""
        last = self._last.get(name)
        self._last[name] = counter, now_s
        if last is None or counter < last[0] or now_s <= last[1]:
            return {}
        return {name: (counter - last[0]) / (now_s - last[1])}
