# SPDX-License-Identifier: Apache-2.0
"""How much was read and is not in the cache yet."""

from __future__ import annotations

from threading import Lock

MAX_UNSAVED_BYTES = 128 << 20
"""Of all runs together, beside the rows of the few files that are being read."""


class UnsavedBytes:
    """Counts bytes of rows in memory, of all runs of a catalog. For any number of threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._bytes: dict[str, int] = {}  # by id of the run
        self._all_bytes = 0

    def set_bytes(self, id: str, size_bytes: int) -> None:
        """Have ``size_bytes`` stand for what is left of a run."""
        with self._lock:
            self._all_bytes += size_bytes - self._bytes.pop(id, 0)
            if size_bytes:
                self._bytes[id] = size_bytes

    @property
    def is_exceeded(self) -> bool:
        """Whether what is read next has to be saved at once."""
        return self._all_bytes > MAX_UNSAVED_BYTES
