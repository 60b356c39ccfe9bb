# SPDX-License-Identifier: Apache-2.0
"""Counts the data that the cache does not have yet."""

from __future__ import annotations

from threading import Lock

MAX_UNSAVED_BYTES = 128 << 20
"""Limit of all runs together, without the rows of the files that are being read."""


class UnsavedBytes:
    """Counts bytes of rows in memory, of all runs of a catalog. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._bytes: dict[str, int] = {}  # by id of the run
        self._all_bytes = 0

    def set_bytes(self, id: str, size_bytes: int) -> None:
        """Set the unsaved bytes of a run."""
        with self._lock:
            self._all_bytes += size_bytes - self._bytes.pop(id, 0)
            if size_bytes:
                self._bytes[id] = size_bytes

    @property
    def is_exceeded(self) -> bool:
        """Whether the next run to read must be saved at once."""
        return self._all_bytes > MAX_UNSAVED_BYTES
