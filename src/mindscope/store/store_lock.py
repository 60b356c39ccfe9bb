# SPDX-License-Identifier: Apache-2.0
"""One run's lock, and what is done when its sealed rows turn out to be damaged."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import RLock
from typing import TypeVar

from mindscope.store.chunk import ChunkDamagedError
from mindscope.store.column_cache import ColumnCache

log = logging.getLogger(__name__)

T = TypeVar("T")


class StoreLock:
    """Guards the columns of a run. ``lock`` is held while they change or are looked at."""

    def __init__(self, column_cache: ColumnCache | None = None) -> None:
        self.lock = RLock()
        self.column_cache = column_cache or ColumnCache()  # may be shared with other runs
        self.restore: Callable[[], None] | None = None  # reads the run from its logs; None without a cache

    def read(self, look: Callable[[], T]) -> T:
        """What ``look`` returns under the lock. When sealed rows are damaged, the run is read from its logs first."""
        try:
            with self.lock:
                return look()
        except ChunkDamagedError as error:
            if self.restore is None:
                raise
            log.warning("cache: %s", error)
        self.restore()  # without the lock: whoever reads logs takes it after their own
        with self.lock:
            return look()
