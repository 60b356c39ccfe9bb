# SPDX-License-Identifier: Apache-2.0
"""The lock of one run, and its recovery from damaged chunks."""

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
    """Guards the columns of a run. Hold ``lock`` to change or read them."""

    def __init__(self, column_cache: ColumnCache | None = None) -> None:
        self.lock = RLock()
        self.column_cache = column_cache or ColumnCache()  # may be shared with other runs
        self.restore: Callable[[], None] | None = None  # reads the run from its event files; None without a cache

    def read(self, look: Callable[[], T]) -> T:
        """Call ``look`` under the lock. If sealed rows are damaged, reads the run from its event files and retries."""
        try:
            with self.lock:
                return look()
        except ChunkDamagedError as error:
            if self.restore is None:
                raise
            log.warning("cache: %s", error)
        self.restore()  # without the lock: the loader takes its own lock first, then this one
        with self.lock:
            return look()
