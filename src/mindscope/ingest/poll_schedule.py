# SPDX-License-Identifier: Apache-2.0
"""Chooses when to look at files and directories that a file system does not report: by the age of their last change.

A training that wrote a second ago writes again soon; one that ended last month hardly ever. So the time between two
looks is a share of the age. It has an upper limit with which all paths together cost a fixed number of looks a second:
some seconds for a hundred runs, minutes for ten thousand.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

AGE_SHARE = 0.1
LOOKS_PER_S = 100
"""All paths together, if none changed lately."""
PARENT_LOOKS_PER_S = 30
"""Directories of directories, where new runs appear."""
MAX_LOOKS = 2000
"""Limit of the looks at one time; the others follow at the next."""


class PollSchedule:
    """The paths to look at, and when. Times are in seconds of one clock. Not thread-safe."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}  # by path: when to look at it
        self._heap: list[tuple[float, str]] = []  # the same in order, and entries that are no longer valid
        self._parents: frozenset[str] = frozenset()

    def set_paths(self, ages_s: Mapping[str, float], parents: frozenset[str], now: float) -> None:
        """Look at these paths from now on. ``ages_s``: since their last changes. ``parents`` hold directories."""
        self._parents = parents
        known = self._next
        self._next = dict.fromkeys(ages_s, now)
        for path, age_s in ages_s.items():
            self._next[path] = known[path] if path in known else now + self._interval_s(path, age_s) * _share(path)
        self._heap = [(time, path) for path, time in self._next.items()]
        heapify(self._heap)

    def due(self, now: float) -> list[str]:
        """Return the paths to look at now. Call ``looked`` for each of them."""
        due: list[str] = []
        while self._heap and self._heap[0][0] <= now and len(due) < MAX_LOOKS:
            time, path = heappop(self._heap)
            if self._next.get(path) == time:
                due.append(path)
        return due

    def looked(self, path: str, age_s: float, now: float) -> None:
        """Note a look at a path that changed ``age_s`` before it."""
        if path in self._next:
            self._next[path] = now + self._interval_s(path, age_s)
            heappush(self._heap, (self._next[path], path))

    def _interval_s(self, path: str, age_s: float) -> float:
        is_parent = path in self._parents
        paths, rate = (self._parents, PARENT_LOOKS_PER_S) if is_parent else (self._next, LOOKS_PER_S)
        return min(max(age_s, 0.0) * AGE_SHARE, len(paths) / rate)


def _share(path: str) -> float:
    """Return a number between 0 and 1 for a path: it spreads the first looks at many paths."""
    return hash(path) % 1024 / 1024
