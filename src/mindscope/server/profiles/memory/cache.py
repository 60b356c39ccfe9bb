# SPDX-License-Identifier: Apache-2.0
"""What was computed for the views of memory of the last profiles."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock

from mindscope.profile.memory import Memory
from mindscope.profile.memory_views.views import MemoryViews

MOST_OPEN = 2


class MemoryCache:
    """LRU cache by path and version. For any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: OrderedDict[tuple[Path, str], MemoryViews] = OrderedDict()  # the least recently used first

    def views(self, path: Path, version: str, memory: Memory) -> MemoryViews:
        """The views of a profile's memory."""
        with self._lock:
            found = self._open.get((path, version))
            if found is None:
                found = self._open[path, version] = MemoryViews(memory)
            self._open.move_to_end((path, version))
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
            return found

    def close(self) -> None:
        """Forget all."""
        self._open.clear()
