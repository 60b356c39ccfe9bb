# SPDX-License-Identifier: Apache-2.0
"""Keeps the results for the views of memory of the last profiles."""

from __future__ import annotations

from pathlib import Path

from mindscope.lru import LRU
from mindscope.profile.memory.views import MemoryViews
from mindscope.profile.tables.memory import Memory

MOST_OPEN = 2


class MemoryCache:
    """LRU cache by path and version. For any thread."""

    def __init__(self) -> None:
        self._views: LRU[tuple[Path, str], MemoryViews] = LRU(MOST_OPEN)

    def views(self, path: Path, version: str, memory: Memory) -> MemoryViews:
        """Return the views of a profile's memory."""
        return self._views.get_or_add((path, version), lambda: MemoryViews(memory))

    def close(self) -> None:
        """Forget all views."""
        self._views.clear()
