# SPDX-License-Identifier: Apache-2.0
"""Memory for columns, in pieces of large blocks: a fresh page costs more than the rows that are put into it."""

from __future__ import annotations

import contextlib
import mmap
from threading import local

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 8 << 20
SMALL_BYTES = 1 << 16
"""Less is for the usual allocator: a few rows must not keep a block in memory."""
ALIGNMENT = 64

Bytes = NDArray[np.uint8]


class ColumnMemory:
    """Gives each thread pieces of its own block, which is freed with the last of its pieces."""

    def __init__(self) -> None:
        self._own = local()  # .rest: what is left of this thread's block

    def empty(self, size_bytes: int) -> Bytes:
        """A writable array of so many bytes."""
        if size_bytes < SMALL_BYTES:
            return np.empty(size_bytes, np.uint8)
        rest: Bytes | None = getattr(self._own, "rest", None)
        if rest is None or rest.size < size_bytes:
            rest = _block(max(size_bytes, BLOCK_BYTES))
        self._own.rest = rest[-(-size_bytes // ALIGNMENT) * ALIGNMENT :]
        return rest[:size_bytes]


def _block(size_bytes: int) -> Bytes:
    block = mmap.mmap(-1, size_bytes)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a system without them takes its usual pages
            block.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(block, np.uint8)
